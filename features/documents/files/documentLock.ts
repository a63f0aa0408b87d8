// One writer at a time per project: an exclusive SQLite transaction, which the kernel ends with the process, however it dies.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { errorCodeOf } from "../../../core/model/systemError.ts";
import { refuseLink } from "./wholeFile.ts";

const POLL_MS = 15;
const LIMIT_MS = 10_000;

/** Held until it is closed, or the process ends. Null where another one holds it. */
export const tryLock = async (path: string): Promise<{ close(): void } | null> => {
  // Most verbs only read, and need no database.
  const { default: SQLite } = await import("better-sqlite3");
  let database: Database | null = null;
  await refuseLink(path);
  try {
    database = new SQLite(path, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database?.close();
    if (errorCodeOf(error).startsWith("SQLITE_BUSY")) return null;
    throw new AgtmuxError("E_DOCUMENT_INVALID", `${path} cannot be locked`, {
      cause: error,
      remedy: "Remove that file, which holds nothing, and check that its folder can be written.",
    });
  }
};

/** @throws AgtmuxError E_DOCUMENT_BUSY where another writer takes too long. */
export const withDocumentLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  await mkdir(dirname(path), { recursive: true });
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const held = await tryLock(path);
    if (held !== null) {
      try {
        return await work();
      } finally {
        held.close();
      }
    }
    if (performance.now() > deadline)
      throw new AgtmuxError(
        "E_DOCUMENT_BUSY",
        "another writer has held the documents of this project for too long",
      );
    await delay(POLL_MS);
  }
};
