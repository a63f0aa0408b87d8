// Takes events out of the spool of a target behind a connection. As in spoolDrain.ts, a file is deleted only after its event was
// committed, and to bring one twice is harmless. Nothing on the remote side may wait for us, so the spool is asked a few times a
// second, which costs a few bytes; most events arrive with the answer that finds them.
import { type Envelope, MAX_PAYLOAD_BYTES } from "../model/envelope.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { RemoteSpool, SpooledFile } from "../ports/targetExecutor.ts";
import { MAX_HEADER_BYTES, parseEnvelope } from "./spoolDrain.ts";
import { endsWithin } from "../model/endsWithin.ts";

export type EventTimes = ReturnType<typeof createEventTimes>;

/**
 * When the events of a target happened, by our own clock: the target's may be hours off, so only the age of a file counts, which
 * varies with the time of the answer and may be in whole seconds. Each target has one, which outlives its connections: the order of
 * files must survive a new connection.
 */
export const createEventTimes = () => {
  let last = Number.NEGATIVE_INFINITY;
  return {
    /** Epoch ms of an event that is `ageMs` old on arrival; never earlier than that of an event before it. */
    timeOf: (arrivedAt: number, ageMs: number): number => {
      last = Math.max(last, arrivedAt - ageMs);
      return Math.min(last, arrivedAt);
    },
  };
};

const GLANCE_MS = 250;
const BATCH_FILES = 200;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

/** How a spool that never stops filling shares the time: 1 part of work to this many parts of rest. */
const REST_PER_WORK = 2;
const LONGEST_REST_MS = 2_000;
const START_LIMIT_MS = 20_000;

const growing = (ms: number): number => Math.min(Math.max(FIRST_RETRY_MS, ms * 2), LONGEST_RETRY_MS);

export type RemoteDrain = ReturnType<typeof createRemoteDrain>;

export const createRemoteDrain = (options: {
  spool: RemoteSpool;
  /** Commits durably; a throw leaves the files where they are, to be brought again. */
  onBatch: (envelopes: Envelope[]) => Promise<void> | void;
  times: EventTimes;
  logger: Logger;
  clock: Clock;
}) => {
  const { spool, onBatch, times, logger, clock } = options;
  let running: Promise<boolean> | null = null;
  let isClosed = false;
  let retryMs = 0;
  let cancelTimer: () => void = () => {};
  let endRest: () => void = () => {};

  /** The name alone is reused one day, like the process id in it. */
  const toEnvelope = (file: SpooledFile, arrivedAt: number) => {
    if (file.bytes === null) return { isOk: false, problem: "it is no regular file of the user" } as const;
    return parseEnvelope({
      spoolName: `${file.modifiedSeconds.toString(36)}-${file.size}-${file.name}`.slice(0, 255),
      eventTime: times.timeOf(arrivedAt, file.ageMs),
      size: file.size,
      bytes: Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length),
    });
  };

  /** @param listed the files that came with a glance. */
  const takeBatch = async (listed: SpooledFile[] | null): Promise<number> => {
    if (isClosed) return 0;
    const maxBytes = MAX_PAYLOAD_BYTES + MAX_HEADER_BYTES;
    const files = listed ?? (await spool.read({ count: BATCH_FILES, maxBytes }));
    const arrivedAt = clock.now();
    const good: { name: string; envelope: Envelope }[] = [];
    for (const file of files) {
      const parsed = toEnvelope(file, arrivedAt);
      if (parsed.isOk) good.push({ name: file.name, envelope: parsed.envelope });
      else {
        logger.warn({ file: file.name, problem: parsed.problem }, "a file in the target's spool is no event");
        await spool.reject(file.name);
      }
    }
    if (good.length > 0) {
      await onBatch(good.map(({ envelope }) => envelope));
      await spool.remove(good.map(({ name }) => name));
    }
    return files.length;
  };

  const rest = (ms: number): Promise<void> =>
    isClosed
      ? Promise.resolve()
      : new Promise((done) => {
          const cancel = clock.setTimer(ms, done);
          endRest = () => {
            cancel();
            done();
          };
        });
  /** False where it failed. @param isAsked somebody wants to know, and no glance found files. */
  const drain = (listed: SpooledFile[] | null, isAsked = false): Promise<boolean> => {
    running ??= (async () => {
      try {
        let startedAt = clock.now();
        const first = await takeBatch(listed);
        let count = first;
        while (count >= BATCH_FILES) {
          await rest(Math.min(LONGEST_REST_MS, (clock.now() - startedAt) * REST_PER_WORK));
          startedAt = clock.now();
          count = await takeBatch(null);
        }
        // A file that is not ours lies there. It is no reason to ask four times a second.
        if (first > 0) retryMs = 0;
        else if (!isAsked) retryMs = growing(retryMs);
        return true;
      } catch (error) {
        retryMs = growing(retryMs);
        if (!isClosed) logger.warn({ error }, "events of the target could not be taken; they stay there");
        return false;
      } finally {
        running = null;
      }
    })();
    return running;
  };
  const next = (): void => {
    if (isClosed) return;
    cancelTimer = clock.setTimer(Math.max(GLANCE_MS, retryMs), () => {
      if (running === null) spool.glance();
      next();
    });
  };

  return {
    /**
     * Takes the files that are already there, and goes on by itself. A failure is logged and tried again; when a spool never
     * stops filling, it does not wait for all of it.
     */
    start: async (): Promise<void> => {
      spool.onFiles((files) => {
        if (!isClosed) void drain(files);
      });
      await endsWithin(drain(null), START_LIMIT_MS, clock);
      retryMs = 0;
      next();
    },
    /** Takes the files that lie there at this moment. @throws Error where it could not, which is tried again, as always. */
    take: async (): Promise<void> => {
      // What is under way may have been listed before.
      await running;
      if (!(await drain(null, true))) throw new Error("the events of the target could not be taken");
    },
    close: async (): Promise<void> => {
      isClosed = true;
      cancelTimer();
      endRest();
      await running;
    },
  };
};
