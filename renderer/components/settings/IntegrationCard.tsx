// One agent's integration: its state, and what can be done about it. A change is planned first, shown, and made only after
// a second press.
import { useState } from "react";
import type { IntegrationAction } from "../../../core/api/calls.ts";
import type {
  IntegrationReport,
  IntegrationSummary,
  IntegrationVerification,
} from "../../../core/api/service.ts";
import type { Api } from "../../connection/connectHost.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton } from "../ActionButton.tsx";
import { DiffView } from "./DiffView.tsx";
import { FailureText } from "./fields.tsx";
import styles from "./settings.module.css";
import { useTask } from "./useTask.ts";
import { Verification } from "./Verification.tsx";

const STATE_LABELS: Readonly<Record<IntegrationSummary["state"], string>> = {
  installed: "installed",
  partial: "needs repair",
  absent: "not installed",
  unclear: "cannot be read",
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
    integration: { agent },
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
        const report = await api.integrationChange.mutate({ agent, target, action, dryRun: true });
        return report.changes.length === 0
          ? { kind: "done", sentence: "There is nothing to change.", backups: [] }
          : { kind: "plan", action, report, isNew: false };
      }),
    apply: (action: IntegrationAction, seen: IntegrationReport) =>
      start(async () => {
        const now = await api.integrationChange.mutate({ agent, target, action, dryRun: true });
        if (JSON.stringify(now.changes) !== JSON.stringify(seen.changes))
          return { kind: "plan", action, report: now, isNew: true };
        const { backups } = await api.integrationChange.mutate({ agent, target, action, dryRun: false });
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

export const IntegrationCard = (props: IntegrationCardProps) => {
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
                <ActionButton
                  key={action}
                  tone={action === "uninstall" ? "danger" : "plain"}
                  onClick={() => plan(action)}
                >
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
            Left to do: {displayLine(what)}. {displaySentence(how)}
          </p>
        ))}
        {shown.kind === "plan" && (
          <>
            <p role="status">
              {shown.isNew && "Its settings changed meanwhile, so nothing was done. "}
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
            {shown.backups.length > 0 && ` The file as it was: ${shown.backups.map(displayLine).join(", ")}`}
          </p>
        )}
        {shown.kind === "verified" && <Verification result={shown.result} />}
        <FailureText failure={task.failure} />
      </div>
    </li>
  );
};
