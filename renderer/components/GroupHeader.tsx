// The head of a group: where it is, how its target is, and how many panes are in which state.
import { CANONICAL_STATES } from "../../core/model/state.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import type { Group } from "../state/groups.ts";
import { displayLine } from "../text/displayText.ts";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./GroupHeader.module.css";

interface GroupHeaderProps {
  group: Group;
  isOpen: boolean;
  isSelected: boolean;
  /** The one row that the tab key reaches. */
  isTabStop: boolean;
  onToggle: () => void;
  onFocus: () => void;
}

const HEALTH_WORDS = { ok: "", degraded: "slow or failing", down: "unreachable" } as const;

export const GroupHeader = ({
  group,
  isOpen,
  isSelected,
  isTabStop,
  onToggle,
  onFocus,
}: GroupHeaderProps) => {
  const target = group.server === "default" ? group.target : `${group.target}:${group.server}`;
  const session = displayLine(group.session);
  const health = HEALTH_WORDS[group.health];
  const present = CANONICAL_STATES.filter((state) => group.counts[state] > 0);
  const rollUp = present.map((state) => `${group.counts[state]} ${STATE_WORDS[state]}`).join(", ");
  const label = [`${session} on ${target}`, health, rollUp].filter(Boolean).join(", ");
  return (
    <button
      type="button"
      className={styles.header}
      data-row="group"
      aria-expanded={isOpen}
      aria-label={label}
      data-selected={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      onClick={onToggle}
      onFocus={onFocus}
    >
      <svg className={styles.chevron} viewBox="0 0 16 16" aria-hidden="true">
        <path d="m6 4 4 4-4 4" fill="none" stroke="currentColor" strokeWidth="1.8" />
      </svg>
      <span className={styles.target} title={target}>
        {target}
      </span>
      <span className={styles.session} title={session}>
        <bdi>{session}</bdi>
      </span>
      {health !== "" && (
        <span
          className={styles.health}
          data-health={group.health}
          title={displayLine(group.problem ?? health)}
        >
          {health}
        </span>
      )}
      <span className={styles.rollUp} title={rollUp}>
        {present.map((state) => (
          <span key={state} className={styles.count}>
            <StateIcon state={state} />
            {group.counts[state]}
          </span>
        ))}
      </span>
    </button>
  );
};
