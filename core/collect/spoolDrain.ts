// Takes events out of the local spool. In this file: the format of an event file (remoteDrain.ts reads it too), reading one file,
// the spool's folders, and the drain, which takes files in the order of their times, in batches, and deletes each only after its
// batch was committed. The watch on the folder is a hint (a full inotify queue drops names silently); the sweep is the truth. What
// events mean is not known here.
import { ENVELOPE_VERSION, envelopeSchema, MAX_PAYLOAD_BYTES, type Envelope } from "../model/envelope.ts";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  lstatSync,
  readdirSync,
  unlinkSync,
  watch,
  type FSWatcher,
} from "node:fs";
import { errorCodeOf } from "../model/errors.ts";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { createYielding } from "./sink.ts";

// Event file: the first line and the fields come from our own script, the payload from the agent; neither is trusted.

/** A header is shorter than this; a file without an empty line up to here is not one of ours. */
export const MAX_HEADER_BYTES = 16 * 1024;

const FIRST_LINE = `agtmux-event ${ENVELOPE_VERSION}`;

interface EventFile {
  /** Unique over time: names of files are reused when pids are. */
  spoolName: string;
  /** Modification time, epoch ms with fractions. */
  eventTime: number;
  /** Size of the whole file in bytes. */
  size: number;
  /** Its start: all of it, or at least MAX_HEADER_BYTES where the payload is too large. */
  bytes: Buffer;
}

type ParsedEnvelope = { isOk: true; envelope: Envelope } | { isOk: false; problem: string };

const objectSchema = envelopeSchema.shape.payload.unwrap();

const parsePayload = (
  text: string,
): { payload: Envelope["payload"]; payloadProblem: Envelope["payloadProblem"] } => {
  if (text.trim() === "") return { payload: null, payloadProblem: "empty" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { payload: null, payloadProblem: "not_json" };
  }
  const object = objectSchema.safeParse(value);
  return object.success
    ? { payload: object.data, payloadProblem: null }
    : { payload: null, payloadProblem: "not_object" };
};

/** `TMUX` is `<socket path>,<server pid>,<session number>`; the path may hold commas. */
const parseTmux = (value: string) => {
  const [, socket, pid] = /^(\/.*),(\d{1,10}),\d{1,10}$/.exec(value) ?? [];
  const isWhole = socket !== undefined && pid !== undefined && Number(pid) > 0;
  return isWhole
    ? { tmuxSocket: socket, tmuxServerPid: Number(pid) }
    : { tmuxSocket: null, tmuxServerPid: null };
};

/** Fails for another version, a header without end and an invalid agent name; the message quotes no content. */
export const parseEnvelope = ({ spoolName, eventTime, size, bytes }: EventFile): ParsedEnvelope => {
  const headerEnd = bytes.subarray(0, MAX_HEADER_BYTES).indexOf("\n\n");
  if (headerEnd === -1) return { isOk: false, problem: "the header has no end" };
  const [first, ...lines] = bytes.subarray(0, headerEnd).toString("utf8").split("\n");
  if (first !== FIRST_LINE) return { isOk: false, problem: `the first line is not "${FIRST_LINE}"` };
  const fields = new Map(
    lines.map((line): [string, string] => {
      const at = line.indexOf("=");
      return [line.slice(0, Math.max(at, 0)), line.slice(at + 1)];
    }),
  );
  const payloadStart = headerEnd + 2;
  const pane = fields.get("pane") ?? "";
  const parentPid = fields.get("ppid") ?? "";
  const parsed = envelopeSchema.safeParse({
    spoolName,
    agentType: fields.get("agent"),
    eventName: (fields.get("event") ?? "").slice(0, 100) || null,
    ...parseTmux(fields.get("tmux") ?? ""),
    paneId: /^%\d{1,10}$/.test(pane) ? pane : null,
    parentPid: /^[1-9]\d{0,9}$/.test(parentPid) ? Number(parentPid) : null,
    eventTime,
    ...(size - payloadStart > MAX_PAYLOAD_BYTES
      ? { payload: null, payloadProblem: "too_large" }
      : parsePayload(bytes.subarray(payloadStart).toString("utf8"))),
  });
  if (parsed.success) return { isOk: true, envelope: parsed.data };
  return { isOk: false, problem: `wrong field ${parsed.error.issues[0]?.path.join(".") ?? ""}` };
};

/** Prefixed by the modification time, because a hook's pid, and with it the name of its file, is reused one day. */
const spoolNameOf = (name: string, mtimeNs: bigint): string =>
  `${mtimeNs.toString(36)}-${name}`.slice(0, 255);

/**
 * Reads one file without waiting for another process: links are not followed, and a FIFO is opened without a peer. Synchronous,
 * because a small file that was just written is read ten times faster than through the thread pool. Null: the file is gone. `uid`:
 * the only owner whose files count; null where the system has none.
 */
const readEventFile = (path: string, name: string, uid: number | null): ParsedEnvelope | null => {
  let fd;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === "ENOENT") return null;
    return {
      isOk: false,
      problem: code === "ELOOP" ? "it is a symbolic link" : `it cannot be opened (${code || "unknown"})`,
    };
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) return { isOk: false, problem: "it is not a regular file" };
    if (uid !== null && stat.uid !== BigInt(uid))
      return { isOk: false, problem: "it belongs to another user" };
    const size = Number(stat.size);
    const isTooLarge = size > MAX_PAYLOAD_BYTES + MAX_HEADER_BYTES;
    const wanted = Buffer.alloc(isTooLarge ? MAX_HEADER_BYTES : size);
    let length = 0;
    while (length < wanted.length) {
      const bytesRead = readSync(fd, wanted, length, wanted.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return parseEnvelope({
      spoolName: spoolNameOf(name, stat.mtimeNs),
      eventTime: Number(stat.mtimeNs / 1_000n) / 1_000,
      size,
      bytes: wanted.subarray(0, length),
    });
  } catch (error) {
    return { isOk: false, problem: `it cannot be read (${errorCodeOf(error) || "unknown"})` };
  } finally {
    closeSync(fd);
  }
};

// Folders: `tmp` where hooks write, `new` where complete events appear, `bad` for files that are not events.

/** Files kept in `bad` for a person to look at; the oldest go first. */
export const MAX_BAD_FILES = 100;
/** No more than this is kept of a file that was set aside. */
const MAX_KEPT_BYTES = 16 * 1_024;
const STALE_TEMP_MS = 24 * 60 * 60 * 1_000;
/** Parallel file operations: the thread pool has four threads, more would only queue. */
const PARALLEL = 8;

/** Maps in order, a bounded number at a time. */
const mapBounded = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results = Array.from<R>({ length: items.length });
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      const item = items[index];
      if (item !== undefined) results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, run));
  return results;
};

interface Entry {
  name: string;
  mtimeNs: bigint;
}

const mtimeOf = (path: string): bigint | null => {
  try {
    return lstatSync(path, { bigint: true }).mtimeNs;
  } catch {
    // Gone, or not readable: the folder is listed again.
    return null;
  }
};

/**
 * Names in `folder`, by modification time in nanoseconds, then by name. Files that vanish meanwhile are left out. The calls are
 * synchronous, which takes a fifth of the time of the thread pool; `yieldToEventLoop` lets the loop turn in between.
 */
const listByTime = async (folder: string, yieldToEventLoop: () => Promise<void>): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for (const name of readdirSync(folder)) {
    const mtimeNs = mtimeOf(join(folder, name));
    if (mtimeNs !== null) entries.push({ name, mtimeNs });
    await yieldToEventLoop();
  }
  return entries.toSorted((a, b) =>
    a.mtimeNs === b.mtimeNs ? (a.name < b.name ? -1 : 1) : a.mtimeNs < b.mtimeNs ? -1 : 1,
  );
};

/** The start of a regular file, read without waiting; null for anything else. */
const readStart = async (path: string): Promise<string | null> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (handle === null) return null;
  try {
    if (!(await handle.stat()).isFile()) return null;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_KEPT_BYTES), 0, MAX_KEPT_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } finally {
    await handle.close();
  }
};

const isGone = (error: unknown): boolean => errorCodeOf(error) === "ENOENT";

const createSpoolFolders = ({
  spoolDir,
  redact,
  newYielding,
}: {
  spoolDir: string;
  /** Turns a text into what may be kept of it. */
  redact: (text: string) => string;
  /** Makes a yield function for one stretch of work: see `createYielding`. */
  newYielding: () => () => Promise<void>;
}) => {
  const newDir = join(spoolDir, "new");
  const tempDir = join(spoolDir, "tmp");
  const badDir = join(spoolDir, "bad");
  return {
    newDir,
    /** Makes what is missing, for the owner only. */
    create: async (): Promise<void> => {
      for (const folder of [newDir, tempDir, badDir]) await mkdir(folder, { recursive: true, mode: 0o700 });
    },
    /**
     * Moves any kind of file out of the way; false where even that fails. The start of a regular file is kept, redacted,
     * because somebody may have tried to send a secret.
     */
    reject: async (name: string): Promise<boolean> => {
      try {
        const aside = join(badDir, `${process.pid}-${performance.now().toFixed(3)}-${name.slice(-200)}`);
        const path = join(newDir, name);
        const start = await readStart(path);
        if (start === null) await rename(path, aside);
        else {
          // In this order, so that the unredacted text never lies in `bad`.
          await writeFile(aside, redact(start), { flag: "wx", mode: 0o600 });
          await rm(path, { force: true });
        }
        const kept = await listByTime(badDir, newYielding());
        for (const entry of kept.slice(0, Math.max(0, kept.length - MAX_BAD_FILES)))
          await rm(join(badDir, entry.name), { recursive: true, force: true });
        return true;
      } catch {
        return false;
      }
    },
    /** Unlike `rm` it does not check first what the file is. It blocks, because the thread pool takes ten times as long. */
    remove: (name: string): void => {
      try {
        unlinkSync(join(newDir, name));
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    },
    /** Removes what hooks left in `tmp` more than a day before `now` (epoch ms). */
    removeStaleTemps: async (now: number): Promise<number> => {
      const stale = (await listByTime(tempDir, newYielding())).filter(
        (entry) => now - Number(entry.mtimeNs / 1_000_000n) > STALE_TEMP_MS,
      );
      await mapBounded(stale, (entry) => rm(join(tempDir, entry.name), { recursive: true, force: true }));
      return stale.length;
    },
  };
};

// The drain.

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

export const createSpoolDrain = (options: {
  spoolDir: string;
  /** Commits durably; a throw leaves the files in place, to be brought again after a growing pause (0.1 to 5 s). */
  onBatch: (envelopes: Envelope[]) => Promise<void> | void;
  /** Turns the text of a file that is not an event into what may be kept of it. */
  redact: (text: string) => string;
  logger: Logger;
  clock: Clock;
  sweepMs: number;
}): SpoolDrain => {
  const { spoolDir, onBatch, logger, clock, sweepMs } = options;
  /** Uses real time, not the clock of the events: it decides how long others have to wait. */
  const newYielding = (): (() => Promise<void>) => createYielding({ now: () => performance.now() });
  const folders = createSpoolFolders({ spoolDir, redact: options.redact, newYielding });
  const uid = process.getuid?.() ?? null;
  /** Files that could not even be moved away: tried once, then left alone. */
  const immovable = new Set<string>();
  /** Committed files that could not be deleted: only their deletion is tried again. */
  const leftover = new Set<string>();
  let watcher: FSWatcher | null = null;
  let running: Promise<boolean> | null = null;
  let isAsked = false;
  let isHinted = false;
  let drainedAt = Number.NEGATIVE_INFINITY;
  /** Deleted by the last drain: that the watch reports them is no news. */
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
        // The folders may have been removed under us: make them again; the next sweep reads them.
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
