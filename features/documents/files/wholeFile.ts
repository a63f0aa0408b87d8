// Reading and writing files whole: nobody ever meets half of one, and a kill leaves the old or the new one.
import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { isMissing } from "../../../core/model/systemError.ts";

/** What is not UTF-8 would not come back as it was, so it is refused. A byte order mark stays in the text. */
export const decodeText = (bytes: Uint8Array, path: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AgtmuxError("E_DOCUMENT_INVALID", `${path} is not a text in UTF-8`, { cause: error });
  }
};

export const readText = async (path: string): Promise<string> => decodeText(await readFile(path), path);

/** Null where there is no such file. */
export const readTextIfThere = async (path: string): Promise<string | null> => {
  try {
    return await readText(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/**
 * For files of `.agent-doc` that are not replaced whole: a repository could bring a link along, to a file of another program.
 * @throws AgtmuxError E_DOCUMENT_INVALID
 */
export const refuseLink = async (path: string): Promise<void> => {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return;
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  throw new AgtmuxError("E_DOCUMENT_INVALID", `${path} is a link`, {
    remedy: "Remove it, and repeat; nothing was changed.",
  });
};

interface Owner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

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

/** A file beside `path` with this content, on the disk unless it `mayBeLost` with the power; the caller renames or removes it. */
export const writeNewFile = async (
  path: string,
  content: string | Uint8Array,
  owner: Owner | null = null,
  mayBeLost = false,
): Promise<string> => {
  const made = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}${ENDING}`);
  const handle = await open(made, "wx", owner?.mode ?? 0o644);
  try {
    await handle.writeFile(content);
    if (owner !== null) {
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

/** Makes the folder where it is missing. */
export const writeWhole = async (
  path: string,
  content: string | Uint8Array,
  { mayBeLost = false } = {},
): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const made = await writeNewFile(path, content, null, mayBeLost);
  try {
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
};
