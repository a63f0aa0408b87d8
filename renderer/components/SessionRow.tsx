// One session, or all sessions of one name: its place, and how many agents are in which state. Opening it shows its windows.
import type { SessionSummary } from "../../ui/lists/sessions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { sessionPlaces, sessionSize } from "../../ui/text/placeText.ts";
import { RollUp, rollUpText } from "./RollUp.tsx";
import { rowAttributes, type RowProps } from "./rowProps.ts";
import styles from "./SessionRow.module.css";

interface SessionRowProps extends RowProps {
  session: SessionSummary;
  onOpen: () => void;
}

export const SessionRow = ({ session, onOpen, ...row }: SessionRowProps) => {
  const name = displayLine(session.name);
  const places = sessionPlaces(session);
  const size = sessionSize(session);
  return (
    <button
      type="button"
      className={styles.session}
      {...rowAttributes("session", row)}
      aria-label={`${name} on ${places}, ${size}, ${rollUpText(session.counts)}`}
      onClick={onOpen}
    >
      <span className={styles.line}>
        <span className={styles.name} title={name}>
          <bdi>{name}</bdi>
        </span>
        <RollUp counts={session.counts} />
        <svg className={styles.chevron} viewBox="0 0 16 16" aria-hidden="true">
          <path d="m6 4 4 4-4 4" fill="none" stroke="currentColor" strokeWidth="1.8" />
        </svg>
      </span>
      <span className={styles.line}>
        <span className={styles.places} title={places}>
          {places}
        </span>
        <span className={styles.size}>{size}</span>
      </span>
    </button>
  );
};
