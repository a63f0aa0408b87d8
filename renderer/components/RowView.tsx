// A row of any kind, as the list draws it: again only when it or what is under way on it changed.
import { memo } from "react";
import type { Row } from "../../ui/lists/rows.ts";
import { usePopover } from "../state/popover.ts";
import { GroupHeader } from "./GroupHeader.tsx";
import { PaneItem } from "./PaneItem.tsx";
import { SessionRow } from "./SessionRow.tsx";
import { TargetRow } from "./TargetRow.tsx";
import { WindowHeading } from "./WindowHeading.tsx";
import styles from "./RowView.module.css";

interface RowViewProps {
  row: Row;
  isSelected: boolean;
  /** The one row that the tab key reaches. */
  isTabStop: boolean;
}

export const RowView = memo(({ row, isSelected, isTabStop }: RowViewProps) => {
  const { list } = usePopover();
  const common = { isSelected, isTabStop, onFocus: () => list.noteFocus(row.key) };
  const toggle = () => list.toggle(row);
  switch (row.kind) {
    case "heading":
      return (
        <h2 className={styles.heading}>
          {row.text} <span className={styles.count}>{row.count}</span>
        </h2>
      );
    case "note":
      return <p className={styles.note}>{row.text}</p>;
    case "window":
      return <WindowHeading window={row.window} />;
    case "group":
      return <GroupHeader {...common} group={row.group} isOpen={row.isOpen} onToggle={toggle} />;
    case "session":
      return <SessionRow {...common} session={row.session} onOpen={toggle} />;
    case "target":
      return <TargetRow {...common} target={row.target} />;
    case "pane":
      return <PaneItem {...common} row={row} onToggle={toggle} />;
  }
});
