// `agtmux watch`: the lists as they change, as JSON lines (one object per change) or as a table that redraws in place.
import { once } from "node:events";
import { matchesFilters, shownFilters, targetsNamed } from "../../core/api/paneFilter.ts";
import type { ListFilters } from "../../core/api/calls.ts";
import {
  rollUp,
  type Counts,
  type FeedEntry,
  type PaneView,
  type TargetView,
} from "../../core/model/view.ts";
import { endsWithin } from "../../core/model/endsWithin.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { setTimer, type CliContext, callDaemon, type DaemonClient } from "../command/context.ts";
import { type Since, parseDuration, parseSince } from "../parse/values.ts";
import { resumeFeed } from "../command/resumeFeed.ts";
import {
  type AskListing,
  type Scope,
  renderOptionsOf,
  prepareListing,
  type ListOptions,
} from "../command/listing.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import { createLogUpdate } from "log-update";
import type { Marks } from "../render/field.ts";
import { loadExactMeasure, PLAIN_MEASURE, cut } from "../render/table.ts";
import { parseFilters } from "../parse/filters.ts";
import { printList } from "./list.ts";

// JSON lines: one change per line, each with the version to resume from.

interface LinesInput {
  readonly scope: Scope;
  readonly ask: AskListing;
  readonly since: Since;
  readonly all: boolean;
  readonly filters: ListFilters;
}

/** Changes of windows and sessions within this time share one request for their list. */
const BURST_MS = 50;
/** With --once and --since: if no entry comes for this long, there are no more. */
const QUIET_MS = 500;

type Line = { at: number } & Record<string, unknown>;
type ToLines = (entries: readonly FeedEntry[], client: DaemonClient) => Promise<Line[]>;

/**
 * Entries that come within `burstMs` of the first, as one batch; each alone where `burstMs` is 0. Fails as `source` does, after
 * the remaining entries.
 */
async function* inBursts<T>(source: AsyncIterable<T>, burstMs: number): AsyncGenerator<T[]> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (let first = await next; first.done !== true; first = await next) {
      const burst = [first.value];
      const endsAt = performance.now() + burstMs;
      for (;;) {
        next = iterator.next();
        // The surrounding loop handles a failure in its turn.
        const more = next.catch(() => null);
        const leftMs = endsAt - performance.now();
        if (leftMs <= 0 || !(await endsWithin(more, leftMs, { setTimer }))) break;
        const found = await more;
        if (found === null || found.done === true) break;
        burst.push(found.value);
      }
      yield burst;
    }
  } finally {
    // Not awaited: it ends only after the entry that was requested last, which may never come.
    iterator.return?.().catch(() => {});
  }
}

/** Waits for a slow reader, so that the feed slows down instead of our memory growing. */
const printLine = async (context: CliContext, line: Line): Promise<void> => {
  const at = new Date(line.at).toISOString();
  const text = `${JSON.stringify({ ...stamp(context.now()), ...line, at })}\n`;
  // A wait that Ctrl-C ends is over as well.
  if (!context.stdout.write(text) && !context.signal.aborted)
    await once(context.stdout, "drain", { signal: context.signal }).catch(() => {});
};

/**
 * Counts of the rows that pass the filters, after each entry. A stream that begins with stored changes has no snapshot: one is
 * requested, and until the stored changes have caught up with it, the counts are those of the snapshot.
 */
const createTally = (filters: ListFilters): ((entry: FeedEntry, client: DaemonClient) => Promise<Counts>) => {
  let known: { version: number; rows: Map<string, PaneView> } | null = null;
  const take = ({ version, panes }: Extract<FeedEntry, { kind: "snapshot" }>): void => {
    known = { version, rows: new Map(panes.map((pane) => [pane.identity.pane_ref, pane])) };
  };
  const ask = async (client: DaemonClient): Promise<void> => {
    const feed = client.feed({ since: null, sinceTime: null, all: false }, new AbortController().signal);
    for await (const entry of feed) {
      if (entry.kind === "snapshot") take(entry);
      return;
    }
  };
  return async (entry, client) => {
    if (entry.kind === "snapshot") take(entry);
    else if (known === null) await ask(client);
    if (known !== null && entry.version >= known.version) {
      if (entry.kind === "state") known.rows.set(entry.pane.identity.pane_ref, entry.pane);
      if (entry.kind === "removed") known.rows.delete(entry.pane_ref);
    }
    return rollUp([...(known?.rows.values() ?? [])].filter((pane) => matchesFilters(pane, filters)));
  };
};

/** The feed entries, or the part that passes the filters: a row that no longer passes is printed as removed. */
const paneLines = (filters: ListFilters): ToLines => {
  const isFiltered = Object.entries(filters).some(([name, value]) => name !== "all" && value !== undefined);
  const named = targetsNamed(filters);
  const shown = new Set<string>();
  const tally = createTally(filters);
  const asked = shownFilters(filters);
  const toLines = async (entry: FeedEntry, client: DaemonClient): Promise<Line[]> => {
    if (!isFiltered) return [entry];
    switch (entry.kind) {
      case "snapshot": {
        const { summary } = await client.call((api) => api.panes.query(filters));
        const panes = entry.panes.filter((pane) => matchesFilters(pane, filters));
        shown.clear();
        for (const pane of panes) shown.add(pane.identity.pane_ref);
        const targets = entry.targets.filter((one) => named === null || named.has(one.target));
        return [{ ...entry, panes, targets, summary }];
      }
      case "state": {
        const { identity } = entry.pane;
        const { pane_ref, runtime_id } = identity;
        if (matchesFilters(entry.pane, filters)) {
          shown.add(pane_ref);
          return [entry];
        }
        if (!shown.delete(pane_ref)) return [];
        return [{ kind: "removed", version: entry.version, at: entry.at, pane_ref, runtime_id, identity }];
      }
      case "removed": {
        const wasShown = shown.delete(entry.pane_ref);
        return wasShown || named?.has(entry.identity.target) === true ? [entry] : [];
      }
      case "target":
        return named === null || named.has(entry.target.target) ? [entry] : [];
      case "gap":
        return [entry];
    }
  };
  return async (entries, client) => {
    const lines: Line[] = [];
    for (const entry of entries) {
      const frame = { filters: asked, summary: await tally(entry, client) };
      for (const line of await toLines(entry, client)) lines.push({ ...frame, ...line });
    }
    return lines;
  };
};

/** Targets that appeared or disappeared; in a snapshot also those whose rows are incomplete. */
const missingTargets = (entry: FeedEntry): TargetView[] => {
  if (entry.kind === "target") return [entry.target];
  return entry.kind === "snapshot" ? entry.targets.filter(({ health }) => health !== "ok") : [];
};

/** Rows of windows or sessions that changed since they were last printed, and those that disappeared. */
const rollUpLines = (
  scope: "windows" | "sessions",
  { ask, filters }: Pick<LinesInput, "ask" | "filters">,
): ToLines => {
  const name = scope === "windows" ? "window" : "session";
  const named = targetsNamed(filters);
  let printed = new Map<string, string>();
  return async (entries, client) => {
    const { version, at } = entries.at(-1) ?? { version: 0, at: 0 };
    const { document } = await client.call(ask);
    const current = new Map<string, string>();
    const lines: Line[] = entries.flatMap((entry) =>
      missingTargets(entry)
        .filter((target) => named === null || named.has(target.target))
        .map((target) => ({ kind: "target", version: entry.version, at: entry.at, target })),
    );
    for (const item of document.items) {
      const identity = typeof item === "object" && item !== null && "identity" in item ? item.identity : null;
      const key = JSON.stringify(identity);
      const text = JSON.stringify(item);
      current.set(key, text);
      if (printed.get(key) !== text) lines.push({ kind: name, version, at, [name]: item });
    }
    for (const key of printed.keys())
      if (!current.has(key)) {
        const identity: unknown = JSON.parse(key);
        lines.push({ kind: "removed", version, at, identity });
      }
    printed = current;
    return lines.map((one) => ({ filters: document.filters, summary: document.summary, ...one }));
  };
};

const lineMaker = ({ scope, ask, filters }: LinesInput): { toLines: ToLines; burstMs: number } =>
  scope === "panes"
    ? { toLines: paneLines(filters), burstMs: 0 }
    : { toLines: rollUpLines(scope, { ask, filters }), burstMs: BURST_MS };

/** Null when the daemon disappeared meanwhile. */
const makeLines = async (
  toLines: ToLines,
  entries: readonly FeedEntry[],
  client: DaemonClient,
): Promise<Line[] | null> => {
  try {
    return await toLines(entries, client);
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE") return null;
    throw error;
  }
};

/** Runs until the context's signal aborts. */
export const printChanges = async (context: CliContext, input: LinesInput): Promise<void> => {
  const { toLines, burstMs } = lineMaker(input);
  let since = input.since;
  while (!context.signal.aborted) {
    for await (const events of inBursts(resumeFeed(context, { since, all: input.all }), burstMs)) {
      if (events.some(({ kind }) => kind === "lost"))
        context.stderr.write("agtmux: the daemon is gone; waiting for it\n");
      const news = events.filter((event) => event.kind === "entry");
      const last = news.at(-1);
      if (last === undefined) continue;
      const entries = news.map(({ entry }) => entry);
      const lines = await makeLines(toLines, entries, last.client);
      // Entries that could not be printed come again from the next daemon.
      if (lines === null) break;
      for (const line of lines) await printLine(context, line);
      since = { version: last.entry.version, time: null };
    }
  }
};

/** The version that the daemon is at now. */
const currentVersion = async (client: DaemonClient, signal: AbortSignal): Promise<number> => {
  for await (const entry of client.feed({ since: null, sinceTime: null, all: false }, signal))
    return entry.version;
  return 0;
};

/** Prints a snapshot, or the stored changes, and ends. */
export const printChangesOnce = async (context: CliContext, input: LinesInput): Promise<void> => {
  const { toLines, burstMs } = lineMaker(input);
  const { version, time } = input.since;
  const isResumed = version !== null || time !== null;
  const client = await context.connect();
  const quiet = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    if (isResumed) timer = setTimeout(() => quiet.abort(), QUIET_MS);
  };
  try {
    const last = isResumed ? await currentVersion(client, context.signal) : 0;
    if (version !== null && version >= last) return;
    wait();
    const signal = AbortSignal.any([context.signal, quiet.signal]);
    const feed = client.feed({ since: version, sinceTime: time, all: input.all }, signal);
    for await (const entries of inBursts(feed, isResumed ? burstMs : 0)) {
      for (const line of await toLines(entries, client)) await printLine(context, line);
      if (entries.some((entry) => entry.kind !== "gap" && entry.version >= last)) return;
      wait();
    }
  } finally {
    clearTimeout(timer);
    client.close();
  }
};

// Table: redrawn when something changed or ages have advanced, in place and without flicker.

interface TableInput {
  readonly ask: AskListing;
  readonly marks: Marks;
  /** How often ages are redrawn; changes show at once. */
  readonly intervalMs: number;
  readonly all: boolean;
}

/** A burst of changes is one request and one frame. */
const SETTLE_MS = 50;

interface Screen {
  draw(lines: readonly string[]): void;
  close(): void;
}

/** Lines that do not fit are left out, and a line says how many; the last line stays free for the cursor. */
export const clip = (
  lines: readonly string[],
  size: { rows: number; columns: number },
): readonly string[] => {
  const room = Math.max(1, size.rows - 1);
  if (lines.length <= room) return lines;
  const hidden = lines.length - room + 1;
  return [
    ...lines.slice(0, room - 1),
    cut(`… ${hidden} more lines: use filters or a taller terminal`, size.columns, PLAIN_MEASURE),
  ];
};

/** In a terminal each frame replaces the last one; elsewhere each frame that differs is appended. */
const openScreen = (context: CliContext): Screen => {
  if (!context.stdout.isTTY) {
    let last = "";
    return {
      draw: (lines) => {
        const frame = `${lines.join("\n")}\n\n`;
        if (frame !== last) context.print(frame);
        last = frame;
      },
      close: () => {},
    };
  }
  const update = createLogUpdate(context.stdout);
  return {
    draw: (lines) => update(clip(lines, context.stdout).join("\n")),
    close: () => update.done(),
  };
};

/** Runs until the context's signal aborts. */
export const showTable = async (context: CliContext, input: TableInput): Promise<void> => {
  const screen = openScreen(context);
  // A table that stays on the screen loads the exact widths only once.
  const measure = await loadExactMeasure();
  let shown: Awaited<ReturnType<AskListing>> | null = null;
  let client: DaemonClient | null = null;
  let pending: NodeJS.Timeout | null = null;
  const failed = Promise.withResolvers<never>();

  const draw = (): void => {
    if (shown === null) return;
    const lines = shown.table({ ...renderOptionsOf(context, measure, shown.machines), ...input.marks });
    screen.draw(
      client === null ? [...lines, context.paint("yellow", "The daemon is gone; waiting for it…")] : lines,
    );
  };
  const refresh = async (from: DaemonClient): Promise<void> => {
    try {
      shown = await from.call(input.ask);
      draw();
    } catch (error) {
      // If the daemon disappears during the request, the feed notices it; any other error is a real failure.
      if (client === from) failed.reject(error);
    }
  };
  const schedule = (from: DaemonClient): void => {
    pending ??= setTimeout(() => {
      pending = null;
      void refresh(from);
    }, SETTLE_MS);
  };
  const follow = async (): Promise<void> => {
    const since = { version: null, time: null };
    for await (const event of resumeFeed(context, { since, all: input.all, isShown: true })) {
      client = event.kind === "lost" ? null : event.client;
      if (event.kind === "lost") draw();
      else schedule(event.client);
    }
  };

  const ticker = setInterval(draw, input.intervalMs);
  context.stdout.on("resize", draw);
  try {
    await Promise.race([follow(), failed.promise]);
  } finally {
    clearInterval(ticker);
    if (pending !== null) clearTimeout(pending);
    context.stdout.off("resize", draw);
    screen.close();
  }
};

// Options: which of the two runs, and with what.

export interface WatchOptions extends ListOptions {
  scope?: string;
  format?: string;
  interval?: string;
  since?: string;
  once?: boolean;
}

const DEFAULT_INTERVAL_MS = 1_000;
/** Redrawing more often is of no use to a person. */
const SHORTEST_INTERVAL_MS = 100;
/** The most that the platform's timers support: a longer one would fire all the time. */
const LONGEST_INTERVAL_MS = 2_147_483_647;

const parseScope = (text: string): Scope => {
  if (text === "panes" || text === "windows" || text === "sessions") return text;
  throw new AgtmuxError("E_USAGE", `--scope: unknown value '${text}'`, {
    remedy: "Use panes, windows or sessions.",
  });
};

const watchLines = async (
  context: CliContext,
  options: WatchOptions,
  how: { scope: Scope; ask: AskListing; since: Since },
): Promise<void> => {
  if (options.sort !== undefined || options.columns !== undefined)
    throw new AgtmuxError("E_USAGE", "--sort and --columns are for tables, and --format is jsonl");
  if (options.interval !== undefined)
    throw new AgtmuxError("E_USAGE", "--interval is for tables, and --format is jsonl", {
      remedy: "Leave it out: a change is a line at once.",
    });
  const filters = parseFilters(options);
  // The feed itself does not check filters, so an unknown target or agent has to be refused before.
  if (targetsNamed(filters) !== null || filters.agent !== undefined) await callDaemon(context, how.ask);
  const input = { ...how, all: options.all === true, filters };
  await (options.once === true ? printChangesOnce(context, input) : printChanges(context, input));
};

/** Runs until Ctrl-C; with --once, until everything present was printed. Fails with E_USAGE before it shows anything. */
export const runWatch = async (context: CliContext, options: WatchOptions): Promise<void> => {
  const scope = parseScope(options.scope ?? "panes");
  const format = options.format ?? "table";
  if (format !== "table" && format !== "jsonl")
    throw new AgtmuxError("E_USAGE", `--format: unknown value '${format}'`, {
      remedy: "Use table or jsonl.",
    });
  const since: Since =
    options.since === undefined ? { version: null, time: null } : parseSince(options.since, context.now());
  const intervalMs =
    options.interval === undefined ? DEFAULT_INTERVAL_MS : parseDuration(options.interval, "--interval");
  const ask = prepareListing(scope, options);
  if (format === "jsonl") {
    await watchLines(context, options, { scope, ask, since });
    return;
  }
  if (options.since !== undefined && scope !== "panes")
    throw new AgtmuxError("E_USAGE", `--since marks panes, and --scope is ${scope}`, {
      remedy: "Leave one of them out, or use --format jsonl.",
    });
  const marks = options.since === undefined ? {} : { changedSince: since };
  if (options.once === true) await printList(context, ask, marks);
  else
    await showTable(context, {
      ask,
      marks,
      intervalMs: Math.min(Math.max(intervalMs, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS),
      all: options.all === true,
    });
};
