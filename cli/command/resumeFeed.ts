// The change feed as long as somebody watches. After a restart of the daemon it continues from the last version that was seen,
// so that no change is missed or comes twice.
import { setTimeout as delay } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { FeedEntry } from "../../core/model/view.ts";
import type { CliContext, DaemonClient } from "./context.ts";
import type { Since } from "../parse/values.ts";

export type FeedEvent =
  /** A daemon answers, the first or a later one: everything that is shown has to be requested again. */
  | { kind: "connected"; client: DaemonClient }
  | { kind: "entry"; entry: FeedEntry; client: DaemonClient }
  /** The daemon is gone; the next entry comes from another one. */
  | { kind: "lost" };

/** How long we wait for somebody else to restart the daemon before we start one. */
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
 * restart a snapshot comes instead of the missed changes, for callers that only want the present. `isShown`: the rows are
 * drawn for a person.
 */
export async function* resumeFeed(
  context: Watcher,
  options: { since: Since; all: boolean; isAfresh?: boolean; isShown?: boolean },
): AsyncGenerator<FeedEvent> {
  let { version, time } = options.since;
  let client: DaemonClient | null = await context.connect();
  while (client !== null) {
    yield { kind: "connected", client };
    try {
      for await (const entry of client.feed(
        { since: version, sinceTime: time, all: options.all, shown: options.isShown === true },
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
