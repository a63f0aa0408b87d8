// Reads the secret of a channel from its own file, each time again, so that a changed one counts at once. It is refused where
// others could read it, and is never stored, logged or shown.
import { join } from "node:path";
import { FileProblem, openPlain } from "../../../core/files/plainFile.ts";
import { errorCodeOf } from "../../../core/model/systemError.ts";

const MAX_SECRET = 4_096;

/** Says what is wrong with the file, by its path; never with its content. */
export class SecretProblem extends Error {}

/** `path` as in config.json; `home` stands for `~`. @throws SecretProblem */
export const readSecret = async (path: string, home: string, uid: number): Promise<string> => {
  const place = path.startsWith("~/") ? join(home, path.slice(2)) : path;
  try {
    await using file = await openPlain({ path: place }, uid);
    if (file === null) throw new SecretProblem(`${place} cannot be read (ENOENT)`);
    const found = await file.stat();
    if ((found.mode & 0o077) !== 0)
      throw new SecretProblem(`others may read ${place}: run 'chmod 600' on it`);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_SECRET + 1), 0, MAX_SECRET + 1, 0);
    const secret = buffer.toString("utf8", 0, bytesRead).trim();
    if (bytesRead > MAX_SECRET || !/^[\x21-\x7e]+$/.test(secret))
      throw new SecretProblem(`${place} has to hold the secret on one line, and nothing else`);
    return secret;
  } catch (error) {
    if (error instanceof SecretProblem) throw error;
    const what =
      error instanceof FileProblem ? error.message : `${place} cannot be read (${errorCodeOf(error)})`;
    throw new SecretProblem(what, { cause: error });
  }
};
