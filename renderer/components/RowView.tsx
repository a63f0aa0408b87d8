// A row of any kind, as the list draws it.
import type { Row } from "../state/rows.ts";
import { GroupHeader } from "./GroupHeader.tsx";
import { PaneItem, type PaneItemProps } from "./PaneItem.tsx";
import { SessionRow } from "./SessionRow.tsx";
import { TargetRow } from "./TargetRow.tsx";
import { WindowHeading } from "./WindowHeading.tsx";
import styles from "./RowView.module.css";

export const RowView = (props: Omit<PaneItemProps, "row"> & { row: Row }) => {
  const { row, rows } = props;
  const common = {
    isSelected: row.key === rows.selected?.key,
    isTabStop: row.key === rows.tabKey,
    onFocus: () => rows.noteFocus(row.key),
  };
  const toggle = () => rows.toggle(row);
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
      return <PaneItem {...props} row={row} />;
  }
};
