// Adds a machine: one of the hosts that the person's SSH configuration names, or any name that ssh understands. The target's
// health then says whether the host can be reached.
import { useId, useState } from "react";
import type { TargetView } from "../../../core/model/view.ts";
import type { Api } from "../../connection/connectHost.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton } from "../ActionButton.tsx";
import { FailureText, Group } from "./fields.tsx";
import own from "./AddTarget.module.css";
import fields from "./fields.module.css";
import styles from "./settings.module.css";
import { useAsk } from "./useAsk.ts";
import { useTask } from "./useTask.ts";

interface AddTargetProps {
  api: Api;
  taken: readonly TargetView[];
  onTold: (sentence: string) => void;
}

/** A name for references, made of the characters of the host's name that they allow. */
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
      onTold(`${displayLine(name)} was added and is being connected.`);
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
          <button type="submit" className={own.submit} disabled={typed.trim() === "" || task.isBusy}>
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
            ? "All hosts of your SSH configuration are here already. Any name that ssh understands works."
            : "A host of your SSH configuration, or any name that ssh understands. ssh itself takes care of keys."}
        </p>
        {free.length > 0 && (
          <ul className={own.chips} aria-label="Hosts of your SSH configuration">
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
