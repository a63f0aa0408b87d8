// Which rows a list's filters let through. `--target-session <target>/<session>`: the session percent-encoded as in references,
// the server optional after a colon. A filter with several values lets a row through that matches any of them.
import { AgtmuxError } from "../model/errors.ts";
import { needsAction } from "../model/state.ts";
import type { PaneView } from "../model/view.ts";
import type { ListFilters } from "./calls.ts";

/** One value, or several, of which one has to match. */
type OneOrMore<T> = T | readonly T[];

interface SessionFilter {
  target: string;
  /** Null: any tmux server of the target. */
  server: string | null;
  session: string;
}

const resolveSessionFilter = (text: string): SessionFilter => {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1)
    throw new AgtmuxError("E_USAGE", `'${text.slice(0, 200)}' is not <target>/<session>`);
  const [target = "", server = null] = text.slice(0, slash).split(":");
  const encoded = text.slice(slash + 1);
  try {
    return { target, server, session: decodeURIComponent(encoded) };
  } catch {
    // Not percent-encoded: a person typed the plain name.
    return { target, server, session: encoded };
  }
};

/** The values of a filter; null where it was not given. */
export const valuesOf = <T extends string>(filter: OneOrMore<T> | undefined): readonly T[] | null =>
  filter === undefined ? null : typeof filter === "string" ? [filter] : filter;

const fits = (filter: OneOrMore<string>, value: string | null): boolean =>
  value !== null && (typeof filter === "string" ? filter === value : filter.includes(value));

const appearsIn = ({ identity, also_in }: PaneView, filter: OneOrMore<string>): boolean =>
  fits(filter, identity.session_name) || also_in.some((name) => fits(filter, name));

const fitsTargetSession = (pane: PaneView, text: string): boolean => {
  const { target, server, session } = resolveSessionFilter(text);
  const { identity } = pane;
  return (
    identity.target === target &&
    (server === null || server === identity.tmux_server) &&
    appearsIn(pane, session)
  );
};

// A filter that was not given does not read the row: with ten thousand rows every read counts.

/** The filters that say where to look. @throws AgtmuxError E_USAGE for a target session without its slash. */
export const matchesPlace = (pane: PaneView, filters: ListFilters): boolean =>
  (filters.target === undefined || fits(filters.target, pane.identity.target)) &&
  (filters.session === undefined || appearsIn(pane, filters.session)) &&
  (filters.targetSession === undefined ||
    (valuesOf(filters.targetSession) ?? []).some((text) => fitsTargetSession(pane, text)));

/** The filters that say what to look for. */
export const matchesContent = (pane: PaneView, filters: ListFilters): boolean =>
  (filters.state === undefined || fits(filters.state, pane.state)) &&
  (filters.agent === undefined || fits(filters.agent, pane.agent)) &&
  (filters.needsAction !== true || (pane.state !== null && needsAction(pane.state)));

/** Whether the list is one of panes alone, in which this row is none. */
export const isLeftOut = ({ background }: PaneView, filters: ListFilters): boolean =>
  filters.background === false && background !== null;

/** All filters combine with and. @throws AgtmuxError E_USAGE for a target session without its slash. */
export const matchesFilters = (pane: PaneView, filters: ListFilters): boolean =>
  matchesPlace(pane, filters) && matchesContent(pane, filters);

/** The targets that the filters name; null where they name none. Some of them may not exist. */
export const targetsNamed = (filters: ListFilters): ReadonlySet<string> | null => {
  const names = valuesOf(filters.target);
  const sessions = valuesOf(filters.targetSession)?.map((text) => resolveSessionFilter(text).target) ?? null;
  return names === null && sessions === null ? null : new Set([...(names ?? []), ...(sessions ?? [])]);
};

const SNAKE: Readonly<Record<string, string>> = {
  targetSession: "target_session",
  needsAction: "needs_action",
  groupBy: "group_by",
};
const LISTS: ReadonlySet<string> = new Set(["target", "targetSession", "session", "state", "agent"]);

/** The filters in the form that documents repeat: those that take several values are always lists. */
export const shownFilters = (filters: ListFilters): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filters)
      // What was left out is said by the document's hints.
      .filter(([name, value]) => value !== undefined && name !== "background")
      .map(([name, value]) => [SNAKE[name] ?? name, LISTS.has(name) ? [value].flat() : value]),
  );
