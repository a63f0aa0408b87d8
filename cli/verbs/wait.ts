// `agtmux wait`: ends when a condition holds for one pane, or for any or every pane that fits the filters. It follows the
// change feed, even over a restart of the daemon, and prints the row, so that a script can act on exactly that row.
import { stamp } from "../../core/model/schemaVersion.ts";
import { placeIdOf } from "../../core/model/shortRef.ts";
import type { FeedEntry, PaneView } from "../../core/model/view.ts";
import {
  holds,
  isEnded,
  type Condition,
  parseColumns,
  parseFilters,
  type FilterOptions,
  parseConditions,
} from "../parse/filters.ts";
import { matchesFilters, shownFilters } from "../../core/api/paneFilter.ts";
import type { ListFilters } from "../../core/api/calls.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { WaitResult } from "../../core/model/documents.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import type { CliContext, DaemonClient } from "../command/context.ts";
import { renderOptionsOf } from "../command/listing.ts";
import { parseCount, parseDuration } from "../parse/values.ts";
import { renderPlain, renderRows, PANE_FIELDS } from "../render/field.ts";
import { measureFor } from "../render/table.ts";
import { resumeFeed } from "../command/resumeFeed.ts";
import { settleRef } from "../command/settleRef.ts";
import { unlessLost, whenDrawn } from "./act.ts";
import { checkForms } from "./list.ts";

// Tracker: decides from feed entries and full lists whether a wait's condition holds. It does no I/O: where an entry is not enough
// (a removed row may only have moved with its session's name), the caller has to get a full list.

export type WaitVerdict =
  | { readonly kind: "pending" }
  /** The caller has to get the full list and call `look` with it. */
  | { readonly kind: "check" }
  | { readonly kind: "held"; readonly condition: Condition; readonly rows: readonly PaneView[] }
  /** The condition can no longer come true; the row as it was last seen. */
  | { readonly kind: "ended"; readonly row: PaneView };

interface Tracker {
  take(entry: FeedEntry): WaitVerdict;
  /** `rows`: all rows that exist now. */
  look(rows: readonly PaneView[]): WaitVerdict;
}

export interface Wanted {
  readonly conditions: readonly Condition[];
  /** Only states with a higher version count. */
  readonly after: number | null;
}

const PENDING: WaitVerdict = { kind: "pending" };
const CHECK: WaitVerdict = { kind: "check" };

const placeOf = (row: PaneView): string =>
  JSON.stringify([row.identity.target, row.identity.tmux_server, placeIdOf(row)]);

/** Waits for one runtime; for a pane without an agent, for the next one in it. `row`: the row that the reference matches now. */
export const trackOne = (row: PaneView, { conditions, after }: Wanted): Tracker => {
  const place = placeOf(row);
  let last = row;
  const isMine = (other: PaneView): boolean =>
    last.identity.runtime_id === null
      ? placeOf(other) === place
      : other.identity.runtime_id === last.identity.runtime_id;
  const evaluate = (now: PaneView): WaitVerdict => {
    last = now;
    const condition = holds(now, conditions, after);
    if (condition !== null) return { kind: "held", condition, rows: [now] };
    return isEnded(now) ? { kind: "ended", row: now } : PENDING;
  };
  return {
    take: (entry) => {
      if (entry.kind === "snapshot") return CHECK;
      if (entry.kind === "removed")
        return entry.pane_ref === last.identity.pane_ref || entry.runtime_id === last.identity.runtime_id
          ? CHECK
          : PENDING;
      if (entry.kind !== "state") return PENDING;
      if (isMine(entry.pane)) return evaluate(entry.pane);
      return placeOf(entry.pane) === place ? CHECK : PENDING;
    },
    look: (rows) => {
      const now = rows.find(isMine);
      if (now !== undefined) return evaluate(now);
      return conditions.includes("gone")
        ? { kind: "held", condition: "gone", rows: [last] }
        : { kind: "ended", row: last };
    },
  };
};

const byVersion = (a: PaneView, b: PaneView): number => a.state_version - b.state_version;

/** Waits for any or every row that passes `isWanted`. The oldest matching state comes first. */
export const trackMany = (
  isWanted: (row: PaneView) => boolean,
  mode: "any" | "every",
  { conditions, after }: Wanted,
): Tracker => {
  /** By runtime, since a row's reference changes with its session's name. */
  let known = new Map<string, PaneView>();
  const idOf = ({ identity }: PaneView): string => identity.runtime_id ?? identity.pane_ref;
  const oneOf = (row: PaneView): WaitVerdict => {
    const condition = holds(row, conditions, after);
    return condition === null ? PENDING : { kind: "held", condition, rows: [row] };
  };

  const anyOf = (rows: readonly PaneView[], gone: readonly PaneView[]): WaitVerdict => {
    for (const row of rows.toSorted(byVersion)) {
      const verdict = oneOf(row);
      if (verdict.kind === "held") return verdict;
    }
    const [first] = gone;
    return first === undefined ? PENDING : { kind: "held", condition: "gone", rows: [first] };
  };
  const everyOf = (rows: readonly PaneView[], gone: readonly PaneView[]): WaitVerdict => {
    const held = rows.map((row) => holds(row, conditions, after));
    const isDone = held.every((condition) => condition !== null) && rows.length + gone.length > 0;
    const condition = held[0] ?? "gone";
    return isDone ? { kind: "held", condition, rows: [...rows, ...gone] } : PENDING;
  };

  return {
    take: (entry) => {
      if (entry.kind === "snapshot" || entry.kind === "removed") return CHECK;
      if (entry.kind !== "state") return PENDING;
      if (mode === "every") return CHECK;
      if (!isWanted(entry.pane)) return known.has(idOf(entry.pane)) ? CHECK : PENDING;
      known.set(idOf(entry.pane), entry.pane);
      return oneOf(entry.pane);
    },
    look: (all) => {
      const rows = all.filter(isWanted);
      const now = new Map(rows.map((row) => [idOf(row), row]));
      const gone = conditions.includes("gone")
        ? [...known.values()].filter((row) => !now.has(idOf(row)))
        : [];
      // A wait for all to go keeps the rows that are gone.
      known = mode === "every" ? new Map([...gone.map((row) => [idOf(row), row] as const), ...now]) : now;
      return mode === "any" ? anyOf(rows, gone) : everyOf(rows, gone);
    },
  };
};

// Waiting: reads the options, follows the feed until the tracker decides or time is up, and prints the rows.

interface WaitOptions extends FilterOptions {
  until?: readonly string[];
  any?: boolean;
  every?: boolean;
  after?: string;
  timeout?: string;
  columns?: readonly string[];
  plain?: boolean;
  json?: boolean;
}

interface Wish {
  readonly ref: string | null;
  readonly filters: ListFilters;
  readonly mode: "any" | "every";
  readonly conditions: readonly Condition[];
  readonly after: number | null;
  readonly timeoutMs: number | null;
}

const FILTER_OPTIONS = ["target", "allTargets", "targetSession", "session", "agent"] as const;
const MAX_VERSION = 999_999_999;
/** The most that the platform's timers support. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;
/** A wait does not ask how many machines and servers there are: it shows references that are right everywhere. */
const SEVERAL = { hasMachines: true, hasOneServer: false };
const { state, age, agent, session, window, what, ref: refField } = PANE_FIELDS;
const COLUMNS = [state, age, agent, session, window, what, refField];

const parseTimeout = (text: string): number => {
  const ms = parseDuration(text, "--timeout");
  if (ms <= LONGEST_TIMEOUT_MS) return ms;
  throw new AgtmuxError("E_USAGE", `--timeout ${text} is too long`, { remedy: "24d is the longest." });
};

/** Fails with E_USAGE. */
const parseWish = (ref: string | undefined, options: WaitOptions): Wish => {
  const { needsAction, ...places } = options;
  const conditions = parseConditions([
    ...(needsAction === true ? ["needs-action"] : []),
    ...(options.until ?? []),
  ]);
  if (conditions.length === 0)
    throw new AgtmuxError("E_USAGE", "wait needs a condition", {
      remedy: "Say --needs-action, or --until with a state, needs-action or gone.",
    });
  if (options.any === true && options.every === true)
    throw new AgtmuxError("E_USAGE", "--any and --every exclude each other");
  const filter = FILTER_OPTIONS.find((name) => options[name] !== undefined);
  if (ref !== undefined && (filter !== undefined || options.every === true))
    throw new AgtmuxError("E_USAGE", "wait takes either one reference or filters");
  return {
    ref: ref ?? null,
    filters: parseFilters(places),
    mode: options.every === true ? "every" : "any",
    conditions,
    after:
      options.after === undefined ? null : parseCount(options.after, "--after", { min: 0, max: MAX_VERSION }),
    timeoutMs: options.timeout === undefined ? null : parseTimeout(options.timeout),
  };
};

/** Fails at once if there is nothing to wait for: E_REF_NOT_FOUND, E_REF_AMBIGUOUS, E_TARGET_UNKNOWN. */
const openTracker = async (context: CliContext, client: DaemonClient, wish: Wish): Promise<Tracker> => {
  const { filters } = wish;
  if (wish.ref !== null) {
    const ref = await settleRef(context, client, { ref: wish.ref, says: false });
    return trackOne((await client.call((api) => api.explain.query({ ref }))).pane, wish);
  }
  await client.call((api) => api.panes.query(filters));
  return trackMany((row) => row.agent !== null && matchesFilters(row, filters), wish.mode, wish);
};

type Final = Extract<WaitVerdict, { kind: "held" | "ended" }>;

/** Null when the context's signal aborted first. */
const follow = async (context: CliContext, wish: Wish): Promise<Final | null> => {
  let tracker: Tracker | null = null;
  const feed = { since: { version: null, time: null }, all: true, isAfresh: true };
  for await (const event of resumeFeed(context, feed)) {
    if (event.kind === "lost") context.stderr.write("agtmux: the daemon is gone; waiting for it\n");
    if (event.kind === "connected") tracker ??= await unlessLost(openTracker(context, event.client, wish));
    if (event.kind !== "entry" || tracker === null) continue;
    const { entry, client } = event;
    let verdict = tracker.take(entry);
    if (verdict.kind === "check") {
      const list = await unlessLost(client.call((api) => api.panes.query({ all: true })));
      if (list !== null) verdict = tracker.look(list.items);
    }
    if (verdict.kind === "held") return { ...verdict, rows: await whenDrawn(verdict.rows, client) };
    if (verdict.kind === "ended") return verdict;
  }
  return null;
};

/** Null when the person stopped it. Fails with E_TIMEOUT. */
const followFor = async (context: CliContext, wish: Wish, what: string): Promise<Final | null> => {
  const limit = new AbortController();
  const timer =
    wish.timeoutMs === null ? undefined : globalThis.setTimeout(() => limit.abort(), wish.timeoutMs);
  const signal = AbortSignal.any([context.signal, limit.signal]);
  try {
    const verdict = await follow({ ...context, signal }, wish);
    if (verdict === null && !context.signal.aborted) throw new AgtmuxError("E_TIMEOUT", what);
    return verdict;
  } finally {
    clearTimeout(timer);
  }
};

const describe = ({ identity, state: was }: PaneView): string =>
  `${identity.pane_ref} was last ${was === null ? "without an agent" : STATE_WORDS[was]}`;

/**
 * Waits for one agent and prints nothing. Null where the person stopped it. Fails with E_TIMEOUT, or with E_RUNTIME_ENDED when its
 * agent ended before.
 */
export const waitForRow = async (
  context: CliContext,
  ref: string,
  {
    conditions,
    after,
    timeoutMs,
    tooLate,
  }: { conditions: readonly Condition[]; after: number; timeoutMs: number; tooLate: string },
): Promise<PaneView | null> => {
  const wish: Wish = { ref, filters: parseFilters({}), mode: "any", conditions, after, timeoutMs };
  const verdict = await followFor(context, wish, tooLate);
  if (verdict?.kind === "ended")
    throw new AgtmuxError("E_RUNTIME_ENDED", "the agent ended before it was done", {
      details: [describe(verdict.row)],
    });
  return verdict?.rows[0] ?? null;
};

const print = async (
  context: CliContext,
  options: WaitOptions,
  result: WaitResult,
  columns: typeof COLUMNS,
): Promise<void> => {
  if (options.json === true) {
    context.print(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  const lines =
    options.plain === true
      ? renderPlain(result.items, columns, context.now())
      : renderRows(result.items, columns, renderOptionsOf(context, await measureFor(result), SEVERAL));
  context.print(lines.map((line) => `${line}\n`).join(""));
};

/** Fails with E_TIMEOUT, or with E_RUNTIME_ENDED when the condition can no longer come true. */
export const runWait = async (
  context: CliContext,
  ref: string | undefined,
  options: WaitOptions,
): Promise<void> => {
  checkForms(options);
  const wish = parseWish(ref, options);
  const columns = options.columns === undefined ? COLUMNS : parseColumns(options.columns, PANE_FIELDS);
  const until = wish.conditions.join(" or ");
  const startedAt = performance.now();
  const who = ref ?? (wish.mode === "every" ? "not every pane that matches" : "no pane that matches");
  const tooLate = `${who} ${ref === undefined ? "got" : "did not get"} to ${until} within ${options.timeout}`;
  const verdict = await followFor(context, wish, tooLate);
  if (verdict === null) return;
  if (verdict.kind === "ended")
    throw new AgtmuxError("E_RUNTIME_ENDED", `the agent ended before it got to ${until}`, {
      details: [describe(verdict.row)],
    });
  const result: WaitResult = {
    ...stamp(context.now()),
    ref: wish.ref,
    filters: shownFilters(wish.filters),
    until: [...wish.conditions],
    after: wish.after,
    condition: verdict.condition,
    waited_ms: Math.round(performance.now() - startedAt),
    items: [...verdict.rows],
  };
  await print(context, options, result, columns);
};
