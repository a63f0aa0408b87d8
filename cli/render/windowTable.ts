// `list windows` for people: one block per target-session; with --with-agent-status the full counts by state.
import type { WindowList, WindowView } from "../../core/model/view.ts";
import type { Field, RenderOptions } from "./field.ts";
import { renderFoot } from "./foot.ts";
import { WINDOW_FIELDS } from "./groupFields.ts";
import { layOut, renderHeader, renderRow } from "./table.ts";

const INDENT = 2;
const { state, window: name, window_id, panes, agents, waiting, running, states } = WINDOW_FIELDS;
const BASE: readonly Field<WindowView>[] = [state, name, window_id, panes, agents, waiting, running];

export const renderWindows = (list: WindowList, withStatus: boolean, options: RenderOptions): string[] => {
  const { paint, width, measure } = options;
  const foot = renderFoot(list, "window", options);
  if (list.items.length === 0) return ["No windows with agents here.", ...foot];
  const columns = withStatus ? [...BASE, states] : BASE;
  const rows = new Map(
    list.items.map((window) => [window, columns.map((field) => field.cell(window, options))]),
  );
  const layout = layOut(columns, [...rows.values()], { width, indent: INDENT, measure });
  const groups = Map.groupBy(list.items, (window) => WINDOW_FIELDS.session.cell(window).text);
  const lines = [paint("dim", renderHeader(columns, layout, INDENT))];
  for (const [name, windows] of groups) {
    lines.push(paint("bold", name));
    for (const window of windows) lines.push(...renderRow(columns, rows.get(window) ?? [], layout, INDENT));
  }
  return [...lines, "", ...foot];
};
