// Machines in the settings. Adding one: a host that the person's SSH configuration names, or any name that ssh understands; the
// target's health then says whether it can be reached. The card of one: its health, what to do about that, and its actions.
import { useId, useState } from "react";
import type { TargetView } from "../../../core/model/view.ts";
import type { Api } from "../../state/connectHost.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton } from "../Buttons.tsx";
import { FailureText, Group } from "../fields.tsx";
import fields from "../fields.module.css";
import styles from "../settings.module.css";
import { useAsk, useTask } from "../../hooks/useAsk.ts";
import { targetWord } from "../../../ui/text/rowText.ts";
import { Age, TimeLeft } from "../Age.tsx";
import { ConfirmDialog } from "../Dialog.tsx";

interface AddTargetProps {
  api: Api;
  taken: readonly TargetView[];
  onTold: (sentence: string) => void;
}

/** A name for references: the host's name without the characters that references do not allow. */
const nameFor = (sshTarget: string): string =>
  sshTarget
    .replace(/^[^@]*@/, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 64);

export const AddTarget = ({ api, taken, onTold }: AddTargetProps) => {
  const { value, failure } = useAsk("aliases", () => api.sshAliases.query());
  const [typed, setTyped] = useState("");
  const task = useTask();
  const listId = useId();
  const hintId = useId();
  const isTaken = (alias: string) => taken.some((target) => target.connection_ref === alias);
  const free = (value?.aliases ?? []).filter((alias) => !isTaken(alias));
  const add = (sshTarget: string) =>
    void task.run(async () => {
      onTold("");
      const name = nameFor(sshTarget);
      await api.targetAdd.mutate({ name, sshTarget });
      setTyped("");
      onTold(`${displayLine(name)} was added; connecting…`);
    });
  return (
    <Group title="Add a machine">
      <form
        className={styles.field}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== "") add(typed.trim());
        }}
      >
        <div className={styles.line}>
          <label className={styles.fieldOf}>
            <span className={styles.label}>SSH host</span>
            <input
              className={fields.input}
              value={typed}
              list={listId}
              placeholder="user@host"
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="off"
              aria-describedby={hintId}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
          <button type="submit" className={styles.submit} disabled={typed.trim() === "" || task.isBusy}>
            {task.isBusy ? "Adding…" : "Add"}
          </button>
        </div>
        <datalist id={listId}>
          {free.map((alias) => (
            <option key={alias} value={alias} />
          ))}
        </datalist>
        <p id={hintId} className={styles.hint}>
          {value !== null && free.length === 0
            ? "All hosts in your SSH config are here already. Any name ssh understands works."
            : "A host from your SSH config, or any name ssh understands. ssh handles the keys."}
        </p>
        {free.length > 0 && (
          <ul className={styles.chips} aria-label="Hosts in your SSH config">
            {free.slice(0, 12).map((alias) => (
              <li key={alias}>
                <ActionButton onClick={() => setTyped(alias)}>{displayLine(alias)}</ActionButton>
              </li>
            ))}
            {free.length > 12 && <li className={styles.hint}>and {free.length - 12} more in the field</li>}
          </ul>
        )}
        {value?.problems.map((problem) => (
          <p key={problem} className={styles.hint}>
            {displaySentence(problem)}
          </p>
        ))}
        <FailureText failure={task.failure ?? failure} />
      </form>
    </Group>
  );
};

// Card of a watched machine.

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
      {target.rtt_ms !== null && `Responds in ${Math.round(target.rtt_ms)} ms. `}
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
      <ActionButton onClick={() => setAsking(true)}>Remove…</ActionButton>
      {task.isBusy && <span role="status">Working…</span>}
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${shown}?`}
          confirmLabel="Remove"
          tone="stop"
          onClose={() => setAsking(false)}
          onConfirm={() =>
            run(`${shown} was removed.`, () => api.targetRemove.mutate({ name, isConfirmed: true }))
          }
        >
          <p>
            agtmux stops watching it and its panes leave the list. Nothing changes on that machine: hooks
            installed there stay until you uninstall them.
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
