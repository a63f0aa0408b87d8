// `list windows` for people: one block per target-session; with --with-agent-status the full counts by state.
import type { WindowList, WindowView } from "../../core/model/view.ts";
import { cleanLine } from "./clean.ts";
import { renderFoot } from "./foot.ts";
import { describeCounts, stateCell } from "./mark.ts";
import { describeTarget, type RenderOptions } from "./paneTable.ts";
import { type Cell, type Column, layOut, renderHeader, renderRow } from "./table.ts";

const INDENT = 2;
const BASE: readonly Column[] = [
  { title: "TOP STATE", min: 16, least: 4 },
  { title: "WINDOW", min: 8 },
  { title: "ID", min: null },
  { title: "PANES", min: 6, least: 3, align: "right" },
  { title: "AGENTS", min: 6, least: 3, align: "right" },
  { title: "WAITING", min: 6, least: 3, align: "right" },
  { title: "RUNNING", min: 6, least: 3, align: "right" },
];

const toRow = (window: WindowView, withStatus: boolean, { paint, width }: RenderOptions): Cell[] => [
  stateCell(window.top_state, paint),
  { text: `${window.window_index}:${cleanLine(window.window_name)}` },
  { text: window.identity.window_id },
  { text: String(window.pane_count) },
  { text: String(window.agent_count) },
  { text: String(window.waiting_count) },
  { text: String(window.running_count) },
  ...(withStatus
    ? [{ text: describeCounts(window.by_state, (_colour, text) => text, width === null ? null : 0) }]
    : []),
];

export const renderWindows = (list: WindowList, withStatus: boolean, options: RenderOptions): string[] => {
  const { paint, width, measure } = options;
  const foot = renderFoot(list, "window", options);
  if (list.items.length === 0) return ["No windows with agents here.", ...foot];
  const columns = withStatus ? [...BASE, { title: "AGENT STATES", min: 10 }] : BASE;
  const rows = new Map(list.items.map((window) => [window, toRow(window, withStatus, options)]));
  const layout = layOut(columns, [...rows.values()], { width, indent: INDENT, measure });
  const groups = Map.groupBy(
    list.items,
    ({ identity }) =>
      `${describeTarget(identity.target, identity.tmux_server)}/${cleanLine(identity.session_name)}`,
  );
  const lines = [paint("dim", renderHeader(columns, layout, INDENT))];
  for (const [name, windows] of groups) {
    lines.push(paint("bold", name));
    for (const window of windows) lines.push(...renderRow(columns, rows.get(window) ?? [], layout, INDENT));
  }
  return [...lines, "", ...foot];
};
