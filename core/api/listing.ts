// The list documents: what `list panes|windows|sessions` answers on every surface. Which rows a filter lets through: paneFilter.ts.
import { stamp } from "../model/schemaVersion.ts";
import { rollUpSessions, rollUpWindows, sessionOf, windowOf, type SessionGrouping } from "../engine/rows.ts";
import { AgtmuxError } from "../model/errors.ts";
import {
  rollUp,
  type PaneList,
  type PaneView,
  type SessionList,
  type TargetView,
  type WindowList,
} from "../model/view.ts";
import {
  isLeftOut,
  matchesContent,
  matchesFilters,
  matchesPlace,
  shownFilters,
  targetsNamed,
  valuesOf,
} from "./paneFilter.ts";
import type { ListFilters } from "./calls.ts";

export interface ListingInput {
  /** Every row in the order of `byPlace`, panes without an agent included. */
  rows: readonly PaneView[];
  targets: readonly TargetView[];
  /** Types of the agents that can be recognised, disabled ones included. */
  agents: () => readonly string[];
  now: number;
}

/** What is missing from the answer, one sentence each: the requested targets and servers that did not answer. */
const problemsOf = (targets: readonly TargetView[], named: ReadonlySet<string> | null): string[] =>
  targets
    .filter(({ target }) => named === null || named.has(target))
    .flatMap((target) => [
      ...(target.health === "ok"
        ? []
        : [`machine ${target.target} is ${target.health}: ${target.health_reason ?? "no reason given"}`]),
      ...target.servers.flatMap((server) =>
        server.status === "error"
          ? [`tmux server ${server.tmux_server} on ${target.target}: ${server.problem ?? "does not answer"}`]
          : [],
      ),
    ]);

/** The targets that the filters name. @throws AgtmuxError E_TARGET_UNKNOWN for one that is not watched. */
const checkTargets = (targets: readonly TargetView[], filters: ListFilters): ReadonlySet<string> | null => {
  const named = targetsNamed(filters);
  const known = targets.map(({ target }) => target);
  for (const name of named ?? [])
    if (!known.includes(name))
      throw new AgtmuxError("E_TARGET_UNKNOWN", `no machine is called '${name.slice(0, 200)}'`, {
        remedy: `Known machines: ${known.join(", ")}.`,
      });
  return named;
};

/** @throws AgtmuxError E_USAGE for an agent that neither an adapter knows nor a row shows. */
const checkAgents = ({ rows, agents }: ListingInput, filters: ListFilters): void => {
  const named = valuesOf(filters.agent) ?? [];
  const known = named.length === 0 ? [] : agents();
  for (const name of named)
    if (!known.includes(name) && !rows.some(({ agent }) => agent === name))
      throw new AgtmuxError("E_USAGE", `no agent is called '${name.slice(0, 200)}'`, {
        remedy: `Known agents: ${known.join(", ")}.`,
      });
};

type SessionFilters = ListFilters & { groupBy?: SessionGrouping | undefined };

const frame = (input: ListingInput, filters: SessionFilters, rows: readonly PaneView[]) => {
  const { targets, now } = input;
  checkAgents(input, filters);
  return {
    ...stamp(now),
    filters: shownFilters(filters),
    summary: rollUp(rows),
    problems: problemsOf(targets, checkTargets(targets, filters)),
  };
};

/** The rows that are listed, and what is said of the others. */
const withoutBackground = (rows: readonly PaneView[], filters: ListFilters) => {
  const listed = filters.background === false ? rows.filter((pane) => !isLeftOut(pane, filters)) : rows;
  const count = rows.length - listed.length;
  const what = count === 1 ? "1 session that no pane shows is" : `${count} sessions that no pane shows are`;
  return { listed, hints: count === 0 ? [] : [`${what} left out: ask for them with --background`] };
};

/** @throws AgtmuxError E_TARGET_UNKNOWN, E_USAGE (unknown agent, target session without its slash); the other lists too. */
export const listPanes = (input: ListingInput, filters: ListFilters): PaneList => {
  const { listed, hints } = withoutBackground(
    input.rows.filter((pane) => matchesFilters(pane, filters)),
    filters,
  );
  const items = listed.filter((pane) => filters.all === true || pane.state !== null);
  return { ...frame(input, filters, listed), hints, items };
};

/** The rows of every group that has a matching row: a window is shown whole or not at all. */
const rowsOfGroups = (
  { rows }: ListingInput,
  filters: ListFilters,
  groupOf: (pane: PaneView) => string,
): PaneView[] => {
  const placed = rows.filter((pane) => matchesPlace(pane, filters));
  const fitting = placed.filter((pane) => matchesContent(pane, filters));
  if (fitting.length === placed.length) return placed;
  const wanted = new Set(fitting.map(groupOf));
  return placed.filter((pane) => wanted.has(groupOf(pane)));
};

/** Windows and sessions count all of their panes but are listed only when one has an agent, unless `all`. */
export const listWindows = (input: ListingInput, filters: ListFilters): WindowList => {
  const { listed: rows } = withoutBackground(rowsOfGroups(input, filters, windowOf), {
    ...filters,
    background: false,
  });
  const items = rollUpWindows(rows).filter((window) => filters.all === true || window.agent_count > 0);
  return { ...frame(input, filters, rows), hints: [], items };
};

export const listSessions = (input: ListingInput, filters: SessionFilters): SessionList => {
  const grouping = filters.groupBy ?? "target-session";
  const { listed: rows, hints } = withoutBackground(
    rowsOfGroups(input, filters, sessionOf(grouping)),
    filters,
  );
  const items = rollUpSessions(rows, grouping).filter(
    (session) => filters.all === true || session.agent_count > 0,
  );
  // The grouping decides what an item is, so the document always names it.
  return { ...frame(input, { ...filters, groupBy: grouping }, rows), hints, items };
};
