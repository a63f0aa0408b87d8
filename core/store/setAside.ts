// Moves a database that cannot be used out of the way, as a whole, under a name with the reason and the time. It is never
// written again, and only its last version is read from it. The newest few for each reason are kept for a person.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { LossReason } from "../ports/store.ts";

/** How many databases with one reason are kept beside the one in use; the oldest are removed first. */
export const MAX_KEPT = 3;
/** No history is that long: a higher version in a damaged file is damage. */
const MAX_VERSION = 2 ** 52;

/** Where the database that was set aside at that moment (epoch ms) is kept. */
export const keptPathOf = (path: string, reason: LossReason, at: number): string =>
  `${path}.${reason}-${new Date(at).toISOString().replaceAll(/[:.]/g, "-")}`;

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
const keptMoments = (path: string, reason: LossReason): string[] => {
  const prefix = `${basename(path)}.${reason}-`;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix));
  return [...new Set(names.map((name) => name.slice(prefix.length).replace(/-(?:wal|shm)$/, "")))].toSorted();
};

const removeOldest = (path: string, reason: LossReason): void => {
  for (const moment of keptMoments(path, reason).slice(0, -MAX_KEPT))
    for (const part of ["", "-wal", "-shm"]) rmSync(`${path}.${reason}-${moment}${part}`, { force: true });
};

/** Later than all that are kept, because names give the order, and no name is used twice. */
const nextMoment = (path: string, reason: LossReason, now: number): number => {
  const newest = keptMoments(path, reason).at(-1) ?? "";
  const [date = "", time = ""] = newest.split("T");
  const taken = Date.parse(`${date}T${time.replace("-", ":").replace("-", ":").replace("-", ".")}`);
  return Number.isNaN(taken) ? Math.floor(now) : Math.max(Math.floor(now), taken + 1);
};

/**
 * Moves the database at `path`, which nobody has open, aside. `at`: the time in its new name, made unique. `version`: the last
 * one it gave, as far as that can be read.
 */
export const setAside = (path: string, reason: LossReason, now: number): { at: number; version: number } => {
  const at = nextMoment(path, reason, now);
  const keptPath = keptPathOf(path, reason, at);
  rmSync(`${path}-shm`, { force: true });
  // The log is moved first: SQLite would apply an old log to a new file beside it.
  for (const part of ["-wal", ""])
    if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${keptPath}${part}`);
  const version = lastVersionIn(keptPath);
  rmSync(`${keptPath}-shm`, { force: true });
  if (statSync(`${keptPath}-wal`, { throwIfNoEntry: false })?.size === 0) rmSync(`${keptPath}-wal`);
  removeOldest(path, reason);
  return { at, version };
};
