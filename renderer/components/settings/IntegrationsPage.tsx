// Settings pages about agents: which are recognised, and the hooks in their own settings per target, whose changes are shown before
// they are made.
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { Age } from "../Age.tsx";
import proof from "./DiagnosticsPage.module.css";
import { useState } from "react";
import type { IntegrationAction } from "../../../core/api/calls.ts";
import type { Api } from "../../state/connectHost.ts";
import { ActionButton } from "../Buttons.tsx";
import { Fact } from "./DiagnosticsPage.tsx";
import { DiffView } from "./DiffView.tsx";
import { FailureText, Group, Toggle, Choice, RetryFailure } from "../fields.tsx";
import styles from "../settings.module.css";
import { useTask, useAsk } from "../../hooks/useAsk.ts";
import type {
  AdapterView,
  IntegrationReport,
  IntegrationSummary,
  IntegrationVerification,
} from "../../../core/model/adapterView.ts";
import type { TargetView } from "../../../core/model/view.ts";

/** The three facts that prove an integration: our entries, a test event that arrived, and the last event of a real agent. */
const Verification = ({ result }: { result: IntegrationVerification }) => (
  <ul className={proof.facts} aria-label="Proof">
    <Fact status={result.entriesPresent ? "ok" : "problem"}>
      {result.entriesPresent
        ? "All entries are in its settings."
        : `Entries are missing: ${result.missing.map(displayLine).join(", ") || "all"}.`}
    </Fact>
    {result.problems.map((problem) => (
      <Fact key={problem} status="problem">
        {displaySentence(problem)}
      </Fact>
    ))}
    {result.steps.map(({ what, how }) => (
      <Fact key={what} status="skipped">
        Still to do: {displayLine(what)}. {displaySentence(how)}
      </Fact>
    ))}
    <Fact status={result.deliveryWorks ? "ok" : "problem"}>{displaySentence(result.deliveryDetail)}</Fact>
    <Fact status={result.lastRealEventAt === null ? "skipped" : "ok"}>
      {result.lastRealEventAt === null ? (
        "No event from a real agent yet. A running agent loads its hooks when you restart it."
      ) : (
        <>
          Last event from a real agent <Age since={result.lastRealEventAt} suffix=" ago" />.
        </>
      )}
    </Fact>
  </ul>
);

// One agent's integration: its state and the actions on it. A change is planned first, shown, and made only after a second press.

const STATE_LABELS: Readonly<Record<IntegrationSummary["state"], string>> = {
  installed: "installed",
  partial: "needs repair",
  absent: "not installed",
  unclear: "can't be read",
};
const ACTION_LABELS: Readonly<Record<IntegrationAction, string>> = {
  install: "Install",
  repair: "Repair",
  uninstall: "Uninstall",
};
const DONE_LABELS: Readonly<Record<IntegrationAction, string>> = {
  install: "Installed.",
  repair: "Repaired.",
  uninstall: "Uninstalled.",
};
const ACTIONS: Readonly<Record<IntegrationSummary["state"], readonly IntegrationAction[]>> = {
  installed: ["uninstall"],
  partial: ["repair", "uninstall"],
  absent: ["install"],
  unclear: [],
};

type Shown =
  | { kind: "nothing" }
  /** `isNew`: the files changed after the person had seen an older plan. */
  | { kind: "plan"; action: IntegrationAction; report: IntegrationReport; isNew: boolean }
  | { kind: "done"; sentence: string; backups: readonly string[] }
  | { kind: "verified"; result: IntegrationVerification };

interface IntegrationCardProps {
  api: Api;
  target: string;
  integration: IntegrationSummary;
  onChanged: () => void;
  onVerified?: (result: IntegrationVerification) => void;
}

const useIntegration = (props: IntegrationCardProps) => {
  const {
    api,
    target,
    integration: { agent, folder },
    onChanged,
    onVerified,
  } = props;
  const [shown, setShown] = useState<Shown>({ kind: "nothing" });
  const task = useTask();
  const start = (work: () => Promise<Shown>) => void task.run(async () => setShown(await work()));
  return {
    shown,
    task,
    forget: () => setShown({ kind: "nothing" }),
    plan: (action: IntegrationAction) =>
      start(async () => {
        const report = await api.integrationChange.mutate({ agent, target, action, folder, dryRun: true });
        return report.changes.length === 0
          ? { kind: "done", sentence: "There is nothing to change.", backups: [] }
          : { kind: "plan", action, report, isNew: false };
      }),
    apply: (action: IntegrationAction, seen: IntegrationReport) =>
      start(async () => {
        const now = await api.integrationChange.mutate({ agent, target, action, folder, dryRun: true });
        if (JSON.stringify(now.changes) !== JSON.stringify(seen.changes))
          return { kind: "plan", action, report: now, isNew: true };
        const { backups } = await api.integrationChange.mutate({
          agent,
          target,
          action,
          folder,
          dryRun: false,
        });
        onChanged();
        return { kind: "done", sentence: DONE_LABELS[action], backups };
      }),
    verify: () =>
      start(async () => {
        const result = await api.integrationVerify.mutate({ agent, target });
        onVerified?.(result);
        return { kind: "verified", result };
      }),
  };
};

const IntegrationCard = (props: IntegrationCardProps) => {
  const { name, state, missing, problems, steps } = props.integration;
  const { shown, task, plan, apply, verify, forget } = useIntegration(props);
  const shownName = displayLine(name);
  return (
    <li className={styles.card} aria-label={`${shownName}, ${STATE_LABELS[state]}`}>
      <div className={styles.field}>
        <div className={styles.line}>
          <p className={styles.who}>
            <strong className={styles.name}>{shownName}</strong>
            <span className={styles.state} data-state={state}>
              {STATE_LABELS[state]}
            </span>
          </p>
          {shown.kind !== "plan" && (
            <div className={styles.buttons}>
              {ACTIONS[state].map((action) => (
                <ActionButton key={action} onClick={() => plan(action)}>
                  {ACTION_LABELS[action]}…
                </ActionButton>
              ))}
              {(state === "installed" || state === "partial") && (
                <ActionButton onClick={verify}>Verify</ActionButton>
              )}
              {task.isBusy && <span role="status">Working…</span>}
            </div>
          )}
        </div>
        {missing.length > 0 && <p>Missing: {missing.map(displayLine).join(", ")}.</p>}
        {problems.map((problem) => (
          <p key={problem}>{displaySentence(problem)}</p>
        ))}
        {steps.map(({ what, how }) => (
          <p key={what}>
            Still to do: {displayLine(what)}. {displaySentence(how)}
          </p>
        ))}
        {shown.kind === "plan" && (
          <>
            <p role="status">
              {shown.isNew && "Its settings changed in the meantime, so nothing was done. "}
              {shown.isNew ? "Now this" : "This"} would change{" "}
              {shown.report.changes.length === 1 ? "one file" : `${shown.report.changes.length} files`}:
            </p>
            <DiffView changes={shown.report.changes} />
            <div className={styles.buttons}>
              <ActionButton
                tone={shown.action === "uninstall" ? "stop" : "primary"}
                onClick={() => apply(shown.action, shown.report)}
              >
                {`${ACTION_LABELS[shown.action]} it`}
              </ActionButton>
              <ActionButton onClick={forget}>Cancel</ActionButton>
              {task.isBusy && <span role="status">Working…</span>}
            </div>
          </>
        )}
        {shown.kind === "done" && (
          <p role="status">
            {shown.sentence}
            {shown.backups.length > 0 && ` Backup: ${shown.backups.map(displayLine).join(", ")}`}
          </p>
        )}
        {shown.kind === "verified" && <Verification result={shown.result} />}
        <FailureText failure={task.failure} />
      </div>
    </li>
  );
};

// Agents that are recognised in panes, what is known of each, and the person's files that add to them.

const aboutOf = ({
  verified,
  recorded_versions: versions,
  unverified_versions: others,
  source,
  files,
}: AdapterView): string =>
  [
    verified
      ? versions.length > 0
        ? `Tested with recordings of ${versions.map(displayLine).join(", ")}`
        : "Tested with recordings"
      : "Unverified: no recording of it yet",
    ...(others.length === 0 ? [] : [`version ${others.map(displayLine).join(", ")} is unverified`]),
    ...(source === "built-in" ? [] : [`with ${files.map(displayLine).join(", ")}`]),
  ].join("; ");

export const AgentsPage = ({ api }: { api: Api }) => {
  const { value, failure, reload } = useAsk("adapters", () => api.adapters.query());
  const task = useTask();
  const set = (agent: string, enabled: boolean) =>
    void task.run(async () => {
      await api.adapterSwitch.mutate({ agent, enabled });
      reload();
    });
  if (value === null)
    return failure === null ? <p role="status">Reading…</p> : <FailureText failure={failure} />;
  return (
    <>
      <p className={styles.intro}>A pane of a disabled agent counts as a pane without an agent.</p>
      <FailureText failure={task.failure ?? failure} />
      <Group title="Recognised">
        {value.items.map((adapter) => (
          <Toggle
            key={adapter.agent_type}
            label={displayLine(adapter.display_name)}
            hint={`${aboutOf(adapter)}.`}
            isOn={adapter.enabled}
            onChange={(enabled) => set(adapter.agent_type, enabled)}
          />
        ))}
      </Group>
      {value.problems.length > 0 && (
        <Group title="Files not in use">
          {value.problems.map(({ file, line, path, message }) => (
            <p key={`${file}:${line}:${path}:${message}`} className={styles.failure}>
              {displayLine(`${file}:${line}: ${path === "" ? "" : `${path}: `}${message}`)}
            </p>
          ))}
        </Group>
      )}
    </>
  );
};

const HOST = "host";

export const IntegrationsPage = ({ api, targets }: { api: Api; targets: readonly TargetView[] }) => {
  const [target, setTarget] = useState(HOST);
  const { value, failure, isLoading, reload } = useAsk(target, () => api.integrationList.query({ target }));
  return (
    <>
      <p className={styles.intro}>
        With hooks, status is instant and exact; without, it's read from the screen within two seconds. Only
        agtmux's own entries are added or removed.
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
              key={`${target}/${integration.agent}/${integration.folder}`}
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
