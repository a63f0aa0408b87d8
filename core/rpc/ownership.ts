// Which process is the daemon of a home: the one that holds an exclusive SQLite transaction on `owner.db`. This is an OS lock, so
// the kernel frees it however the holder ends. Only the holder unlinks a dead socket, binds, and opens the state. Also the end of
// an outdated daemon, which frees the home for its successor.
import { constants, copyFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { AgtmuxError } from "../model/errors.ts";
import { isOutdated, connectSocket } from "./socketClient.ts";
import type { RuntimePaths } from "./paths.ts";

/** The lock of a home. Keep it reachable while the home is owned: a database that is garbage-collected frees its lock. */
export interface Owner {
  readonly home: string;
  /** Gives the home up; idempotent. Close the socket first, because the next owner unlinks any socket that it finds. */
  release(): void;
}

const POLL_MS = 30;

const isDamage = (code: string): boolean => code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT");

/**
 * The lock file should be empty, so it is repaired by emptying it. It stays the same file, so a process that took its lock
 * meanwhile keeps the lock. A copy of its content is left for a person.
 */
const empty = (path: string): void => {
  try {
    copyFileSync(path, `${path}.damaged`, constants.COPYFILE_EXCL);
  } catch (error) {
    // One copy is enough, and a failed copy is no reason not to start a daemon.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  truncateSync(path);
};

const own = (home: string, isMended: boolean): Owner | null => {
  const path = join(home, "owner.db");
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    const code = error instanceof Database.SqliteError ? error.code : "";
    if (code.startsWith("SQLITE_BUSY")) return null;
    if (isDamage(code)) {
      if (isMended)
        throw new AgtmuxError("E_DATABASE_DAMAGED", `${path} is not a lock file of agtmux`, { cause: error });
      empty(path);
      return own(home, true);
    }
    throw new AgtmuxError("E_DAEMON_UNAVAILABLE", `cannot lock ${path}`, {
      cause: error,
      remedy: "Check that the folder is on a local disk and can be written.",
    });
  }
  const held = database;
  return {
    home,
    release: () => {
      // Closing rolls the empty transaction back and frees the lock.
      if (held.open) held.close();
    },
  };
};

/**
 * Takes the home if nobody owns it; null when another process (or this one) does. Never waits. The home must exist. Nothing
 * else in the process may open `owner.db`: closing any other descriptor of it would drop the lock (POSIX).
 */
export const tryOwn = (home: string): Owner | null => own(home, false);

/** Resolves with true once nobody owns the home, with false when that takes longer than `limitMs`. */
export const untilFree = async (home: string, limitMs: number): Promise<boolean> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const owner = tryOwn(home);
    owner?.release();
    if (owner !== null) return true;
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
};

const HELLO_TIMEOUT_MS = 5_000;
/** A daemon's own limit for closing is 10 s; if it takes longer, the start reports that. */
const LEAVE_TIMEOUT_MS = 12_000;

/**
 * Ends an outdated daemon before its successor is started. Events that hooks drop in between wait in the spool, and the successor
 * goes on with the same database. Call it only with the start lock: then nobody else ends or starts a daemon, so the one that is
 * asked to end is the outdated one. Resolves when the home is free, or at once where no outdated daemon runs.
 */
export const endOutdated = async ({
  paths,
  version,
}: {
  paths: RuntimePaths;
  version: string;
}): Promise<void> => {
  const options = { paths, version, checkVersion: false, helloTimeoutMs: HELLO_TIMEOUT_MS };
  // No daemon runs or answers: the start itself will report what is wrong.
  const client = await connectSocket(options).catch(() => null);
  if (client === null) return;
  try {
    if (!isOutdated(client.hello, version)) return;
    // The daemon may be ending by itself at this moment.
    await client.call((api) => api.shutdown.mutate()).catch(() => {});
  } finally {
    client.close();
  }
  await untilFree(paths.home, LEAVE_TIMEOUT_MS);
};
