// Reads a file that was named on the command line. It must be a regular file, because a pipe would block and a device never
// ends.
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { AgtmuxError } from "../core/model/errors.ts";

const readBounded = async (file: FileHandle, path: string, maxBytes: number): Promise<string> => {
  if (!(await file.stat()).isFile())
    throw new AgtmuxError("E_USAGE", `${path} is not a regular file`, {
      remedy: "Put its content into a file and name that.",
    });
  const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
  if (bytesRead > maxBytes) throw new AgtmuxError("E_USAGE", `${path} is larger than ${maxBytes / 1_024} kB`);
  return buffer.toString("utf8", 0, bytesRead);
};

/** @throws AgtmuxError E_USAGE for anything that is not a regular file, cannot be read, or is longer than `maxBytes`. */
export const readNamedFile = async (path: string, maxBytes: number): Promise<string> => {
  let file: FileHandle | null = null;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return await readBounded(file, path, maxBytes);
  } catch (cause) {
    if (cause instanceof AgtmuxError) throw cause;
    throw new AgtmuxError("E_USAGE", `${path} cannot be read`, { cause, remedy: "Name a readable file." });
  } finally {
    await file?.close();
  }
};
