// One pane: the work, who does it where, for how long, and the result of the last action on it. One that waits for a person is a
// card with what it asks and the buttons that answer it. Both are drawn by the same elements, so that a reply that is being written
// stays when one becomes the other.
import { useEffect, useEffectEvent, useRef, type ReactNode } from "react";
import { isSettled, outcomeText, type ActionStatus } from "../../ui/actions/actionStatus.ts";
import { useTick, Age } from "./Age.tsx";
import type { PaneView } from "../../core/model/view.ts";
import { actionOf } from "../../ui/actions/paneActions.ts";
import type { Row } from "../../ui/lists/rows.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import {
  agentName,
  isUnread,
  paneLabel,
  paneName,
  panePlace,
  cardBadge,
  rowParts,
  rowSince,
  rowTitle,
  type RowPart,
} from "../../ui/text/rowText.ts";
import type { RowProps } from "../hooks/useListScroll.ts";
import { isReplyShown } from "../state/listStore.ts";
import { useActionContext, usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { CardBody } from "./CardBody.tsx";
import { PaneDetail } from "./PaneDetail.tsx";
import { QuickReply } from "./QuickReply.tsx";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./PaneRow.module.css";

// Result of the last action on a pane: a success disappears after a while, everything else stays until it was seen.

/** Long enough to read a sentence. */
const SUCCESS_MS = 8_000;

/** The time does not run while the popover is hidden. */
const LeaveLater = ({ onLeave }: { onLeave: () => void }) => {
  const now = useTick();
  const firstRef = useRef(now);
  useEffect(() => {
    if (now - firstRef.current >= SUCCESS_MS) onLeave();
  }, [now, onLeave]);
  return null;
};

const StatusLine = ({ status, onClose }: { status: ActionStatus; onClose: () => void }) => {
  const { head, detail } = outcomeText(status);
  const isBad = status.kind === "refused" || status.kind === "lost";
  const tone = status.kind === "done" ? status.outcome : status.kind;
  const ref = useRef<HTMLDivElement>(null);
  // Shown at once, unless that would move something below the pointer, or what went well would move the selected card away.
  const isShown = useEffectEvent((line: Element) => isBad || line.closest("[data-selected=true]") !== null);
  useEffect(() => {
    const line = ref.current;
    if (line?.closest("main")?.matches(":hover") === false && isShown(line))
      line.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={ref} className={styles.line} data-tone={tone}>
      <p role={isBad ? "alert" : "status"}>
        {head !== "" && <strong>{head}</strong>} {detail}
      </p>
      <button type="button" className={styles.close} aria-label="Dismiss this message" onClick={onClose}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4.5 4.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="1.6" />
        </svg>
      </button>
      {isSettled(status) && <LeaveLater onLeave={onClose} />}
    </div>
  );
};

interface PaneRowProps extends RowProps {
  row: Extract<Row, { kind: "pane" }>;
  /** Panes are on more than one machine. */
  hasMachines: boolean;
  /** Rows with their detail beside them show none below. */
  isWide: boolean;
  onToggle: () => void;
}

const ATTACH = actionOf("attach");

/** Without what the surroundings or the title's line say already. */
const partsOf = ({ pane, place }: PaneRowProps["row"], hasMachines: boolean): RowPart[] =>
  rowParts(pane, {
    hasMachines: hasMachines && (place === "inbox" || place === "alone"),
    hasSession: place === "alone",
  }).filter(
    ({ kind, text }) =>
      kind !== "armed" &&
      !(
        kind === "place" &&
        (place === "session" || place === "window") &&
        text === pane.identity.session_name
      ),
  );

/** The second line. An action that runs is said here, because nothing may move below the pointer. */
const Meta = ({ parts, underWay }: { parts: readonly RowPart[]; underWay: string | null }) => {
  if (underWay !== null) return <span className={styles.meta}>{underWay}</span>;
  return (
    <span className={styles.meta} title={parts.map(({ text }) => text).join(" · ")}>
      {parts.map(({ kind, text }) => (
        <bdi key={kind} data-part={kind}>
          {text}
        </bdi>
      ))}
    </span>
  );
};

/** The mark of a card says why it is there; a row's icon says its state. */
const Mark = ({ pane }: { pane: PaneView }) => {
  const badge = cardBadge(pane);
  return badge === null ? (
    <StateIcon state={pane.state} />
  ) : (
    <span className={styles.badge} data-badge="" data-tone={badge.tone}>
      <StateIcon state={pane.state} />
      {badge.text}
    </span>
  );
};

const AttachButton = ({ pane, isTabStop }: { pane: PaneView; isTabStop: boolean }) => {
  const { surface } = usePopover();
  return (
    <button
      type="button"
      className={styles.attach}
      tabIndex={isTabStop ? 0 : -1}
      aria-label={`Attach to ${paneName(pane)}`}
      title="Attach (Enter)"
      onClick={() => ATTACH.run(pane, surface)}
    >
      Attach
    </button>
  );
};

/** The work first, where it is known, then the place and the state. */
const labelOf = (pane: PaneView, { text, source }: ReturnType<typeof rowTitle>): string => {
  const isName = source === "window" || text === paneName(pane);
  const label = isName ? paneLabel(pane) : `${text}, ${paneLabel(pane)}`;
  return isUnread(pane) ? `${label}, unread` : label;
};

/** A card's head and a row are the same button: it takes the focus, and opens the detail. */
const Head = (props: PaneRowProps & { isOpen: boolean; underWay: string | null; hasDraft: boolean }) => {
  const { row, isOpen, isTabStop, hasMachines } = props;
  const { pane } = row;
  const { list } = usePopover();
  const title = rowTitle(pane);
  const since = rowSince(pane);
  return (
    <button
      type="button"
      className={styles.main}
      data-row="pane"
      data-ref={pane.identity.pane_ref}
      aria-expanded={isOpen}
      aria-label={labelOf(pane, title)}
      title={panePlace(pane)}
      tabIndex={isTabStop ? 0 : -1}
      onClick={({ target }) => {
        const isChip = target instanceof Element && target.closest("[data-armed]") !== null;
        if (isChip) list.showArmed(pane.identity.runtime_id);
        else props.onToggle();
      }}
      onFocus={props.onFocus}
    >
      <span className={styles.mark}>
        <Mark pane={pane} />
      </span>
      <span className={styles.title} data-source={title.source}>
        <bdi>{title.text}</bdi>
        {isUnread(pane) && <span className={styles.unread}>NEW</span>}
        {pane.armed !== null && (
          <span className={styles.armed} data-armed>
            {displayLine(pane.armed)}
          </span>
        )}
        {props.hasDraft && <span className={styles.draft}>draft</span>}
      </span>
      <span className={styles.age}>{since !== null && <Age since={since} />}</span>
      <Meta parts={partsOf(row, hasMachines)} underWay={props.underWay} />
    </button>
  );
};

const outcomeOf = (status: ActionStatus | undefined, onClose: () => void): ReactNode =>
  status === undefined || status.kind === "sending" ? null : <StatusLine status={status} onClose={onClose} />;

export const PaneRow = (props: PaneRowProps) => {
  const { row, isSelected, isWide } = props;
  const { pane, key, place } = row;
  const { list, statuses, drafts } = usePopover();
  const context = useActionContext(pane);
  const isOpen = useStore(list, ({ openKey }) => openKey === key);
  const hasReply = useStore(list, (state) => isReplyShown(state, key)) && !isWide;
  const status = useStore(statuses, (all) => all.get(key));
  /** There is an unsent draft to this agent. */
  const hasDraft = useStore(drafts, (all) => all.has(key));
  const isBusy = status?.kind === "sending";
  const underWay = isBusy ? outcomeText(status).detail : null;
  const isCard = pane.needs_action;
  return (
    <div
      className={styles.pane}
      data-card={isCard}
      data-selected={isSelected}
      data-place={place}
      {...(isCard ? { role: "group", "aria-label": `${agentName(pane)} in ${paneName(pane)}` } : {})}
    >
      <div className={styles.row}>
        <Head {...props} isOpen={isOpen} underWay={underWay} hasDraft={hasDraft} />
        {underWay !== null && (
          <span className={styles.spoken} role="status">
            <span>{underWay}</span>
          </span>
        )}
        {!isCard && ATTACH.disabledReason(pane, context) === null && (
          <AttachButton pane={pane} isTabStop={props.isTabStop} />
        )}
      </div>
      {isCard && <CardBody pane={pane} context={context} isBusy={isBusy} />}
      {isOpen && !isWide && <PaneDetail pane={pane} context={context} isBusy={isBusy} isPreview={false} />}
      {hasReply && (
        <div className={styles.reply}>
          <QuickReply pane={pane} isSending={isBusy} context={context} />
        </div>
      )}
      {outcomeOf(status, () => statuses.clear(key))}
    </div>
  );
};
