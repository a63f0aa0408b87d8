// A row of any kind. It is drawn again only when the row or the action on it changed.
import { memo } from "react";
import type { Row } from "../../ui/lists/rows.ts";
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

export const RowView = memo(({ row, ...props }: Omit<RowProps, "onFocus"> & { row: Row }) => {
  const { list } = usePopover();
  const common = { ...props, onFocus: () => list.noteFocus(row.key) };
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
      return <PaneRow {...common} row={row} onToggle={toggle} />;
  }
});
