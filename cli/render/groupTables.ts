// `list windows` and `list sessions` for people: windows in one block per target-session; sessions in one row per target-session,
// or per name across targets with the breakdown below it.
import type { SessionList, SessionView, WindowList, WindowView } from "../../core/model/view.ts";
import type { Field, RenderOptions } from "./field.ts";
import { renderFoot } from "./foot.ts";
import { SESSION_FIELDS, WINDOW_FIELDS } from "./groupFields.ts";
import { describeCounts } from "./mark.ts";
import { describeTarget } from "./paneFields.ts";
import { layOut, renderHeader, renderRow, renderTable } from "./table.ts";

const INDENT = 2;
const windowColumns = (withStatus: boolean): Field<WindowView>[] => {
  const { state, window: name, window_id, panes, agents, waiting, running, states } = WINDOW_FIELDS;
  return [state, name, window_id, panes, agents, waiting, running, ...(withStatus ? [states] : [])];
};

/** `withStatus`: with the full counts by state. */
export const renderWindows = (list: WindowList, withStatus: boolean, options: RenderOptions): string[] => {
  const { paint, width, measure } = options;
  const foot = renderFoot(list, "window", options);
  if (list.items.length === 0) return ["No windows with agents here.", ...foot];
  const columns = windowColumns(withStatus);
  const rows = new Map(
    list.items.map((window) => [window, columns.map((field) => field.cell(window, options))]),
  );
  const layout = layOut(columns, [...rows.values()], { width, indent: INDENT, measure });
  const groups = Map.groupBy(list.items, (window) => WINDOW_FIELDS.session.cell(window, options).text);
  const lines = [paint("dim", renderHeader(columns, layout, INDENT))];
  for (const [name, windows] of groups) {
    lines.push(paint("bold", name));
    for (const window of windows) lines.push(...renderRow(columns, rows.get(window) ?? [], layout, INDENT));
  }
  return [...lines, "", ...foot];
};

const sessionColumns = (withAgents: boolean): Field<SessionView>[] => {
  const { state, session: name, windows, agents, waiting, running, by_agent } = SESSION_FIELDS;
  return [state, name, windows, agents, waiting, running, ...(withAgents ? [by_agent] : [])];
};

/** The part of each target in a session that was merged across several. */
const breakdown = (session: SessionView, { paint }: RenderOptions): string[] =>
  session.identity.target !== null || session.targets.length < 2
    ? []
    : session.targets.map(
        ({ target, tmux_server, by_state }) =>
          `    ${describeTarget(target, tmux_server)}: ${describeCounts(by_state, paint) || "no agents"}`,
      );

export const renderSessions = (list: SessionList, withAgents: boolean, options: RenderOptions): string[] => {
  const foot = renderFoot(list, "session", options);
  if (list.items.length === 0) return ["No sessions with agents here.", ...foot];
  const columns = sessionColumns(withAgents);
  const rows = list.items.map((session) => columns.map((field) => field.cell(session, options)));
  const below = list.items.map((session) => breakdown(session, options));
  return [...renderTable(columns, rows, { ...options, below: (index) => below[index] ?? [] }), "", ...foot];
};
