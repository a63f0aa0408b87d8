// The change feed for as long as somebody watches: it goes on after the daemon was restarted, from the last version that
// was seen, so that nothing is missed and nothing comes twice.
import { setTimeout as delay } from "node:timers/promises";
import { AgtmuxError } from "../core/model/errors.ts";
import type { FeedEntry } from "../core/model/view.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import type { CliContext } from "./context.ts";
import type { Since } from "./parse/since.ts";

export type FeedEvent =
  /** A daemon answers, the first or the next one: ask again for whatever was shown. */
  | { kind: "connected"; client: DaemonClient }
  | { kind: "entry"; entry: FeedEntry; client: DaemonClient }
  /** The daemon went away; the next entry comes from another one. */
  | { kind: "lost" };

/** A daemon that is being restarted by somebody else gets this long before we start one. */
const RESTART_GRACE_MS = 2_000;
const POLL_MS = 100;
const LONGEST_WAIT_MS = 2_000;

const isUnavailable = (error: unknown): boolean =>
  error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE";

type Watcher = Pick<CliContext, "connect" | "signal">;

/** Null when the signal aborts first. Errors other than an absent daemon are final. */
const reconnect = async (context: Watcher): Promise<DaemonClient | null> => {
  const lostAt = performance.now();
  for (let waitMs = POLL_MS; !context.signal.aborted;) {
    const isGrace = performance.now() - lostAt < RESTART_GRACE_MS;
    try {
      return await context.connect(isGrace ? { start: false } : {});
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    // The only rejection is the person's Ctrl-C, which the loop's condition sees.
    await delay(waitMs, undefined, { signal: context.signal }).catch(() => {});
    if (!isGrace) waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
  return null;
};

/**
 * Entries until the context's signal aborts. Starts a daemon if none runs; fails when that fails. `isAfresh`: after a
 * restart a snapshot comes instead of the missed changes, for callers that only want the present.
 */
export async function* resumeFeed(
  context: Watcher,
  options: { since: Since; all: boolean; isAfresh?: boolean },
): AsyncGenerator<FeedEvent> {
  let { version, time } = options.since;
  let client: DaemonClient | null = await context.connect();
  while (client !== null) {
    yield { kind: "connected", client };
    try {
      for await (const entry of client.feed(
        { since: version, sinceTime: time, all: options.all },
        context.signal,
      )) {
        if (options.isAfresh !== true) {
          version = entry.version;
          time = null;
        }
        yield { kind: "entry", entry, client };
      }
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    } finally {
      client.close();
    }
    if (context.signal.aborted) return;
    yield { kind: "lost" };
    client = await reconnect(context);
  }
}
