// A store that outlives damage to its file: a database that cannot be trusted (a broken log too) is set aside, and an empty one
// takes its place, with versions above all that were ever given. Listeners refill it; the damage is never hidden. A file that was
// deleted or replaced while it was open is not damaged: the connection still has its whole content and puts it back. In this
// file: the check of the log, setting aside, the place of the file, and the store itself.
import { readFileSync, statSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { endianness } from "node:os";
import { basename, dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { type Store, storeFailureOf } from "../ports/store.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { openStore, type OpenedStore } from "./openStore.ts";

// Log: whether a write-ahead log lost something that was committed. SQLite takes the first frame with a wrong checksum for the
// end of the log. That is right after a process died in the middle of a write, but when a frame was damaged later, SQLite
// silently forgets all frames after it. The format is SQLite's (fileformat2, "The WAL File Format").

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const WORD_BYTES = 4;
const MAGIC = 0x377f0682;
/** The page size of our databases, for a log whose header is damaged. */
const USUAL_PAGE_BYTES = 4_096;
/** A larger log is not checked, because that would delay the start for too long. An ordinary log has 16 MB. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;

type Sum = readonly [number, number];

/** The log as 32-bit words in the byte order of its checksums; a part that does not fill one is left out. */
const wordsOf = (log: Buffer, isBigEndian: boolean): Uint32Array => {
  // A copy begins where a word may begin.
  const bytes = Buffer.from(new Uint8Array(log.subarray(0, log.length - (log.length % WORD_BYTES))).buffer);
  if (isBigEndian === (endianness() === "LE")) bytes.swap32();
  return new Uint32Array(bytes.buffer);
};

/** SQLite's checksum over pairs of words, going on from `sum`; `from` and `to` are offsets in bytes. */
const add = (sum: Sum, words: Uint32Array, from: number, to: number): Sum => {
  let [first, second] = sum;
  for (let at = from / WORD_BYTES; at + 2 <= to / WORD_BYTES; at += 2) {
    first = (first + (words[at] ?? 0) + second) >>> 0;
    second = (second + (words[at + 1] ?? 0) + first) >>> 0;
  }
  return [first, second];
};
const sumAt = (bytes: Buffer, at: number): Sum => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
const isSame = (a: Sum, b: Sum): boolean => a[0] === b[0] && a[1] === b[1];

/**
 * True when a complete commit follows after the place where SQLite stops reading the log. Each frame is checked only against
 * the checksum that the frame before it states, so a sound frame is found even after damaged ones. A damaged last frame cannot
 * be told from one that was never finished.
 */
export const isLogBroken = (log: Buffer): boolean => {
  if (log.length < HEADER_BYTES) return false;
  const magic = log.readUInt32BE(0);
  const told = wordsOf(log, (magic & ~1) === MAGIC && (magic & 1) === 1);
  const isHeaderSound = (magic & ~1) === MAGIC && isSame(add([0, 0], told, 0, 24), sumAt(log, 24));
  const words = isHeaderSound ? told : wordsOf(log, false);
  const pageBytes = isHeaderSound ? log.readUInt32BE(8) : USUAL_PAGE_BYTES;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let before = sumAt(log, 24);
  let isOver = !isHeaderSound;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const head = add(before, words, at, at + 8);
    const sum = add(head, words, at + FRAME_HEADER_BYTES, at + frameBytes);
    const stated = sumAt(log, at + 16);
    // Frames from before the log was restarted have other salts. With a broken header they cannot be told apart.
    const isOfThisLog = !isHeaderSound || isSame(sumAt(log, at + 8), sumAt(log, 16));
    const isSound = isOfThisLog && isSame(sum, stated);
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (isOver && isSound && isCommit) return true;
    if (!isSound) isOver = true;
    before = stated;
  }
  return false;
};

/** The same for the log beside the database at `path`, which nobody may have open. False if there is no log. */
const hasBrokenLog = (path: string): boolean => {
  const log = `${path}-wal`;
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && size <= MAX_LOG_BYTES && isLogBroken(readFileSync(log));
};

// Setting aside: a database that cannot be used is moved, as a whole, to a name with the time. It is never written again, and only
// its last version is read from it. The newest few are kept for a person.

/** How many databases are kept beside the one in use; the oldest are removed first. */
export const MAX_KEPT = 3;
/** No history is that long: a higher version in a damaged file is damage. */
const MAX_VERSION = 2 ** 52;

/** Where the database that was set aside at that moment (epoch ms) is kept. */
const keptPathOf = (path: string, at: number): string =>
  `${path}.damaged-${new Date(at).toISOString().replaceAll(/[:.]/g, "-")}`;

/** The last version that the file ever gave; 0 if it cannot be read. Does not write to the file. */
const lastVersionIn = (path: string): number => {
  let db: BetterSqlite3.Database | undefined;
  try {
    db = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    const found = db
      .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'state_transitions'")
      .pluck()
      .get();
    return found !== undefined && Number.isInteger(found) && found > 0 && found < MAX_VERSION ? found : 0;
  } catch {
    // The file is damaged; a version that cannot be read is not needed.
    return 0;
  } finally {
    db?.close();
  }
};

/** The times of the databases that are kept, from their names, oldest first. */
const keptMoments = (path: string): string[] => {
  const prefix = `${basename(path)}.damaged-`;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix));
  return [...new Set(names.map((name) => name.slice(prefix.length).replace(/-(?:wal|shm)$/, "")))].toSorted();
};

const removeOldest = (path: string): void => {
  for (const moment of keptMoments(path).slice(0, -MAX_KEPT))
    for (const part of ["", "-wal", "-shm"]) rmSync(`${path}.damaged-${moment}${part}`, { force: true });
};

/** Later than all that are kept, because names give the order, and no name is used twice. */
const nextMoment = (path: string, now: number): number => {
  const newest = keptMoments(path).at(-1) ?? "";
  const [date = "", time = ""] = newest.split("T");
  const taken = Date.parse(`${date}T${time.replace("-", ":").replace("-", ":").replace("-", ".")}`);
  return Number.isNaN(taken) ? Math.floor(now) : Math.max(Math.floor(now), taken + 1);
};

/**
 * Moves the database at `path`, which nobody has open, aside. `at`: the time in its new name, made unique. `version`: the last
 * one it gave, as far as that can be read.
 */
const setAside = (path: string, now: number): { at: number; version: number } => {
  const at = nextMoment(path, now);
  const keptPath = keptPathOf(path, at);
  rmSync(`${path}-shm`, { force: true });
  // The log is moved first: SQLite would apply an old log to a new file beside it.
  for (const part of ["-wal", ""])
    if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${keptPath}${part}`);
  const version = lastVersionIn(keptPath);
  rmSync(`${keptPath}-shm`, { force: true });
  if (statSync(`${keptPath}-wal`, { throwIfNoEntry: false })?.size === 0) rmSync(`${keptPath}-wal`);
  removeOldest(path);
  return { at, version };
};

// Place: whether the files that a connection writes to still lie where it opened them. SQLite itself does not check this: it goes
// on writing into files that somebody deleted or replaced, and all those writes are gone when the connection closes.

/**
 * `file`: the database file was replaced or is missing. `log`: only its log was, with the commits that were not yet in the
 * database.
 */
type Misplaced = "file" | "log";

const identityOf = (path: string): string | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
};

interface FilePlace {
  /** Null: both are still in place. */
  misplaced(): Misplaced | null;
  hasOurLog(): boolean;
}

/** For the database at `path`, which is open. */
const notePlace = (path: string): FilePlace => {
  const file = identityOf(path);
  const log = identityOf(`${path}-wal`);
  const hasOurLog = (): boolean => identityOf(`${path}-wal`) === log;
  return {
    misplaced: () => (identityOf(path) === file ? (hasOurLog() ? null : "log") : "file"),
    hasOurLog,
  };
};

// The store: replaces a damaged database, and puts a deleted one back.

export interface DurableStore extends Store {
  /**
   * When the history was last lost (epoch ms), and the file that holds it; null: never. That file may have been deleted since.
   */
  loss(): { at: number; keptPath: string } | null;
  /** Called after the database was replaced while it was open, outside of any transaction. */
  onReplaced(listener: () => void): void;
}

interface DurableStoreOptions {
  path: string;
  logger: Logger;
  now: () => number;
}

const isDamage = (error: unknown): boolean => storeFailureOf(error) === "damaged";

/** A database that has to be replaced; `aside` is set once it was moved. */
interface Damage {
  error: unknown;
  aside: { at: number; version: number } | null;
}

/** Opens an empty database in place of one that cannot be used. If that fails, the next call continues where it stopped. */
const replaceDatabase = ({ path, logger, now }: DurableStoreOptions, damage: Damage): OpenedStore => {
  damage.aside ??= setAside(path, now());
  const { at, version } = damage.aside;
  const store = openStore({ path, logger });
  // A time in ms is higher than any version that one change per ms could have reached, so it works even when the old version
  // cannot be read.
  store.noteLoss({ at, version: Math.max(at, version + 1) });
  logger.error(
    { error: damage.error, keptPath: keptPathOf(path, at) },
    "the database was damaged and is kept aside; the history before is lost",
  );
  return store;
};

const openOrReplace = (options: DurableStoreOptions): OpenedStore => {
  try {
    if (hasBrokenLog(options.path))
      throw new AgtmuxError("E_DATABASE_DAMAGED", `Opening ${options.path}: commits in its log are damaged.`);
    return openStore(options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return replaceDatabase(options, { error, aside: null });
  }
};

/** Writes all that `store` holds into a new database at its path. A file that took this place is kept aside. */
const putBack = (store: OpenedStore, place: FilePlace, { path, logger, now }: DurableStoreOptions): void => {
  const copy = `${path}.copy`;
  rmSync(copy, { force: true });
  store.copyTo(copy);
  // Beside another file, SQLite would apply the log to that file.
  if (place.hasOurLog()) rmSync(`${path}-wal`, { force: true });
  // The open connection has the file mapped; the next one must not truncate it.
  rmSync(`${path}-shm`, { force: true });
  if (existsSync(path) || existsSync(`${path}-wal`)) {
    const { at } = setAside(path, now());
    logger.warn(
      { keptPath: keptPathOf(path, at) },
      "another file took the database's place; it is kept aside",
    );
  }
  renameSync(copy, path);
};

/**
 * Opens `path` as `openStore` does, but replaces a damaged file. The caller owns the file exclusively.
 * @throws AgtmuxError E_DATABASE_NEWER, E_INTERNAL as `openStore`.
 */
export const openDurableStore = (options: DurableStoreOptions): DurableStore => {
  const { path, logger } = options;
  const listeners: (() => void)[] = [];
  let current = openOrReplace(options);
  let place = notePlace(path);
  let isInTransaction = false;
  let damage: Damage | null = null;

  const replace = (found: Damage): void => {
    if (found.aside === null)
      try {
        current.close();
      } catch (error) {
        logger.warn({ error }, "the damaged database could not be closed");
      }
    current = replaceDatabase(options, found);
    place = notePlace(path);
    damage = null;
    for (const listener of listeners) listener();
  };

  /** If it fails, the next transaction tries again. */
  const regainPlace = (): void => {
    const misplaced = place.misplaced();
    if (misplaced === null) return;
    logger.warn(
      { path, misplaced },
      "the database was deleted or replaced while it was open; it is put back",
    );
    const before = current;
    if (misplaced === "file") putBack(before, place, options);
    // Closing moves the rest of the log into the file, even if the log's name was deleted.
    else before.close();
    current = openStore(options);
    place = notePlace(path);
    before.close();
  };

  /** A query outside of a transaction is answered from the new database. */
  const attempt = <T>(work: () => T): T => {
    if (damage !== null && !isInTransaction) replace(damage);
    // The log was deleted, and the database could not be opened again when that was found.
    else if (!current.isOpen() && !isInTransaction) regainPlace();
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage = { error, aside: null };
      if (isInTransaction) throw error;
      replace(damage);
      return work();
    }
  };

  const transaction: Store["transaction"] = (work) => {
    if (damage !== null) replace(damage);
    else regainPlace();
    isInTransaction = true;
    try {
      return current.transaction(work);
    } catch (error) {
      if (isDamage(error)) damage ??= { error, aside: null };
      throw error;
    } finally {
      isInTransaction = false;
      if (damage !== null) replace(damage);
    }
  };

  const guarded = new Proxy(current, {
    get: (_first, name): unknown => {
      if (typeof Reflect.get(current, name) !== "function") return undefined;
      return (...given: unknown[]): unknown =>
        attempt((): unknown => {
          const method: unknown = Reflect.get(current, name);
          return typeof method === "function" ? Reflect.apply(method, undefined, given) : undefined;
        });
    },
  });
  return {
    ...guarded,
    transaction,
    savepoint: (work) => attempt(() => current.savepoint(work)),
    close: () => current.close(),
    loss: () => {
      const at = guarded.lostAt();
      return at === null ? null : { at, keptPath: keptPathOf(path, at) };
    },
    onReplaced: (listener) => {
      listeners.push(listener);
    },
  };
};
