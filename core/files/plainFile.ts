// Opens files that somebody else may have put there, for reading: only a regular file, never a link, and never waiting for a peer of a
// pipe. Whoever reads says how much at most, and whose file it has to be.
import { constants, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { errorCodeOf, isMissing } from "../model/errors.ts";

/** What is wrong with a file, as the end of a sentence that begins with its path. */
export class FileProblem extends Error {
  readonly path: string;

  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path} ${what}`, options);
    this.path = path;
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ELOOP: "is a link",
  ENXIO: "is no regular file",
  ENODEV: "is no regular file",
  EISDIR: "is a folder",
  EACCES: "may not be read",
  EPERM: "may not be read",
};

/** As the person sees it; `shown` names the file in messages, where `path` goes by way of a held folder. */
export interface Named {
  readonly path: string;
  readonly shown?: string;
}

/** The user whose files count; null where the system has no such thing, or the owner does not matter. */
export const ownUid = (): number | null => process.getuid?.() ?? null;

const checkPlain = (stat: Stats, shown: string, uid: number | null): void => {
  if (!stat.isFile()) throw new FileProblem(shown, stat.isDirectory() ? "is a folder" : "is no regular file");
  if (uid !== null && stat.uid !== uid) throw new FileProblem(shown, "belongs to another user");
};

/** Null where there is none; the caller closes it. `uid`: whose it has to be. @throws FileProblem */
export const openPlain = async (
  { path, shown = path }: Named,
  uid: number | null = null,
  flags: number = constants.O_RDONLY,
): Promise<FileHandle | null> => {
  let handle: FileHandle;
  try {
    handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return null;
    const what = PROBLEMS[errorCodeOf(error)];
    if (what === undefined) throw error;
    throw new FileProblem(shown, what, { cause: error });
  }
  try {
    checkPlain(await handle.stat(), shown, uid);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** What a file has at this moment, which grows by one byte more than is asked for where it is too long. */
export const readHandle = async (handle: FileHandle, shown: string, maxBytes: number): Promise<Buffer> => {
  const { size } = await handle.stat();
  const tooLong = (): FileProblem =>
    new FileProblem(
      shown,
      `is larger than ${maxBytes >= 1 << 20 ? `${maxBytes >> 20} MB` : `${maxBytes >> 10} kB`}`,
    );
  if (size > maxBytes) throw tooLong();
  // A file may say that it is empty and have no end, and may grow meanwhile.
  const bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > maxBytes) throw tooLong();
  return bytes.subarray(0, length);
};

/** Null where there is none. @throws FileProblem for what is no regular file of this user, or larger than `maxBytes`. */
export const readPlain = async (
  named: Named,
  { maxBytes, uid = null }: { readonly maxBytes: number; readonly uid?: number | null },
): Promise<Buffer | null> => {
  const handle = await openPlain(named, uid);
  if (handle === null) return null;
  try {
    return await readHandle(handle, named.shown ?? named.path, maxBytes);
  } finally {
    await handle.close();
  }
};
