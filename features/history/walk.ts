// Finds the logs below a root. The root itself may be a link, because people keep their settings elsewhere; below it no link is
// followed.
import { opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf, isMissing } from "../../core/model/systemError.ts";
import type { FileHistory } from "../../core/ports/agentHistory.ts";

/** Nobody has as many sessions; a folder that somebody filled must not fill memory. */
export const MAX_FILES = 100_000;

/** Below the root, with "/". */
async function* filesAt(root: string, below: string, depth: number): AsyncGenerator<string> {
  let folder;
  try {
    folder = await opendir(join(root, below), { bufferSize: 256 });
  } catch (error) {
    // It went meanwhile, or it may not be read: then it has nothing for us.
    if (isMissing(error) || ["EACCES", "EPERM"].includes(errorCodeOf(error))) return;
    throw error;
  }
  for await (const entry of folder) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (depth === 0 && entry.isFile()) yield path;
    else if (depth > 0 && entry.isDirectory()) yield* filesAt(root, path, depth - 1);
  }
}

export interface FoundLog {
  /** Absolute. */
  path: string;
  /** Below the root, with "/". */
  below: string;
}

/** The logs of one root. */
export async function* findLogs(
  homeDir: string,
  { folder, depth, file }: FileHistory["roots"][number],
): AsyncGenerator<FoundLog> {
  let root: string;
  try {
    root = await realpath(join(homeDir, folder));
  } catch (error) {
    if (isMissing(error) || ["EACCES", "ELOOP"].includes(errorCodeOf(error))) return;
    throw error;
  }
  let count = 0;
  for await (const below of filesAt(root, "", depth)) {
    if (!file.test(below)) continue;
    count += 1;
    if (count > MAX_FILES) return;
    yield { path: join(root, below), below };
  }
}
