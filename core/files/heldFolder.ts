// A folder below one that is trusted. Each folder of the way has to be a real one of this user, because a project brings its folders
// along, and a link among them leads anywhere. Where the system lets a process name files by an open folder, the way is held while
// it is used, so that nobody changes it in between; elsewhere it is looked at each time.
import { constants } from "node:fs";
import { lstat, mkdir, open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf, unlessMissing } from "../model/errors.ts";
import { FileProblem, ownUid } from "./plainFile.ts";

export interface HeldFolder {
  /** By which a file in it is opened, made, renamed or removed. */
  at(name: string): string;
  /** The same for a person. */
  shown(name: string): string;
}

const isHoldable = process.platform === "linux";

const notAFolder = (path: string, cause: unknown): FileProblem =>
  new FileProblem(path, errorCodeOf(cause) === "ELOOP" ? "is a link" : "is not a folder", { cause });

const makeFolder = async (path: string, mode: number): Promise<void> => {
  try {
    await mkdir(path, mode);
  } catch (error) {
    // Another process may have made it at the same moment.
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
};

/** Null where it is not there. */
const openStep = async (path: string, shown: string): Promise<FileHandle | null> => {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null;
    // Of a link that is opened as a folder, the system says that it is none.
    const isLink = (await lstat(path).catch(() => null))?.isSymbolicLink() ?? false;
    if (isLink) throw new FileProblem(shown, "is a link", { cause: error });
    if (["ELOOP", "ENOTDIR"].includes(errorCodeOf(error))) throw notAFolder(shown, error);
    throw error;
  }
};

const checkOwner = (uid: number, shown: string): void => {
  const own = ownUid();
  if (own !== null && uid !== own) throw new FileProblem(shown, "belongs to another user");
};

interface Way {
  readonly root: string;
  readonly steps: readonly string[];
  /** The mode with which missing folders are made; left out: none is made. */
  readonly make?: number;
}

const walkHeld = async <T>(
  { root, steps, make }: Way,
  work: (folder: HeldFolder) => Promise<T>,
): Promise<T | null> => {
  let held: FileHandle | null = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  let shown = root;
  try {
    for (const step of steps) {
      const path: string = `/proc/self/fd/${held.fd}/${step}`;
      shown = join(shown, step);
      let next: FileHandle | null = await openStep(path, shown);
      if (next === null && make !== undefined) {
        await makeFolder(path, make);
        next = await openStep(path, shown);
      }
      const before: FileHandle = held;
      held = next;
      await before.close();
      if (held === null) return null;
      checkOwner((await held.stat()).uid, shown);
    }
    const { fd } = held;
    const all = shown;
    return await work({ at: (name) => `/proc/self/fd/${fd}/${name}`, shown: (name) => join(all, name) });
  } finally {
    await held?.close();
  }
};

const walkLooked = async <T>(
  { root, steps, make }: Way,
  work: (folder: HeldFolder) => Promise<T>,
): Promise<T | null> => {
  let at = root;
  for (const step of steps) {
    at = join(at, step);
    let found = await unlessMissing(lstat(at));
    if (found === null && make !== undefined) {
      await makeFolder(at, make);
      found = await lstat(at);
    }
    if (found === null) return null;
    if (found.isSymbolicLink()) throw new FileProblem(at, "is a link");
    if (!found.isDirectory()) throw new FileProblem(at, "is not a folder");
    checkOwner(found.uid, at);
  }
  const whole = at;
  return work({ at: (name) => join(whole, name), shown: (name) => join(whole, name) });
};

/**
 * Works in the folder `steps` below `root`, which itself is taken as it is. Null where it is not there, and is not made.
 * @throws FileProblem for a step that is a link, no folder, or another user's; what `work` throws.
 */
export const inFolderBelow = async <T>(
  way: Way,
  work: (folder: HeldFolder) => Promise<T>,
): Promise<T | null> => (isHoldable ? walkHeld(way, work) : walkLooked(way, work));
