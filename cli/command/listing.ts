// A list request, read once from the options: which rows, in which order, and how they are shown. `list` asks it once, `watch`
// whenever something changed. The tables for people are here as well: panes, windows, sessions.
import type {
  PaneList,
  PaneView,
  SessionList,
  SessionView,
  WindowList,
  WindowView,
  Counts,
} from "../../core/model/view.ts";
import { needsFirst, type Machines, machinesOf } from "../../ui/text/rowText.ts";
import {
  renderRows,
  type Field,
  type RenderOptions,
  PANE_FIELDS,
  SESSION_FIELDS,
  WINDOW_FIELDS,
  describeTarget,
  renderFlat,
  renderPlain,
  CHANGED,
  isChanged,
} from "../render/field.ts";
import { renderFoot, describeCounts, renderTotals } from "../render/mark.ts";
import { layOut, renderHeader, renderRow, renderTable, type Measure } from "../render/table.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "./context.ts";
import {
  parseColumns,
  parseFilters,
  type FilterOptions,
  PANE_SORT,
  parseSort,
  SESSION_SORT,
  WINDOW_SORT,
  type SortKeys,
} from "../parse/filters.ts";

// Panes: one line per agent in the words of the popover's rows, those that need a person first. A wide terminal shows what the
// popover has on a second line.

const { state, task, agent_name, where, now, place, row_age, ref } = PANE_FIELDS;

/** From this many columns on, more than the task fits. */
const WIDE = 100;
export const WIDER = 124;
const WIDEST = 150;

const columnsFor = (width: number | null): Field<PaneView>[] => {
  const room = width ?? Number.MAX_SAFE_INTEGER;
  return [
    state,
    task,
    ...(room >= WIDE ? [agent_name] : []),
    ...(room >= WIDER ? [where] : []),
    ...(room >= WIDEST ? [now] : []),
    place,
    row_age,
    ref,
  ];
};

/** `isSorted`: the order was asked for, and stays. */
export const renderPanes = (
  list: PaneList,
  options: RenderOptions,
  { isSorted } = { isSorted: false },
): string[] => {
  const foot = renderFoot(
    list,
    list.items.some(({ background }) => background !== null) ? "agent" : "pane",
    options,
  );
  if (list.items.length === 0) return ["No agents here.", ...foot];
  const items = isSorted ? list.items : needsFirst(list.items);
  return [
    ...renderRows(items, columnsFor(options.hasAllColumns === true ? null : options.width), options),
    "",
    ...foot,
  ];
};

// Windows, in one block per target-session; sessions, in one row per target-session, or per name across targets with the breakdown
// below it.

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

export type Scope = "panes" | "windows" | "sessions";

export interface ListOptions extends FilterOptions {
  json?: boolean;
  plain?: boolean;
  totals?: boolean;
  sort?: readonly string[];
  columns?: readonly string[];
  withAgentStatus?: boolean;
  agentSummary?: boolean;
  groupBy?: string;
  look?: boolean;
}

/** A list's document and how it is shown to people and to scripts. */
interface Listing {
  readonly document: {
    readonly filters: Readonly<Record<string, unknown>>;
    readonly summary: Counts;
    readonly items: readonly unknown[];
  };
  table(options: RenderOptions): string[];
  plain(now: number): string[];
}

type Api = Parameters<Parameters<Awaited<ReturnType<CliContext["connect"]>>["call"]>[0]>[0];
/** With what has to be said of places, once for the whole list. */
export type AskListing = (api: Api) => Promise<Listing & { readonly machines: Machines }>;

const parseGroupBy = (text: string | undefined): "target-session" | "session-name" | undefined => {
  if (text === undefined || text === "target-session" || text === "session-name") return text;
  throw new AgtmuxError("E_USAGE", `--group-by: unknown value '${text}'`, {
    remedy: "Use target-session or session-name.",
  });
};

interface DocumentOf<T> {
  readonly filters: Readonly<Record<string, unknown>>;
  readonly items: T[];
  readonly summary: Counts;
  readonly problems: string[];
}

interface View<D extends DocumentOf<T>, T> {
  readonly noun: string;
  readonly fields: Readonly<Record<string, Field<T>>>;
  readonly keys: SortKeys<T>;
  /** The columns without --columns, where nothing groups the rows. */
  readonly flat: readonly Field<T>[];
  /** Added by an option of the scope. */
  readonly extra: readonly Field<T>[];
  /** How the list is shown without chosen columns. `isSorted`: the items are in an order that was asked for. */
  table(document: D, options: RenderOptions, order: { isSorted: boolean }): string[];
  /** Whether `table` keeps the order of the items where it was asked for. */
  readonly isOrdered: boolean;
}

/** Columns of a table in a pipe, which a person reads. Chosen columns stay whole there. */
const PIPED_WIDTH = 120;

/** Reads --sort and --columns. Fails with E_USAGE. */
const prepareView = <D extends DocumentOf<T>, T>(
  options: ListOptions,
  view: View<D, T>,
): ((document: D) => Listing) => {
  const compare = options.sort === undefined ? null : parseSort(options.sort, view.keys);
  const chosen = options.columns === undefined ? null : parseColumns(options.columns, view.fields);
  const columns = [...new Set([...(chosen ?? view.flat), ...view.extra])];
  const isFlat = chosen !== null || (compare !== null && !view.isOrdered);
  return (asked) => {
    const document = compare === null ? asked : { ...asked, items: asked.items.toSorted(compare) };
    return {
      document,
      table: (given) => {
        const isCut = given.width === null && chosen === null;
        const render = isCut ? { ...given, width: PIPED_WIDTH, hasAllColumns: true } : given;
        return isFlat
          ? renderFlat(document, columns, view.noun, render)
          : view.table(document, render, { isSorted: compare !== null });
      },
      plain: (now) => renderPlain(document.items, columns, now),
    };
  };
};

const { state: stateField, age, agent, session, window, what, ref: refField } = PANE_FIELDS;
const panesView: View<PaneList, PaneView> = {
  noun: "pane",
  fields: PANE_FIELDS,
  keys: PANE_SORT,
  flat: [stateField, age, agent, session, window, what, refField],
  extra: [],
  table: renderPanes,
  isOrdered: true,
};

const windowsView = (options: ListOptions): View<WindowList, WindowList["items"][number]> => {
  const withStates = options.withAgentStatus === true;
  const { states, target: _target, tmux_server: _server, ...flat } = WINDOW_FIELDS;
  return {
    noun: "window",
    fields: WINDOW_FIELDS,
    keys: WINDOW_SORT,
    flat: Object.values(flat),
    extra: withStates ? [states] : [],
    table: (document, render) => renderWindows(document, withStates, render),
    isOrdered: false,
  };
};

const sessionsView = (options: ListOptions): View<SessionList, SessionList["items"][number]> => {
  const withAgents = options.agentSummary === true;
  const { by_agent, states: _states, target: _target, panes: _panes, ...flat } = SESSION_FIELDS;
  return {
    noun: "session",
    fields: SESSION_FIELDS,
    keys: SESSION_SORT,
    flat: Object.values(flat),
    extra: withAgents ? [by_agent] : [],
    table: (document, render) => renderSessions(document, withAgents, render),
    isOrdered: true,
  };
};

/** A line that says what the mark means and how many rows have it. */
const describeChanged = (panes: readonly PaneView[], { changedSince, ...marks }: RenderOptions): string[] => {
  if (changedSince === undefined) return [];
  const count = panes.filter((pane) => isChanged(pane, { ...marks, changedSince })).length;
  const { version, time } = changedSince;
  const since = version === null ? new Date(time ?? 0).toISOString() : `version ${version}`;
  return [`${CHANGED} ${count} changed since ${since}`];
};

/** The request to the daemon for a scope. Fails with E_USAGE. */
export const listingInput = (scope: Scope, options: ListOptions) => {
  const groupBy = scope === "sessions" ? parseGroupBy(options.groupBy) : undefined;
  // A document lists panes, or what has panes, unless it is asked for more; people see every agent.
  const panesOnly = options.json === true && options.background !== true ? { background: false } : {};
  return { ...parseFilters(options), ...panesOnly, ...(groupBy === undefined ? {} : { groupBy }) };
};

const prepareScope = (scope: Scope, options: ListOptions): ((api: Api) => Promise<Listing>) => {
  const input = listingInput(scope, options);
  switch (scope) {
    case "panes": {
      const show = prepareView(options, panesView);
      return async (api) => {
        const document = await api.panes.query(input);
        const listing = show(document);
        return {
          ...listing,
          table: (render) => [...listing.table(render), ...describeChanged(document.items, render)],
        };
      };
    }
    case "windows": {
      const show = prepareView(options, windowsView(options));
      return async (api) => show(await api.windows.query(input));
    }
    case "sessions": {
      const show = prepareView(options, sessionsView(options));
      return async (api) => show(await api.sessions.query(input));
    }
  }
};

/** Reads the options once, so that `watch` fails at its start and not in the middle. Fails with E_USAGE. */
export const prepareListing = (scope: Scope, options: ListOptions): AskListing => {
  const ask = prepareScope(scope, options);
  return async (api) => {
    const [listing, targets] = await Promise.all([ask(api), api.targets.query()]);
    const totals = options.totals === true ? renderTotals(listing.document.summary) : [];
    return {
      ...listing,
      table: (render) => [...listing.table(render), ...totals],
      machines: machinesOf(targets),
    };
  };
};

export const renderOptionsOf = (
  context: CliContext,
  measure: Measure,
  machines: Machines,
): RenderOptions => ({
  ...machines,
  paint: context.paint,
  width: context.width,
  now: context.now(),
  measure,
});
