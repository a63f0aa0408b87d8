// `list panes` for people: one block per target-session, the most important columns first, the reference last and never cut.
import type { PaneList, PaneView } from "../../core/model/view.ts";
import { cleanLine } from "./clean.ts";
import type { RenderOptions } from "./field.ts";
import { renderFoot } from "./foot.ts";
import { describeCounts } from "./mark.ts";
import { describeTarget, PANE_FIELDS } from "./paneFields.ts";
import { layOut, renderHeader, renderRow } from "./table.ts";

const INDENT = 2;
const { state, age, agent, window, what, ref } = PANE_FIELDS;
const FIELDS = [state, age, agent, window, what, ref];

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
  const rows = new Map(list.items.map((pane) => [pane, FIELDS.map((field) => field.cell(pane, options))]));
  const layout = layOut(FIELDS, [...rows.values()], { width, indent: INDENT, measure });
  const groups = Map.groupBy(list.items, ({ identity }) =>
    JSON.stringify([identity.target, identity.tmux_server, identity.session_name]),
  );
  const lines = [paint("dim", renderHeader(FIELDS, layout, INDENT))];
  for (const panes of groups.values()) {
    const identity = panes[0]?.identity;
    if (identity === undefined) continue;
    const name = `${describeTarget(identity.target, identity.tmux_server)}/${cleanLine(identity.session_name)}`;
    const room = width === null ? null : width - measure.width(name) - 2;
    lines.push(`${paint("bold", name)}  ${describeCounts(countStates(panes), paint, room)}`.trimEnd());
    for (const pane of panes) lines.push(...renderRow(FIELDS, rows.get(pane) ?? [], layout, INDENT));
  }
  return [...lines, "", ...foot];
};
