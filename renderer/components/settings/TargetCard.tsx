// One machine that is watched: its health, what to do about that, and the actions on it.
import { useState } from "react";
import type { TargetView } from "../../../core/model/view.ts";
import type { Api } from "../../connection/connectHost.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { targetWord } from "../../../ui/text/healthText.ts";
import { ActionButton } from "../ActionButton.tsx";
import { Age, TimeLeft } from "../Age.tsx";
import { ConfirmDialog } from "../ConfirmDialog.tsx";
import { FailureText } from "./fields.tsx";
import styles from "./settings.module.css";
import { useTask } from "./useTask.ts";

interface TargetCardProps {
  api: Api;
  target: TargetView;
  onTold: (sentence: string) => void;
}

const Contact = ({ target }: { target: TargetView }) => {
  const nextAt = target.next_attempt_at === null ? Number.NaN : Date.parse(target.next_attempt_at);
  return (
    <p className={styles.hint}>
      {target.kind === "local" ? "This machine. " : `SSH ${displayLine(target.connection_ref ?? "")}. `}
      {target.rtt_ms !== null && `Answers in ${Math.round(target.rtt_ms)} ms. `}
      {target.kind === "ssh" &&
        (target.last_seen_at === null ? (
          "Never reached. "
        ) : (
          <>
            Last seen <Age since={target.last_seen_at} suffix=" ago" />.{" "}
          </>
        ))}
      {!Number.isNaN(nextAt) && (
        <>
          Next attempt <TimeLeft until={nextAt} />.
        </>
      )}
    </p>
  );
};

const Buttons = ({ api, target, onTold, task }: TargetCardProps & { task: ReturnType<typeof useTask> }) => {
  const [isAsking, setAsking] = useState(false);
  const { target: name, enabled } = target;
  const shown = displayLine(name);
  const run = (done: string, work: () => Promise<unknown>) =>
    void task.run(async () => {
      onTold("");
      await work();
      onTold(done);
    });
  return (
    <div className={styles.buttons}>
      {enabled && (
        <ActionButton onClick={() => run(`${shown} is connected.`, () => api.targetConnect.mutate({ name }))}>
          Connect now
        </ActionButton>
      )}
      <ActionButton
        onClick={() =>
          run(`${shown} is switched ${enabled ? "off" : "on"}.`, () =>
            api.targetChange.mutate({ name, enabled: !enabled }),
          )
        }
      >
        {enabled ? "Switch off" : "Switch on"}
      </ActionButton>
      <ActionButton tone="danger" onClick={() => setAsking(true)}>
        Remove…
      </ActionButton>
      {task.isBusy && <span role="status">Working…</span>}
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${shown}?`}
          confirmLabel="Remove"
          onClose={() => setAsking(false)}
          onConfirm={() =>
            run(`${shown} was removed.`, () => api.targetRemove.mutate({ name, isConfirmed: true }))
          }
        >
          <p>
            It is no longer watched and its panes leave the list. Nothing is changed on that machine: hooks
            that were installed there stay until you uninstall them.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
};

export const TargetCard = (props: TargetCardProps) => {
  const { target } = props;
  const task = useTask();
  const health = target.enabled ? target.health : "off";
  const word = targetWord(target);
  return (
    <li className={styles.card} aria-label={`${displayLine(target.target)}, ${word}`}>
      <div className={styles.field}>
        <p className={styles.line}>
          <strong className={styles.name}>{displayLine(target.target)}</strong>
          <span className={styles.state} data-state={health}>
            {word}
          </span>
        </p>
        {target.health_reason !== null && <p>{displaySentence(target.health_reason)}</p>}
        {target.remedy !== null && <p>{displaySentence(target.remedy)}</p>}
        <Contact target={target} />
        {target.kind === "ssh" && <Buttons {...props} task={task} />}
        <FailureText failure={task.failure} />
      </div>
    </li>
  );
};
