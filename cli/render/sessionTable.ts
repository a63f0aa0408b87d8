// `list sessions` for people: one row per target-session, or per name across targets with the breakdown below it.
import type { SessionList, SessionView } from "../../core/model/view.ts";
import type { Field, RenderOptions } from "./field.ts";
import { renderFoot } from "./foot.ts";
import { SESSION_FIELDS } from "./groupFields.ts";
import { describeCounts } from "./mark.ts";
import { describeTarget } from "./paneFields.ts";
import { layOut, renderHeader, renderRow } from "./table.ts";

const { state, session: name, windows, agents, waiting, running, by_agent } = SESSION_FIELDS;
const BASE: readonly Field<SessionView>[] = [state, name, windows, agents, waiting, running];

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
  const columns = withAgents ? [...BASE, by_agent] : BASE;
  const rows = list.items.map((session) => ({
    session,
    row: columns.map((field) => field.cell(session, options)),
  }));
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
