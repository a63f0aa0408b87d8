// A row of any kind: heads of groups, sessions, windows and targets are drawn here, panes by PaneRow.tsx. It is drawn again only
// when the row or the action on it changed.
import { CANONICAL_STATES } from "../../core/model/state.ts";
import { awakeText, newerReleaseText, stateCount } from "../../core/model/words.ts";
import { type StateCounts, countRows, type Group } from "../../ui/lists/groups.ts";
import { StateIcon } from "./StateIcon.tsx";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { HEALTH_WORDS, placeName, targetWord } from "../../ui/text/rowText.ts";
import { rowAttributes, type RowProps } from "../hooks/useListScroll.ts";
import { PaneRow } from "./PaneRow.tsx";
import {
  type SessionSummary,
  sessionPlaces,
  sessionSize,
  machineKind,
  serverText,
  type WindowSummary,
} from "../../ui/lists/sessions.ts";
import type { TargetView } from "../../core/model/view.ts";
import { limitLine } from "../../ui/text/limitText.ts";
import { Age, TimeLeft, TimeText } from "./Age.tsx";
import { memo } from "react";
import type { HeldRow } from "../hooks/useRows.ts";
import { usePopover } from "../state/popover.ts";
import styles from "./RowView.module.css";

// Totals: how many panes are in which state, as shapes with numbers.

const presentIn = (counts: StateCounts) => CANONICAL_STATES.filter((state) => counts[state] > 0);

/** `1 needs approval, 2 running`. */
const rollUpText = (counts: StateCounts): string =>
  presentIn(counts)
    .map((state) => stateCount(state, counts[state]))
    .join(", ");

const RollUp = ({ counts }: { counts: StateCounts }) => (
  <span className={styles.rollUpRollUp} title={rollUpText(counts)}>
    {presentIn(counts).map((state) => (
      <span key={state} className={styles.rollUpCount}>
        <StateIcon state={state} />
        {counts[state]}
      </span>
    ))}
  </span>
);

interface GroupHeaderProps extends RowProps {
  group: Group;
  hasMachines: boolean;
  isOpen: boolean;
  onToggle: () => void;
}

/** The head of a group: its place, its target's health, and how many panes are in which state. */
const GroupHeader = ({ group, hasMachines, isOpen, onToggle, ...row }: GroupHeaderProps) => {
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

interface SessionRowProps extends RowProps {
  session: SessionSummary;
  onOpen: () => void;
}

/** One session, or all sessions of one name: its place, and how many agents are in which state. Opening it shows its windows. */
const SessionRow = ({ session, onOpen, ...row }: SessionRowProps) => {
  const name = displayLine(session.name);
  const places = sessionPlaces(session);
  const size = sessionSize(session);
  return (
    <button
      type="button"
      className={styles.sessionRowSession}
      {...rowAttributes("session", row)}
      aria-label={`${name} on ${places}, ${size}, ${rollUpText(session.counts)}`}
      onClick={onOpen}
    >
      <span className={styles.line}>
        <span className={styles.name} title={name}>
          <bdi>{name}</bdi>
        </span>
        <RollUp counts={session.counts} />
        <svg className={styles.sessionRowChevron} viewBox="0 0 16 16" aria-hidden="true">
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

/** One target: its health and the reason, when it was last heard of, and what to do. */
const TargetRow = ({ target, ...row }: RowProps & { target: TargetView }) => {
  const word = targetWord(target);
  const health = target.enabled ? target.health : "off";
  const nextAt = target.next_attempt_at === null ? Number.NaN : Date.parse(target.next_attempt_at);
  return (
    <div
      className={styles.targetRowTarget}
      role="group"
      {...rowAttributes("target", row)}
      aria-label={`${displayLine(target.target)}, ${word}`}
    >
      <p className={styles.head}>
        <span className={styles.targetRowName}>{displayLine(target.target)}</span>
        <span className={styles.kind}>{machineKind(target)}</span>
        <span className={styles.targetRowHealth} data-health={health}>
          {word}
        </span>
      </p>
      {target.health_reason !== null && <p>{displayLine(target.health_reason)}</p>}
      {target.remedy !== null && <p>{displaySentence(target.remedy)}</p>}
      {target.awake !== null && <p>{displaySentence(awakeText(target.awake))}</p>}
      {target.newer_release !== null && <p>{displaySentence(newerReleaseText(target.newer_release))}</p>}
      <p className={styles.quiet}>
        {target.last_seen_at === null ? (
          target.kind === "local" ? null : (
            "Never reached."
          )
        ) : (
          <>
            Last seen <Age since={target.last_seen_at} suffix=" ago" />.
          </>
        )}
        {target.rtt_ms !== null && ` Responds in ${Math.round(target.rtt_ms)} ms.`}
        {!Number.isNaN(nextAt) && (
          <>
            {" "}
            Next attempt <TimeLeft until={nextAt} />.
          </>
        )}
      </p>
      {target.limits.map((limits) => (
        <p key={`${limits.agent} ${limits.account ?? ""}`} className={styles.quiet}>
          <TimeText textAt={(now) => limitLine(limits, now)} />
        </p>
      ))}
      <ul className={styles.servers} aria-label="tmux servers">
        {target.servers.map((server) => (
          <li key={server.tmux_server} data-status={server.status}>
            {serverText(server)}
          </li>
        ))}
      </ul>
    </div>
  );
};

/** A window of a session, above its panes. */
const WindowHeading = ({ window }: { window: WindowSummary }) => {
  const name = displayLine(window.name);
  return (
    <div className={styles.window}>
      <h3 className={styles.windowName} title={name}>
        {window.place !== null && <span className={styles.place}>{displayLine(window.place)} </span>}
        {window.index} <bdi>{name}</bdi>
      </h3>
      <RollUp counts={window.counts} />
    </div>
  );
};

interface RowViewProps extends Omit<RowProps, "onFocus"> {
  row: HeldRow;
  /** Panes are on more than one machine. */
  hasMachines: boolean;
  /** The detail fits beside the list. */
  isWide: boolean;
}

export const RowView = memo(({ row, hasMachines, isWide, ...props }: RowViewProps) => {
  const { list } = usePopover();
  if (row.kind === "gone") return <div className={styles.gone}>No longer needs you</div>;
  const common = { ...props, onFocus: () => list.noteFocus(row.key) };
  const toggle = () => list.toggle(row);
  switch (row.kind) {
    case "heading":
      return (
        <h2 className={styles.heading}>
          <b>{row.text}</b> <span className={styles.count}>longest wait first</span>
        </h2>
      );
    case "window":
      return <WindowHeading window={row.window} />;
    case "group":
      return (
        <GroupHeader
          {...common}
          hasMachines={hasMachines}
          group={row.group}
          isOpen={row.isOpen}
          onToggle={toggle}
        />
      );
    case "session":
      return <SessionRow {...common} session={row.session} onOpen={toggle} />;
    case "target":
      return <TargetRow {...common} target={row.target} />;
    case "pane":
      return <PaneRow {...common} hasMachines={hasMachines} isWide={isWide} row={row} onToggle={toggle} />;
  }
});
