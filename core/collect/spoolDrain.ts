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
import { createSpoolFolders, listByTime } from "./spoolFolders.ts";

/**
 * Larger batches are no cheaper per event, and they delay everybody who waits for an answer: a batch of this size takes ten
 * milliseconds, one of 500 forty.
 */
const BATCH_FILES = 200;
/**
 * The watch begins a drain no sooner than this after the one before: waking up for one event costs twenty times as much as one
 * event more in a batch. The first event after a pause is taken at once.
 */
const GATHER_MS = 40;
/** Our clock and the wall clock differ by less than this, unless the wall clock was set back. */
const SET_BACK_MS = 1_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const HOUSEKEEPING_MS = 60 * 60 * 1_000;

export interface SpoolDrain {
  /** Makes the folders, takes the files that are already there, and goes on by itself. Resolves after the first sweep. */
  start(): Promise<void>;
  /** Takes every file that lies there at this moment. @throws Error where it could not, which is tried again, as always. */
  take(): Promise<void>;
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
  let running: Promise<boolean> | null = null;
  let isAsked = false;
  let isHinted = false;
  let drainedAt = Number.NEGATIVE_INFINITY;
  /** Deleted by the last drain: the watch will tell of them, which is no news. */
  const deleted = new Set<string>();
  let isClosed = false;
  let rejectedCount = 0;
  let retryMs = 0;
  let cancelTimer: (() => void) | null = null;
  let tidiedAt = Number.NEGATIVE_INFINITY;

  const reject = async (name: string, problem: string): Promise<void> => {
    rejectedCount += 1;
    logger.warn({ file: name, problem }, "a file in the spool is no event");
    if (!(await folders.reject(name))) immovable.add(name);
  };

  const deleteCommitted = (name: string): void => {
    try {
      folders.remove(name);
      deleted.add(name);
    } catch (error) {
      if (leftover.size === 0) logger.warn({ error, file: name }, "a committed event could not be deleted");
      leftover.add(name);
    }
  };

  /** Reads, hands over and deletes one batch; false when it was not committed. */
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
    for (const { name } of good) {
      await yieldToEventLoop();
      deleteCommitted(name);
    }
    return true;
  };

  /** False when something was not taken. */
  const sweep = async (): Promise<boolean> => {
    const yieldToEventLoop = newYielding();
    for (;;) {
      isAsked = false;
      const names = (await listByTime(folders.newDir, yieldToEventLoop)).map((entry) => entry.name);
      const fresh = names.filter((name) => !immovable.has(name) && !leftover.has(name));
      for (let from = 0; from < fresh.length; from += BATCH_FILES) {
        if (isClosed) return false;
        if (!(await takeBatch(fresh.slice(from, from + BATCH_FILES), yieldToEventLoop))) {
          retryMs = Math.min(Math.max(FIRST_RETRY_MS, retryMs * 2), LONGEST_RETRY_MS);
          return false;
        }
      }
      retryMs = 0;
      if (isClosed || !isAsked) return true;
    }
  };
  const removeLeftover = (): void => {
    for (const name of leftover)
      try {
        folders.remove(name);
        leftover.delete(name);
      } catch {
        // It failed again: the next sweep tries once more.
        return;
      }
  };
  const tidy = async (): Promise<void> => {
    removeLeftover();
    if (clock.now() - tidiedAt < HOUSEKEEPING_MS) return;
    tidiedAt = clock.now();
    const removed = await folders.removeStaleTemps(clock.now());
    if (removed > 0) logger.info({ removed }, "stale temporary files removed from the spool");
  };

  /** False where something was not taken. Never rejects. */
  const drain = (): Promise<boolean> => {
    if (isClosed) return running ?? Promise.resolve(false);
    isAsked = true;
    running ??= (async () => {
      cancelTimer?.();
      drainedAt = clock.now();
      isHinted = false;
      deleted.clear();
      try {
        const isWhole = await sweep();
        await tidy();
        return isWhole;
      } catch (error) {
        // The folders may have been removed under us: make them again, and look at the next sweep.
        logger.warn({ error }, "the spool could not be read");
        await folders.create().catch(() => {});
        return false;
      } finally {
        running = null;
        drainIn(retryMs > 0 ? retryMs : isHinted ? gatherLeftMs() : sweepMs);
      }
    })();
    return running;
  };
  /** Guards against a clock that was set back. */
  const gatherLeftMs = (): number => Math.min(Math.max(0, drainedAt + GATHER_MS - clock.now()), GATHER_MS);
  const drainIn = (delayMs: number): void => {
    cancelTimer?.();
    if (!isClosed) cancelTimer = clock.setTimer(delayMs, () => void drain());
  };
  const hint = (name: string | null): void => {
    if (retryMs > 0 || isHinted || (name !== null && deleted.delete(name))) return;
    isHinted = true;
    if (running !== null) return;
    const leftMs = gatherLeftMs();
    if (leftMs > 0) drainIn(leftMs);
    else void drain();
  };
  const openWatch = (): void => {
    try {
      watcher = watch(folders.newDir, (_kind, name) => hint(name));
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
    take: async () => {
      if (!(await drain())) throw new Error("the events that wait could not be taken");
    },
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
