// A row of any kind. It is drawn again only when the row or the action on it changed.
import { memo } from "react";
import type { HeldRow } from "../state/heldCards.ts";
import type { WindowSummary } from "../../ui/lists/sessions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { usePopover } from "../state/popover.ts";
import { GroupHeader } from "./GroupHeader.tsx";
import { PaneRow } from "./PaneRow.tsx";
import { RollUp } from "./RollUp.tsx";
import type { RowProps } from "./rowProps.ts";
import { SessionRow } from "./SessionRow.tsx";
import { TargetRow } from "./TargetRow.tsx";
import styles from "./RowView.module.css";

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
  /** There is room for the detail beside the list. */
  isWide: boolean;
}

export const RowView = memo(({ row, hasMachines, isWide, ...props }: RowViewProps) => {
  const { list } = usePopover();
  if (row.kind === "gone") return <div className={styles.gone}>Needs you no longer</div>;
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
