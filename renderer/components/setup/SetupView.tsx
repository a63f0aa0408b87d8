// Set-up as one screen: what was found, one button that installs the hooks of all agents, what only the person can do then, and a
// notification to try. The words and the steps are those of `agtmux setup`.
import { useState } from "react";
import {
  installAll,
  type InstallOutcome,
  setupScreen,
  type SetupLine,
  type SetupMark,
  type NotifyingAgent,
} from "../../../ui/setup/setupScreen.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import type { Notifier } from "../../../core/model/words.ts";
import type { Api, Host } from "../../state/connectHost.ts";
import { useEscape } from "../../hooks/useKeyboard.ts";
import { ActionButton } from "../Buttons.tsx";
import { DiffView } from "../settings/DiffView.tsx";
import { Absent, Choice, FailureText, Group, RetryFailure, Page } from "../fields.tsx";
import settings from "../settings.module.css";
import { TestNotification } from "../settings/ConfigPages.tsx";
import { useAsk, useTask } from "../../hooks/useAsk.ts";
import styles from "./setup.module.css";

export const SetupOffer = ({ onStart, onRefuse }: { onStart: () => void; onRefuse: () => void }) => (
  <section className={styles.offer} aria-label="Setup">
    <p>Install hooks for instant, exact status</p>
    <div className={styles.buttons}>
      <ActionButton tone="primary" onClick={onStart}>
        Set up
      </ActionButton>
      <ActionButton onClick={onRefuse}>Not now</ActionButton>
    </div>
  </section>
);

/** Beside the words, which say the same. */
const MARKS: Readonly<Record<SetupMark, string>> = { ok: "✓", open: "+", problem: "!", none: "·" };

/** Made only when it is asked for: plugins are long. */
const Changes = ({ name, changes }: Pick<SetupLine, "name" | "changes">) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.changes} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={`Show the changes for ${name}`}>Show the changes</summary>
      {isOpen && <DiffView changes={changes} />}
    </details>
  );
};

const Line = ({ line: { mark, name, text, changes } }: { line: SetupLine }) => (
  <li>
    <span className={styles.mark} data-mark={mark} aria-hidden="true">
      {MARKS[mark]}
    </span>
    <div className={styles.line}>
      <strong>{name}</strong>
      <span className={styles.text}>{text}</span>
      {changes.length > 0 && <Changes name={name} changes={changes} />}
    </div>
  </li>
);

const Outcomes = ({ outcomes }: { outcomes: readonly InstallOutcome[] }) => {
  const done = outcomes.filter(({ problem }) => problem === null);
  return (
    <>
      <p role="status" className={styles.notes}>
        {done.length > 0 && `Installed for ${done.map(({ name }) => displayLine(name)).join(", ")}.`}
      </p>
      {outcomes.map(
        ({ name, problem }) =>
          problem !== null && (
            <p key={name} className={settings.failure} role="alert">
              {displayLine(name)}: {displaySentence(problem)}
            </p>
          ),
      )}
    </>
  );
};

/** An agent that notifies by itself: who tells the person, at once when it is chosen. */
const Notifying = ({
  notifying: { name, text, now, choices },
  onChoose,
}: {
  notifying: NotifyingAgent;
  onChoose: (who: Notifier) => void;
}) => {
  if (choices.length === 0) return <Absent>{text}</Absent>;
  const meanings = choices
    .filter(({ who }) => who !== "both")
    .map(({ label, means }) => `${label}: ${means}.`);
  const options = choices.map(({ who, label }) => ({ value: who, label }));
  return (
    <Choice
      label={name}
      fullLabel={`${name}: who notifies you`}
      hint={[text, ...meanings].join(" ")}
      value={now ?? ""}
      options={now === null ? [{ value: "", label: "Nobody" }, ...options] : options}
      onChange={(value) => {
        const chosen = choices.find(({ who }) => who === value);
        if (chosen !== undefined) onChoose(chosen.who);
      }}
    />
  );
};

const HOST = "host";

/** `seen` changes when another agent appears in a pane; then the set-up is requested again. */
const useSetup = (api: Api, seen: string) => {
  const asked = useAsk(seen, () => api.setupLook.query({ target: HOST }));
  const task = useTask();
  const [outcomes, setOutcomes] = useState<readonly InstallOutcome[]>([]);
  const screen = asked.value === null ? null : setupScreen(asked.value);
  const install = () =>
    void task.run(async () => {
      if (screen === null) return;
      setOutcomes(
        await installAll(screen.installable, (input) =>
          api.integrationChange.mutate({ ...input, target: HOST }),
        ),
      );
      asked.reload();
    });
  const choose = ({ agent, folder }: NotifyingAgent, who: Notifier) =>
    void task.run(async () => {
      await api.integrationNotifier.mutate({ agent, folder, target: HOST, who, dryRun: false });
      asked.reload();
    });
  return { asked, task, outcomes, screen, install, choose };
};

interface SetupViewProps {
  host: Host;
  seen: string;
  onLeave: () => void;
}

export const SetupView = ({ host, seen, onLeave }: SetupViewProps) => {
  const { asked, task, outcomes, screen, install, choose } = useSetup(host.api, seen);
  useEscape(onLeave);
  return (
    <div className={settings.view}>
      <Page title="Set up agtmux" backLabel="Agents" onBack={onLeave}>
        <RetryFailure failure={asked.failure} reload={asked.reload} />
        <div role="status">
          {screen === null && asked.isLoading && <p>Looking for tmux and your agents…</p>}
          {screen !== null && <p className={styles.lead}>{screen.headline}</p>}
        </div>
        {screen !== null && (
          <>
            {screen.button === null && screen.steps.length > 0 && (
              <ul className={styles.steps} aria-label="Left to do">
                {screen.steps.map(({ what, how }) => (
                  <li key={what}>{displaySentence(how)}</li>
                ))}
              </ul>
            )}
            <ul className={styles.found} aria-label="Found">
              {screen.lines.map((line) => (
                <Line key={line.key} line={line} />
              ))}
            </ul>
            <div className={styles.buttons}>
              {screen.button !== null && (
                // While it is requested again, what is shown may be old, and would be refused.
                <ActionButton tone="primary" isDisabled={asked.isLoading} onClick={install}>
                  {screen.button}
                </ActionButton>
              )}
              <ActionButton onClick={asked.reload}>Look again</ActionButton>
              <ActionButton onClick={onLeave}>Done</ActionButton>
              {task.isBusy && <span role="status">Installing…</span>}
            </div>
            <Outcomes outcomes={outcomes} />
            {screen.notifications.length > 0 && (
              <Group title="Agents with their own notifications">
                {screen.notifications.map((notifying) => (
                  <Notifying
                    key={`${notifying.agent} ${notifying.folder}`}
                    notifying={notifying}
                    onChoose={(who) => choose(notifying, who)}
                  />
                ))}
              </Group>
            )}
            {screen.notes.map((note) => (
              <p key={note} className={styles.notes}>
                {note}
              </p>
            ))}
          </>
        )}
        <FailureText failure={task.failure} />
        <TestNotification desktop={host.desktop} />
        <p className={settings.foot}>
          Remove an agent’s hooks in Settings, Integrations; “agtmux setup --remove” removes everything.
        </p>
      </Page>
    </div>
  );
};
