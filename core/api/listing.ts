// Filters and list documents: what `list panes|windows|sessions` answers on every surface.
import { rollUp, rollUpSessions, rollUpWindows } from "../engine/rollup.ts";
import {
  SCHEMA_VERSION,
  type PaneList,
  type PaneView,
  type SessionList,
  type TargetView,
  type WindowList,
} from "../model/view.ts";
import { matchesFilters } from "./paneFilter.ts";
import type { ListFilters } from "./service.ts";

export interface ListingInput {
  /** Every row, panes without an agent included. */
  rows: readonly PaneView[];
  targets: readonly TargetView[];
  now: number;
}

/** What is missing from the answer, one sentence each: targets and servers that did not answer. */
const problemsOf = (targets: readonly TargetView[]): string[] =>
  targets.flatMap((target) => [
    ...(target.health === "ok"
      ? []
      : [`target ${target.target} is ${target.health}: ${target.health_reason ?? "no reason given"}`]),
    ...target.servers.flatMap((server) =>
      server.status === "error"
        ? [`tmux server ${server.tmux_server} on ${target.target}: ${server.problem ?? "does not answer"}`]
        : [],
    ),
  ]);

/** Stable order: target, server, session, window, pane. */
const byPlace = (a: PaneView, b: PaneView): number =>
  a.identity.target.localeCompare(b.identity.target) ||
  a.identity.tmux_server.localeCompare(b.identity.tmux_server) ||
  a.identity.session_name.localeCompare(b.identity.session_name) ||
  a.window_index - b.window_index ||
  a.pane_index - b.pane_index ||
  a.identity.pane_id.localeCompare(b.identity.pane_id);

const shown = (filters: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));

const frame = ({ targets, now }: ListingInput, filters: object, rows: readonly PaneView[]) => ({
  schema_version: SCHEMA_VERSION as typeof SCHEMA_VERSION,
  generated_at: new Date(now).toISOString(),
  filters: shown(filters),
  summary: rollUp(rows),
  problems: problemsOf(targets),
});

export const listPanes = (input: ListingInput, filters: ListFilters): PaneList => {
  const rows = input.rows.filter((pane) => matchesFilters(pane, filters));
  const items = rows.filter((pane) => filters.all === true || pane.state !== null).toSorted(byPlace);
  return { ...frame(input, filters, rows), items };
};

/** Windows and sessions count all of their panes but are listed only when one has an agent, unless `all`. */
export const listWindows = (input: ListingInput, filters: ListFilters): WindowList => {
  const rows = input.rows.filter((pane) => matchesFilters(pane, filters)).toSorted(byPlace);
  const items = rollUpWindows(rows).filter((window) => filters.all === true || window.agent_count > 0);
  return { ...frame(input, filters, rows), items };
};

export const listSessions = (
  input: ListingInput,
  filters: ListFilters & { groupBy?: "target-session" | "session-name" | undefined },
): SessionList => {
  const rows = input.rows.filter((pane) => matchesFilters(pane, filters)).toSorted(byPlace);
  const items = rollUpSessions(rows, filters.groupBy ?? "target-session").filter(
    (session) => filters.all === true || session.agent_count > 0,
  );
  return { ...frame(input, filters, rows), items };
};
