// One writer at a time per project: an exclusive SQLite transaction, which the kernel ends with the process, however it dies.
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { HeldFolder } from "../../../core/files/heldFolder.ts";
import { FileProblem, openPlain, ownUid } from "../../../core/files/plainFile.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { errorCodeOf } from "../../../core/model/systemError.ts";
import { prepareFolder, type Place } from "./wholeFile.ts";

const POLL_MS = 15;
const LIMIT_MS = 10_000;

/**
 * A lock is an empty file and stays one. Anything else came with a project: SQLite would take it for a database, and play back the
 * journal that lies beside it. Beside an empty one it removes a journal unread.
 */
const checkEmpty = async (held: HeldFolder, name: string): Promise<void> => {
  const found = await openPlain({ path: held.at(name), shown: held.shown(name) }, ownUid());
  if (found === null) return;
  try {
    if ((await found.stat()).size > 0) throw new FileProblem(held.shown(name), "is no lock of agtmux");
  } finally {
    await found.close();
  }
};

/** Held until it is closed, or the process ends. Null where another one holds it. */
export const tryLock = async (place: Place, path: string): Promise<{ close(): void } | null> => {
  // Most verbs only read, and need no database.
  const { default: SQLite } = await import("better-sqlite3");
  await prepareFolder(place, dirname(path), (held) => checkEmpty(held, basename(path)));
  let database: Database | null = null;
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
export const withDocumentLock = async <T>(
  project: Place & { readonly lock: string },
  work: () => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const held = await tryLock(project, project.lock);
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
