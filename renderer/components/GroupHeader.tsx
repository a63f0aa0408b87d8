// The head of a group: its place, its target's health, and how many panes are in which state.
import { displayLine } from "../../ui/text/displayText.ts";
import { HEALTH_WORDS } from "../../ui/text/healthText.ts";
import { placeName } from "../../ui/text/paneText.ts";
import { countRows, type Group } from "../../ui/lists/groups.ts";
import { rollUpText } from "./RollUp.tsx";
import { rowAttributes, type RowProps } from "./rowProps.ts";
import styles from "./GroupHeader.module.css";

interface GroupHeaderProps extends RowProps {
  group: Group;
  /** Panes are on more than one machine. */
  hasMachines: boolean;
  isOpen: boolean;
  onToggle: () => void;
}

export const GroupHeader = ({ group, hasMachines, isOpen, onToggle, ...row }: GroupHeaderProps) => {
  const target = placeName(group);
  const session = displayLine(group.session);
  const health = HEALTH_WORDS[group.health];
  // Those that need the person are not listed here, and so not counted.
  const rollUp = rollUpText(countRows(group.panes));
  const name = hasMachines ? `${session} on ${target}` : session;
  const label = [name, health, rollUp].filter(Boolean).join(", ");
  return (
    <button
      type="button"
      className={styles.header}
      {...rowAttributes("group", row)}
      aria-expanded={isOpen}
      aria-label={label}
      onClick={onToggle}
    >
      <svg className={styles.chevron} viewBox="0 0 16 16" aria-hidden="true">
        <path d="m6 4 4 4-4 4" fill="none" stroke="currentColor" strokeWidth="1.8" />
      </svg>
      <span className={styles.session} title={session}>
        <bdi>{session}</bdi>
      </span>
      {hasMachines && (
        <span className={styles.target} title={target}>
          {target}
        </span>
      )}
      {health !== "" && (
        <span
          className={styles.health}
          data-health={group.health}
          title={displayLine(group.problem ?? health)}
        >
          {health}
        </span>
      )}
      <span className={styles.rollUp}>{rollUp.replaceAll(", ", " · ")}</span>
    </button>
  );
};
