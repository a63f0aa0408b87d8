// One pane: what runs where, its state in words and for how long, what it asks, and the result of the last action on it.
// Expanding it shows the detail.
import { outcomeText } from "../../ui/actions/actionStatus.ts";
import { actionOf } from "../../ui/actions/paneActions.ts";
import type { Row } from "../../ui/lists/rows.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { agentName, paneLabel, paneName, panePlace, paneState, requestLine } from "../../ui/text/paneText.ts";
import { useActionContext, usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { Age } from "./Age.tsx";
import { PaneDetail } from "./PaneDetail.tsx";
import type { RowProps } from "./rowProps.ts";
import { StateIcon } from "./StateIcon.tsx";
import { StatusLine } from "./StatusLine.tsx";
import styles from "./PaneRow.module.css";

interface PaneRowProps extends RowProps {
  row: Extract<Row, { kind: "pane" }>;
  onToggle: () => void;
}

const ATTACH = actionOf("attach");

export const PaneRow = ({ row, isSelected, isTabStop, onFocus, onToggle }: PaneRowProps) => {
  const { pane, key, place } = row;
  const { list, statuses, drafts, surface } = usePopover();
  const context = useActionContext(pane);
  const isOpen = useStore(list, ({ openKey }) => openKey === key);
  const status = useStore(statuses, (all) => all.get(key));
  /** There is an unsent draft to this agent. */
  const hasDraft = useStore(drafts, (all) => all.has(key));
  const isSending = status?.kind === "sending";
  /** The action that is running, in words. While one runs, nothing may move below the pointer. */
  const underWay = isSending ? outcomeText(status).detail : null;
  const outcome =
    status === undefined || isSending ? null : (
      <StatusLine status={status} onClose={() => statuses.clear(key)} />
    );
  const asked = requestLine(pane);
  const title = displayLine(pane.title);
  const name = place === "window" ? `pane ${pane.pane_index}` : paneName(pane);
  return (
    <div className={styles.pane} data-selected={isSelected} data-inbox={place === "inbox"}>
      <div className={styles.row} data-asks={asked !== ""}>
        <button
          type="button"
          className={styles.main}
          data-row="pane"
          data-ref={pane.identity.pane_ref}
          aria-expanded={isOpen}
          aria-label={paneLabel(pane)}
          title={panePlace(pane)}
          tabIndex={isTabStop ? 0 : -1}
          onClick={onToggle}
          onFocus={onFocus}
        >
          <span className={styles.icon}>
            <StateIcon state={pane.state} />
          </span>
          <span className={styles.lines}>
            <span className={styles.line}>
              {place === "inbox" && (
                <span className={styles.session}>
                  <bdi>{displayLine(pane.identity.session_name)}</bdi>
                </span>
              )}
              <span className={styles.name}>
                <bdi>{name}</bdi>
              </span>
              {title !== "" && (
                <span className={styles.quiet}>
                  <bdi>{title}</bdi>
                </span>
              )}
            </span>
            <span className={styles.line}>
              <span className={styles.agent}>{agentName(pane)}</span>
              <span className={styles.state} data-state={pane.state ?? "unknown"}>
                {underWay ?? paneState(pane)}
              </span>
              {hasDraft && <span className={styles.draft}>draft</span>}
              {underWay === null && pane.progress !== null && (
                <span className={styles.progress} title={displayLine(pane.progress)}>
                  <bdi>{displayLine(pane.progress)}</bdi>
                </span>
              )}
            </span>
            {asked !== "" && (
              <span className={styles.asked} data-asked="" title={asked}>
                <bdi>{asked}</bdi>
              </span>
            )}
          </span>
        </button>
        {underWay !== null && (
          <span className={styles.spoken} role="status">
            <span>{underWay}</span>
          </span>
        )}
        <span className={styles.side}>
          {pane.since !== null && (
            <span className={styles.age}>
              <Age since={pane.since} />
            </span>
          )}
          {ATTACH.disabledReason(pane, context) === null && (
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
          )}
        </span>
      </div>
      {isOpen ? <PaneDetail pane={pane} context={context} isBusy={isSending} outcome={outcome} /> : outcome}
    </div>
  );
};
