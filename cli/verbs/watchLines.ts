// The lines of `watch --format jsonl`: one change per line, each with the version to resume from.
import { once } from "node:events";
import { matchesFilters, targetsNamed } from "../../core/api/paneFilter.ts";
import type { ListFilters } from "../../core/api/calls.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { FeedEntry, TargetView } from "../../core/model/view.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import type { CliContext } from "../context.ts";
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

/** With --once and --since: no further entry for this long means that there is none. */
const QUIET_MS = 500;

type Line = { at: number } & Record<string, unknown>;
type ToLines = (entry: FeedEntry, client: DaemonClient) => Promise<Line[]>;

/** Waits for a slow reader, so that the feed slows down and not our memory grows. */
const printLine = async (context: CliContext, line: Line): Promise<void> => {
  const at = new Date(line.at).toISOString();
  const text = `${JSON.stringify({ ...stamp(context.now()), ...line, at })}\n`;
  // A wait that is cut short by Ctrl-C is over as well.
  if (!context.stdout.write(text) && !context.signal.aborted)
    await once(context.stdout, "drain", { signal: context.signal }).catch(() => {});
};

/** Feed entries as they are, or what of them the filters let through: a row that no longer fits is told as removed. */
const paneLines = (filters: ListFilters): ToLines => {
  const isFiltered = Object.entries(filters).some(([name, value]) => name !== "all" && value !== undefined);
  const named = targetsNamed(filters);
  const shown = new Set<string>();
  return async (entry, client) => {
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
};

/** A target that went or came, and in a snapshot those whose rows are not what they should be. */
const missingTargets = (entry: FeedEntry): TargetView[] => {
  if (entry.kind === "target") return [entry.target];
  return entry.kind === "snapshot" ? entry.targets.filter(({ health }) => health !== "ok") : [];
};

/** Rows of windows or sessions that differ from what was printed last, and those that went. */
const rollUpLines = (
  scope: "windows" | "sessions",
  { ask, filters }: Pick<LinesInput, "ask" | "filters">,
): ToLines => {
  const name = scope === "windows" ? "window" : "session";
  const named = targetsNamed(filters);
  let printed = new Map<string, string>();
  return async (entry, client) => {
    const { version, at } = entry;
    const { document } = await client.call(ask);
    const current = new Map<string, string>();
    const lines: Line[] = missingTargets(entry)
      .filter((target) => named === null || named.has(target.target))
      .map((target) => ({ kind: "target", version, at, target }));
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
    return lines;
  };
};

const lineMaker = ({ scope, ask, filters }: LinesInput): ToLines =>
  scope === "panes" ? paneLines(filters) : rollUpLines(scope, { ask, filters });

/** Null when the daemon went away in the middle of it. */
const makeLines = async (
  toLines: ToLines,
  entry: FeedEntry,
  client: DaemonClient,
): Promise<Line[] | null> => {
  try {
    return await toLines(entry, client);
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE") return null;
    throw error;
  }
};

/** Runs until the context's signal aborts. */
export const printChanges = async (context: CliContext, input: LinesInput): Promise<void> => {
  const toLines = lineMaker(input);
  let since = input.since;
  while (!context.signal.aborted) {
    for await (const event of resumeFeed(context, { since, all: input.all })) {
      if (event.kind === "connected") continue;
      if (event.kind === "lost") {
        context.stderr.write("agtmux: the daemon is gone; waiting for it\n");
        continue;
      }
      const lines = await makeLines(toLines, event.entry, event.client);
      // What could not be printed comes again from the next daemon.
      if (lines === null) break;
      for (const line of lines) await printLine(context, line);
      since = { version: event.entry.version, time: null };
    }
  }
};

/** The version that the daemon is at now. */
const currentVersion = async (client: DaemonClient, signal: AbortSignal): Promise<number> => {
  for await (const entry of client.feed({ since: null, sinceTime: null, all: false }, signal))
    return entry.version;
  return 0;
};

/** A snapshot, or what was stored since; then the end. */
export const printChangesOnce = async (context: CliContext, input: LinesInput): Promise<void> => {
  const toLines = lineMaker(input);
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
    for await (const entry of client.feed({ since: version, sinceTime: time, all: input.all }, signal)) {
      for (const line of await toLines(entry, client)) await printLine(context, line);
      if (entry.kind !== "gap" && entry.version >= last) return;
      wait();
    }
  } finally {
    clearTimeout(timer);
    client.close();
  }
};
