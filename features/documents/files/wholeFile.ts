// Reading and writing files whole: nobody ever meets half of one, and a kill leaves the old or the new one. And the lock of a
// project's documents (`withDocumentLock`).
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { inFolderBelow, type HeldFolder } from "../../../core/files/heldFolder.ts";
import { FileProblem, openPlain, ownUid, readPlain } from "../../../core/files/plainFile.ts";
import { AgtmuxError, isMissing, errorCodeOf } from "../../../core/model/errors.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "better-sqlite3";

/** What is not UTF-8 would not come back as it was, so it is refused. A byte order mark stays in the text. */
export const decodeText = (bytes: Uint8Array, path: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AgtmuxError("E_DOCUMENT_INVALID", `${path} isn't UTF-8 text`, { cause: error });
  }
};

const FOLDER_MODE = 0o777;
/** Larger ones are no documents. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

export const invalidFile = (problem: FileProblem): AgtmuxError =>
  new AgtmuxError("E_DOCUMENT_INVALID", problem.message, {
    cause: problem,
    remedy: "Look at that file, move it away if it is not yours, and repeat.",
  });

/** Reports what goes wrong with a file as what is wrong with the document. */
const telling = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FileProblem ? invalidFile(error) : error;
  }
};

/** A document, which a person named or a claim; links to it were followed before. @throws AgtmuxError E_DOCUMENT_INVALID */
export const readText = async (path: string, maxBytes = MAX_DOCUMENT_BYTES): Promise<string> => {
  const bytes = await telling(readPlain({ path }, { maxBytes }));
  if (bytes === null) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
  return decodeText(bytes, path);
};

/** A file of the person's own settings, which may be a link. Null where there is none. */
export const readOwnText = async (path: string): Promise<string | null> => {
  try {
    return decodeText(await readFile(path), path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/** What is kept below a folder: a project's `.agent-doc`, or agtmux's home. */
interface Place {
  readonly root: string;
}

const wayTo = ({ root }: Place, folder: string): { root: string; steps: string[] } => ({
  root,
  steps: relative(root, folder)
    .split(sep)
    .filter((step) => step !== ""),
});

/** Works in a folder below the place; null: it is not there. @throws AgtmuxError E_DOCUMENT_INVALID for a link and the like. */
const within = async <T>(
  place: Place,
  folder: string,
  work: (held: HeldFolder) => Promise<T>,
  make?: number,
): Promise<T | null> => {
  try {
    const way = wayTo(place, folder);
    return await telling(inFolderBelow(make === undefined ? way : { ...way, make }, work));
  } catch (error) {
    if (isMissing(error) && make === undefined) return null;
    throw error;
  }
};

/** Makes a folder below the place, and lets `look` work in it. */
export const prepareFolder = async (
  place: Place,
  folder: string,
  look: (held: HeldFolder) => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  await within(place, folder, look, FOLDER_MODE);
};

/**
 * The bytes of a file that is kept below the place, where anybody may have put something else; null where there is none.
 * @throws AgtmuxError E_DOCUMENT_INVALID for what is no regular file of this user, on the whole way from the place to it.
 */
export const readKeptBytes = (
  place: Place,
  path: string,
  maxBytes = MAX_DOCUMENT_BYTES,
): Promise<Buffer | null> =>
  within(place, dirname(path), (held) => {
    const name = basename(path);
    return readPlain({ path: held.at(name), shown: held.shown(name) }, { maxBytes, uid: ownUid() });
  });

/** The same as text. */
export const readKept = async (place: Place, path: string, maxBytes?: number): Promise<string | null> => {
  const bytes = await readKeptBytes(place, path, maxBytes);
  return bytes === null ? null : decodeText(bytes, path);
};

/** The names in a folder below the place; none where it is not there. */
export const listKept = async (place: Place, folder: string): Promise<string[]> =>
  (await within(place, folder, (held) => readdir(held.at(".")))) ?? [];

/** Removes a file that is kept below the place; whether there was one. */
export const removeKept = async (place: Place, path: string): Promise<boolean> =>
  (await within(place, dirname(path), async (held) => {
    await unlink(held.at(basename(path)));
    return true;
  })) ?? false;

/** @throws AgtmuxError E_DOCUMENT_INVALID where it is no plain file of this user. */
export const appendKept = async (place: Place, path: string, text: string): Promise<void> => {
  await within(
    place,
    dirname(path),
    async (held) => {
      const name = basename(path);
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
      const handle = await openPlain({ path: held.at(name), shown: held.shown(name) }, ownUid(), flags);
      try {
        await handle?.appendFile(text);
      } finally {
        await handle?.close();
      }
    },
    FOLDER_MODE,
  );
};

interface Owner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const PRIVATE_FILE = 0o600;
const ENDING = ".agtmux";
/** Nobody is that long about to rename one. */
const LEFT_AFTER_MS = 60_000;

/** Null where it is gone: another writer has renamed it by now. */
const changedAt = async (path: string): Promise<number | null> => {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/** Removes what processes that were killed left in a folder. */
export const removeLeftovers = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!/^\..+\.[0-9a-f]{8}\.agtmux$/.test(name)) continue;
    const left = join(folder, name);
    const at = await changedAt(left);
    if (at !== null && Date.now() - at > LEFT_AFTER_MS) await rm(left, { force: true });
  }
};

/**
 * A new file beside `path`, on the disk unless it `mayBeLost`; the caller renames or removes it. `owner`: of the old file, or a
 * mode.
 */
export const writeNewFile = async (
  path: string,
  content: string | Uint8Array,
  owner: Owner | number | null = null,
  mayBeLost = false,
): Promise<string> => {
  const made = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}${ENDING}`);
  const handle = await open(made, "wx", typeof owner === "number" ? owner : (owner?.mode ?? 0o644));
  try {
    await handle.writeFile(content);
    if (owner !== null && typeof owner === "object") {
      await handle.chmod(owner.mode & 0o7777);
      // Only root may give a file away; for others it is theirs already, or becomes theirs.
      if (process.getuid?.() === 0) await handle.chown(owner.uid, owner.gid);
    }
    if (!mayBeLost) await handle.sync();
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return made;
};

/** Replaces a file that is kept below the place whole, and makes the folders where they are missing. `mode`: of what is made. */
export const writeKept = async (
  place: Place,
  path: string,
  content: string | Uint8Array,
  { mayBeLost = false, isPrivate = false } = {},
): Promise<void> => {
  const work = async (held: HeldFolder): Promise<void> => {
    const name = basename(path);
    const mode = isPrivate ? PRIVATE_FILE : null;
    const made = await writeNewFile(held.at(name), content, mode, mayBeLost);
    try {
      await rename(made, held.at(name));
    } catch (error) {
      await rm(made, { force: true });
      throw error;
    }
  };
  // Of a command that needs no daemon it may be the first that is kept in the home.
  if (isPrivate) await mkdir(place.root, { recursive: true, mode: 0o700 });
  await within(place, dirname(path), work, isPrivate ? 0o700 : FOLDER_MODE);
};

// Lock: one writer at a time per project. It is an exclusive SQLite transaction, which the kernel ends with the process.

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
    if ((await found.stat()).size > 0) throw new FileProblem(held.shown(name), "isn't a lock of agtmux");
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
