// Step 3: hooks for the agents that are there, each change shown first, and a test event that travels the whole way.
import { useEffect, useState } from "react";
import type { PaneView } from "../../../core/model/view.ts";
import type { Api } from "../../connection/connectHost.ts";
import { ActionButton } from "../ActionButton.tsx";
import { FailureText } from "../settings/fields.tsx";
import { IntegrationCard } from "../settings/IntegrationCard.tsx";
import { useAsk } from "../settings/useAsk.ts";
import styles from "./onboarding.module.css";
import { StepFoot, type StepBodyProps } from "./StepFoot.tsx";

interface HooksStepProps extends StepBodyProps {
  api: Api;
  panes: readonly PaneView[];
}

const HOST = "host";

export const HooksStep = ({ api, panes, onFound, onNext, onSkip }: HooksStepProps) => {
  const { value, failure, reload } = useAsk("hooks", () => api.integrationList.query({ target: HOST }));
  const [isAll, setAll] = useState(false);
  const [proved, setProved] = useState<ReadonlySet<string>>(new Set());
  const seen = new Set(panes.filter(({ identity }) => identity.target === HOST).map(({ agent }) => agent));
  const present = (value ?? []).filter(({ agent, state }) => seen.has(agent) || state !== "absent");
  const shown = isAll || present.length === 0 ? (value ?? []) : present;
  const isProved = proved.size > 0;
  useEffect(() => {
    if (isProved) onFound(true);
  }, [isProved, onFound]);
  return (
    <>
      <p>
        A hook in the agent’s own settings tells every change at once. You see the change before it is made;
        then send a test event through it with “Verify”.
      </p>
      <FailureText failure={failure} />
      {value === null && failure === null && <p role="status">Reading the agents’ settings…</p>}
      <ul className={styles.cards} aria-label="Integrations">
        {shown.map((integration) => (
          <IntegrationCard
            key={integration.agent}
            api={api}
            target={HOST}
            integration={integration}
            onChanged={reload}
            onVerified={({ deliveryWorks, entriesPresent }) => {
              if (deliveryWorks && entriesPresent) setProved(new Set([...proved, integration.agent]));
              else onFound(false);
            }}
          />
        ))}
      </ul>
      {value !== null && shown.length < value.length && (
        <div className={styles.buttons}>
          <ActionButton onClick={() => setAll(true)}>Show the other agents</ActionButton>
        </div>
      )}
      <StepFoot isProved={isProved} onNext={onNext} onSkip={onSkip} />
    </>
  );
};
