// The lines of `watch --format jsonl`: one change per line, each with the version to resume from.
import { once } from "node:events";
import { matchesFilters, shownFilters, targetsNamed } from "../../core/api/paneFilter.ts";
import type { ListFilters } from "../../core/api/calls.ts";
import { rollUp } from "../../core/model/rollUp.ts";
import { endsWithin } from "../../core/model/endsWithin.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Counts, FeedEntry, PaneView, TargetView } from "../../core/model/view.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { setTimer, type CliContext } from "../context.ts";
import type { Since } from "../parse/since.ts";
import { resumeFeed } from "../resumeFeed.ts";
import type { AskListing, Scope } from "../listing.ts";
import { stamp } from "../document.ts";

export interface LinesInput {
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
 * Counts of the rows that pass the filters, after each entry. A stream that begins with stored changes has seen no snapshot: it asks
 * for one, and until the stored changes have caught up with it the counts are those of that moment.
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

/** A snapshot, or the stored changes; then the end. */
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
