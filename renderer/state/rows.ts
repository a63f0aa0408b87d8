// The overview as one flat list of rows, so that a thousand panes can be drawn by the window; and moving through it with
// the keyboard.
import type { PaneView } from "../../core/model/view.ts";
import type { Group, Overview } from "./groups.ts";

export type Row =
  | { kind: "heading"; key: string; text: string; count: number }
  | { kind: "group"; key: string; group: Group; isOpen: boolean }
  | { kind: "pane"; key: string; pane: PaneView; isInInbox: boolean }
  | { kind: "note"; key: string; text: string };

const paneRow = (pane: PaneView, isInInbox: boolean): Row => ({
  kind: "pane",
  key: pane.identity.pane_ref,
  pane,
  isInInbox,
});

const groupRows = (group: Group, isOpen: boolean): Row[] => {
  const header: Row = { kind: "group", key: group.key, group, isOpen };
  if (!isOpen) return [header];
  if (group.panes.length > 0) return [header, ...group.panes.map((pane) => paneRow(pane, false))];
  return [header, { kind: "note", key: `${group.key}/note`, text: "Listed above, under “Needs you”" }];
};

/** `collapsed` holds keys of groups. */
export const listRows = (overview: Overview, collapsed: ReadonlySet<string>): Row[] => {
  const inbox: Row[] =
    overview.inbox.length === 0
      ? []
      : [
          { kind: "heading", key: "inbox", text: "Needs you", count: overview.inbox.length },
          ...overview.inbox.map((pane) => paneRow(pane, true)),
        ];
  return [...inbox, ...overview.groups.flatMap((group) => groupRows(group, !collapsed.has(group.key)))];
};

const canSelect = (row: Row): boolean => row.kind === "pane" || row.kind === "group";

/**
 * The key that is selected `step` selectable rows after `key`; stays at the ends. With nothing selected, the first row (or
 * the last, going up). Null when there is nothing to select.
 */
export const moveSelection = (rows: readonly Row[], key: string | null, step: 1 | -1): string | null => {
  const keys = rows.filter(canSelect).map((row) => row.key);
  const index = key === null ? -1 : keys.indexOf(key);
  if (index === -1) return (step === 1 ? keys[0] : keys.at(-1)) ?? null;
  return keys[Math.min(Math.max(index + step, 0), keys.length - 1)] ?? null;
};
