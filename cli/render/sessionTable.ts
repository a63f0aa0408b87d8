// `list sessions` for people: one row per target-session, or per name across targets with the breakdown below it.
import type { SessionList, SessionView } from "../../core/model/view.ts";
import { cleanLine } from "./clean.ts";
import { renderFoot } from "./foot.ts";
import { describeCounts, stateCell } from "./mark.ts";
import { describeTarget, type RenderOptions } from "./paneTable.ts";
import { type Cell, type Column, layOut, renderHeader, renderRow } from "./table.ts";

const BASE: readonly Column[] = [
  { title: "TOP STATE", min: 16, least: 4 },
  { title: "SESSION", min: 10 },
  { title: "WINDOWS", min: null, align: "right" },
  { title: "AGENTS", min: null, align: "right" },
  { title: "WAITING", min: null, align: "right" },
  { title: "RUNNING", min: null, align: "right" },
];

const describeAgents = (session: SessionView): string =>
  Object.entries(session.by_agent)
    .map(([agent, count]) => `${count} ${cleanLine(agent)}`)
    .join(", ");

const nameOf = ({ identity, targets }: SessionView): string => {
  const name = cleanLine(identity.session_name);
  if (identity.target !== null)
    return `${describeTarget(identity.target, identity.tmux_server ?? "default")}/${name}`;
  return `${name} (${targets.map(({ target, tmux_server }) => describeTarget(target, tmux_server)).join(", ")})`;
};

const toRow = (session: SessionView, withAgents: boolean, { paint }: RenderOptions): Cell[] => [
  stateCell(session.top_state, paint),
  { text: nameOf(session) },
  { text: String(session.window_count) },
  { text: String(session.agent_count) },
  { text: String(session.waiting_count) },
  { text: String(session.running_count) },
  ...(withAgents ? [{ text: describeAgents(session) }] : []),
];

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
  const columns = withAgents ? [...BASE, { title: "BY AGENT", min: 8 }] : BASE;
  const rows = list.items.map((session) => ({ session, row: toRow(session, withAgents, options) }));
  const layout = layOut(
    columns,
    rows.map(({ row }) => row),
    { width: options.width, indent: 0, measure: options.measure },
  );
  return [
    options.paint("dim", renderHeader(columns, layout, 0)),
    ...rows.flatMap(({ session, row }) => [
      ...renderRow(columns, row, layout, 0),
      ...breakdown(session, options),
    ]),
    "",
    ...foot,
  ];
};
