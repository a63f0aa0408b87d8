// The spool's folders: `tmp` where hooks write, `new` where complete events appear, `bad` for files that are not events.
// Listing, ordering and housekeeping; the draining itself is in spoolDrain.ts.
import { constants, lstatSync, readdirSync, unlinkSync } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../model/systemError.ts";

/** Files kept in `bad` for a person to look at; the oldest go first. */
export const MAX_BAD_FILES = 100;
/** No more than this is kept of a file that was set aside. */
const MAX_KEPT_BYTES = 16 * 1_024;
const STALE_TEMP_MS = 24 * 60 * 60 * 1_000;
/** Parallel file operations: the thread pool has four threads, more would only queue. */
const PARALLEL = 8;

/** Maps in order, a bounded number at a time. */
export const mapBounded = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
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
    // Gone, or not to be looked at: the folder is listed again.
    return null;
  }
};

/**
 * Names in `folder`, by modification time in nanoseconds, then by name. Files that vanish meanwhile are left out. The calls are
 * synchronous, which takes a fifth of the time of the thread pool; `yieldToEventLoop` lets the loop turn in between.
 */
export const listByTime = async (folder: string, yieldToEventLoop: () => Promise<void>): Promise<Entry[]> => {
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

export interface SpoolFoldersOptions {
  spoolDir: string;
  /** Turns a text into what may be kept of it. */
  redact: (text: string) => string;
  /** Makes a yield function for one stretch of work: see `createYielding`. */
  newYielding: () => () => Promise<void>;
}

export const createSpoolFolders = ({ spoolDir, redact, newYielding }: SpoolFoldersOptions) => {
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
