// The hooks in the agents' own settings, per target: their state, and every change, shown before it is made.
import { useState } from "react";
import type { TargetView } from "../../../core/model/view.ts";
import type { Api } from "../../connection/connectHost.ts";
import { displayLine } from "../../../ui/text/displayText.ts";
import { Choice, RetryFailure } from "./fields.tsx";
import { IntegrationCard } from "./IntegrationCard.tsx";
import styles from "./settings.module.css";
import { useAsk } from "./useAsk.ts";

const HOST = "host";

export const IntegrationsPage = ({ api, targets }: { api: Api; targets: readonly TargetView[] }) => {
  const [target, setTarget] = useState(HOST);
  const { value, failure, isLoading, reload } = useAsk(target, () => api.integrationList.query({ target }));
  return (
    <>
      <p className={styles.intro}>
        Without a hook a state is read from the screen within two seconds; with one it is immediate and exact.
        Only our own entries are written and removed.
      </p>
      {targets.length > 1 && (
        <div className={styles.card}>
          <Choice
            label="Machine"
            value={target}
            options={targets.map(({ target: name }) => ({
              value: name,
              label: name === HOST ? "This machine" : displayLine(name),
            }))}
            onChange={setTarget}
          />
        </div>
      )}
      <RetryFailure failure={failure} reload={reload} />
      {value === null && isLoading && <p role="status">Reading the agents’ settings…</p>}
      {failure === null && value !== null && (
        <ul className={styles.cards} aria-label="Integrations">
          {value.map((integration) => (
            <IntegrationCard
              key={`${target}/${integration.agent}`}
              api={api}
              target={target}
              integration={integration}
              onChanged={reload}
            />
          ))}
        </ul>
      )}
    </>
  );
};
