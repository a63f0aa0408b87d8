// `list panes` for people: one block per target-session, the most telling words first, the reference last and whole.
import type { ReasonCode } from "../../core/model/state.ts";
import { formatAge, REASON_WORDS } from "../../core/model/words.ts";
import type { PaneList, PaneView } from "../../core/model/view.ts";
import { cleanLine } from "./clean.ts";
import { renderFoot } from "./foot.ts";
import { describeCounts, stateCell } from "./mark.ts";
import type { Measure } from "./measure.ts";
import type { Paint } from "./paint.ts";
import { type Cell, type Column, layOut, renderHeader, renderRow } from "./table.ts";

export interface RenderOptions {
  readonly paint: Paint;
  readonly width: number | null;
  readonly measure: Measure;
  /** Epoch ms that ages are counted to. */
  readonly now: number;
}

const INDENT = 2;
const COLUMNS: readonly Column[] = [
  { title: "STATE", min: 16, least: 4 },
  { title: "AGE", min: null, align: "right" },
  { title: "AGENT", min: 5 },
  { title: "WINDOW", min: 8 },
  { title: "WHAT", min: 10 },
  { title: "REF", min: null },
];

const isReasonCode = (code: string): code is ReasonCode => code in REASON_WORDS;

/** What it asks, in one line; else why it is in this state; else the pane's title. */
export const describePane = (pane: PaneView): string => {
  if (pane.request !== null) {
    const title = cleanLine(pane.request.title);
    const body = cleanLine(pane.request.body ?? "");
    return body === "" || title.includes(body) ? title : `${title}: ${body}`;
  }
  if (pane.reason_code !== null && isReasonCode(pane.reason_code)) return REASON_WORDS[pane.reason_code];
  return cleanLine(pane.reason_code ?? pane.title);
};

/** `target` or `target:server`, as in references. */
export const describeTarget = (target: string, server: string): string =>
  cleanLine(server === "default" ? target : `${target}:${server}`);

export const describeWindow = (pane: PaneView): string =>
  `${pane.window_index}:${cleanLine(pane.window_name)}.${pane.pane_index}`;

export const ageCell = (since: string | null, now: number): Cell => ({
  text: since === null ? "" : formatAge(now - Date.parse(since)),
});

const toRow = (pane: PaneView, { paint, now }: RenderOptions): Cell[] => [
  stateCell(pane.state, paint),
  ageCell(pane.since, now),
  { text: cleanLine(pane.agent ?? "-") },
  { text: describeWindow(pane) },
  { text: describePane(pane) },
  { text: pane.identity.pane_ref, paint: (text) => paint("dim", text) },
];

const countStates = (panes: readonly PaneView[]) => {
  const counts = {
    error: 0,
    waiting_approval: 0,
    waiting_input: 0,
    running: 0,
    completed: 0,
    idle: 0,
    unknown: 0,
  };
  for (const pane of panes) if (pane.state !== null) counts[pane.state] += 1;
  return counts;
};

export const renderPanes = (list: PaneList, options: RenderOptions): string[] => {
  const { paint, width, measure } = options;
  const foot = renderFoot(list, "pane", options);
  if (list.items.length === 0) return ["No agents here.", ...foot];
  const rows = new Map(list.items.map((pane) => [pane, toRow(pane, options)]));
  const layout = layOut(COLUMNS, [...rows.values()], { width, indent: INDENT, measure });
  const groups = Map.groupBy(list.items, ({ identity }) =>
    JSON.stringify([identity.target, identity.tmux_server, identity.session_name]),
  );
  const lines = [paint("dim", renderHeader(COLUMNS, layout, INDENT))];
  for (const panes of groups.values()) {
    const identity = panes[0]?.identity;
    if (identity === undefined) continue;
    const name = `${describeTarget(identity.target, identity.tmux_server)}/${cleanLine(identity.session_name)}`;
    const room = width === null ? null : width - measure.width(name) - 2;
    lines.push(`${paint("bold", name)}  ${describeCounts(countStates(panes), paint, room)}`.trimEnd());
    for (const pane of panes) lines.push(...renderRow(COLUMNS, rows.get(pane) ?? [], layout, INDENT));
  }
  return [...lines, "", ...foot];
};
