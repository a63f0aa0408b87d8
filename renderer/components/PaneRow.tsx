// One pane: what runs where, its state in words and for how long, and what it asks. Expanding it shows the detail.
import type { ReactNode } from "react";
import type { PaneView } from "../../core/model/view.ts";
import type { RowPlace } from "../../ui/lists/rows.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { agentName, paneLabel, paneName, panePlace, paneState, requestLine } from "../../ui/text/paneText.ts";
import { Age } from "./Age.tsx";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./PaneRow.module.css";

interface PaneRowProps {
  pane: PaneView;
  place: RowPlace;
  isSelected: boolean;
  /** The one row that the tab key reaches. */
  isTabStop: boolean;
  isOpen: boolean;
  /** A text to this agent was begun and not sent. */
  hasDraft: boolean;
  /** What is done to it right now, in words; null most of the time. */
  underWay: string | null;
  canAttach: boolean;
  onToggle: () => void;
  onFocus: () => void;
  onAttach: () => void;
  children: ReactNode;
}

export const PaneRow = (props: PaneRowProps) => {
  const { pane, place, isSelected, isTabStop, isOpen, underWay } = props;
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
          onClick={props.onToggle}
          onFocus={props.onFocus}
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
              {props.hasDraft && <span className={styles.draft}>draft</span>}
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
          {props.canAttach && (
            <button
              type="button"
              className={styles.attach}
              tabIndex={isTabStop ? 0 : -1}
              aria-label={`Attach to ${paneName(pane)}`}
              title="Attach (Enter)"
              onClick={props.onAttach}
            >
              Attach
            </button>
          )}
        </span>
      </div>
      {props.children}
    </div>
  );
};
