// Takes events out of the local spool: in the order of their files' times, in batches, and deletes a file only after its
// batch was committed. The watch on the folder is a hint (a full inotify queue drops names silently); the sweep is the
// truth. It knows nothing of what events mean.
import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "../model/envelope.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { createYielding } from "./yieldToEventLoop.ts";
import { readEventFile } from "./eventFile.ts";
import { createSpoolFolders, listByTime, mapBounded } from "./spoolFolders.ts";

/**
 * Larger batches are no cheaper per event, and they delay everybody who waits for an answer: a batch of this size takes ten
 * milliseconds, one of 500 forty.
 */
const BATCH_FILES = 200;
/** Our clock and the wall clock differ by less than this, unless the wall clock was set back. */
const SET_BACK_MS = 1_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const HOUSEKEEPING_MS = 60 * 60 * 1_000;

export interface SpoolDrain {
  /** Makes the folders, takes the files that are already there, and goes on by itself. Resolves after the first sweep. */
  start(): Promise<void>;
  /** Sweeps now; resolves when the spool was seen empty or a batch failed. Never rejects. */
  drain(): Promise<void>;
  /** Files that were set aside since the start because they are not events. */
  readonly rejectedCount: number;
  /** Stops watching and resolves when a running batch is done. */
  close(): Promise<void>;
}

export interface SpoolDrainOptions {
  spoolDir: string;
  /** Commits durably; a throw leaves the files in place, to be brought again after a growing pause (0.1 to 5 s). */
  onBatch: (envelopes: Envelope[]) => Promise<void> | void;
  /** Turns the text of a file that is not an event into what may be kept of it. */
  redact: (text: string) => string;
  logger: Logger;
  clock: Clock;
  sweepMs: number;
}

export const createSpoolDrain = (options: SpoolDrainOptions): SpoolDrain => {
  const { spoolDir, onBatch, logger, clock, sweepMs } = options;
  /** Uses real time, not the clock of the events: it decides how long others have to wait. */
  const newYielding = (): (() => Promise<void>) => createYielding({ now: () => performance.now() });
  const folders = createSpoolFolders({ spoolDir, redact: options.redact, newYielding });
  const uid = process.getuid?.() ?? null;
  /** Files that could not even be moved away: looked at once, then left alone. */
  const immovable = new Set<string>();
  /** Committed files that could not be deleted: only their deletion is tried again. */
  const leftover = new Set<string>();
  let watcher: FSWatcher | null = null;
  let running: Promise<void> | null = null;
  let isHinted = false;
  let isClosed = false;
  let rejectedCount = 0;
  let retryMs = 0;
  let cancelTimer: (() => void) | null = null;
  /** The deletion of the last committed batch, which runs while the next one is read. */
  let deletion: Promise<void> = Promise.resolve();
  let tidiedAt = Number.NEGATIVE_INFINITY;

  const reject = async (name: string, problem: string): Promise<void> => {
    rejectedCount += 1;
    logger.warn({ file: name, problem }, "a file in the spool is no event");
    if (!(await folders.reject(name))) immovable.add(name);
  };

  const deleteCommitted = async (names: readonly string[]): Promise<void> => {
    await mapBounded(names, (name) =>
      folders.remove(name).catch((error: unknown) => {
        if (leftover.size === 0) logger.warn({ error, file: name }, "a committed event could not be deleted");
        leftover.add(name);
      }),
    );
  };

  /** Reads and hands over one batch and begins to delete it; false when it was not committed. */
  const takeBatch = async (
    names: readonly string[],
    yieldToEventLoop: () => Promise<void>,
  ): Promise<boolean> => {
    // When the wall clock is set back, our clock is not, but the files' times are: new files would look older than earlier
    // ones.
    const aheadMs = clock.now() - Date.now();
    const laterMs = aheadMs > SET_BACK_MS ? aheadMs : 0;
    const good: { name: string; envelope: Envelope }[] = [];
    for (const name of names) {
      await yieldToEventLoop();
      const result = readEventFile(join(folders.newDir, name), name, uid);
      if (result === null) continue;
      if (result.isOk)
        good.push({
          name,
          envelope: { ...result.envelope, eventTime: result.envelope.eventTime + laterMs },
        });
      else await reject(name, result.problem);
    }
    if (good.length === 0) return true;
    try {
      await onBatch(good.map((entry) => entry.envelope));
    } catch (error) {
      logger.error({ error, files: good.length }, "events could not be committed; they stay in the spool");
      return false;
    }
    await deletion;
    deletion = deleteCommitted(good.map((entry) => entry.name));
    return true;
  };

  const sweep = async (): Promise<void> => {
    const yieldToEventLoop = newYielding();
    for (;;) {
      isHinted = false;
      const names = (await listByTime(folders.newDir, yieldToEventLoop)).map((entry) => entry.name);
      const fresh = names.filter((name) => !immovable.has(name) && !leftover.has(name));
      for (let from = 0; from < fresh.length; from += BATCH_FILES) {
        if (isClosed) return;
        if (!(await takeBatch(fresh.slice(from, from + BATCH_FILES), yieldToEventLoop))) {
          retryMs = Math.min(Math.max(FIRST_RETRY_MS, retryMs * 2), LONGEST_RETRY_MS);
          return;
        }
      }
      // A file that is still there when the folder is listed again would count as new.
      await deletion;
      retryMs = 0;
      if (isClosed || (fresh.length === 0 && !isHinted)) return;
    }
  };
  const removeLeftover = async (): Promise<void> => {
    for (const name of leftover)
      try {
        await folders.remove(name);
        leftover.delete(name);
      } catch {
        // It failed again: the next sweep tries once more.
        return;
      }
  };
  const tidy = async (): Promise<void> => {
    await removeLeftover();
    if (clock.now() - tidiedAt < HOUSEKEEPING_MS) return;
    tidiedAt = clock.now();
    const removed = await folders.removeStaleTemps(clock.now());
    if (removed > 0) logger.info({ removed }, "stale temporary files removed from the spool");
  };

  const drain = (): Promise<void> => {
    if (isClosed) return running ?? Promise.resolve();
    isHinted = true;
    running ??= (async () => {
      cancelTimer?.();
      try {
        await sweep();
        await tidy();
      } catch (error) {
        // The folders may have been removed under us: make them again, and look at the next sweep.
        logger.warn({ error }, "the spool could not be read");
        await folders.create().catch(() => {});
      } finally {
        await deletion;
        running = null;
        if (!isClosed) cancelTimer = clock.setTimer(retryMs > 0 ? retryMs : sweepMs, () => void drain());
      }
    })();
    return running;
  };
  const openWatch = (): void => {
    try {
      watcher = watch(folders.newDir, () => {
        if (retryMs === 0) void drain();
      });
      watcher.on("error", (error) => {
        logger.warn({ error }, "the watch on the spool ended; sweeping goes on");
        watcher?.close();
      });
    } catch (error) {
      logger.warn({ error }, "the spool cannot be watched; sweeping goes on");
    }
  };

  return {
    start: async () => {
      await folders.create();
      openWatch();
      await drain();
    },
    drain,
    get rejectedCount() {
      return rejectedCount;
    },
    close: async () => {
      isClosed = true;
      watcher?.close();
      cancelTimer?.();
      await running;
      cancelTimer?.();
    },
  };
};
