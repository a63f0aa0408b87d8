// What a verb exchanges with the person: files that are named on the command line, and questions at the terminal.
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { AgtmuxError, errorCodeOf, ERROR_CODES } from "../../core/model/errors.ts";
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { CliContext } from "./context.ts";

// Files: one that is read must be a regular file, because a pipe would block and a device never ends.

const readBounded = async (file: FileHandle, path: string, maxBytes: number): Promise<Buffer> => {
  if (!(await file.stat()).isFile())
    throw new AgtmuxError("E_USAGE", `${path} is not a regular file`, {
      remedy: "Put its content into a file and name that.",
    });
  const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
  if (bytesRead > maxBytes) throw new AgtmuxError("E_USAGE", `${path} is larger than ${maxBytes / 1_024} kB`);
  return buffer.subarray(0, bytesRead);
};

/** @throws AgtmuxError E_USAGE for anything that is not a regular file, cannot be read, or is longer than `maxBytes`. */
export const readNamedFile = async (path: string, maxBytes: number): Promise<string> =>
  (await readNamedBytes(path, maxBytes)).toString("utf8");

/** The same for a file that is no text. */
export const readNamedBytes = async (path: string, maxBytes: number): Promise<Buffer> => {
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

/** Writes a file that a person asked for, for its owner alone; a file that is there already stays as it is. */
export const writePrivate = async (path: string, content: string | Uint8Array): Promise<void> => {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const why = errorCodeOf(cause) === "EEXIST" ? "is there already" : "cannot be written";
    throw new AgtmuxError("E_USAGE", `${path} ${why}`, { cause, remedy: "Name another file." });
  }
};

/** Exit status when the person interrupted the command instead of answering. */
const INTERRUPTED_EXIT_CODE = 130;
/** Exit status when the person said no: the same as when nobody can say yes. */
const DECLINED_EXIT_CODE = ERROR_CODES.E_CONFIRMATION_REQUIRED.exit;

/** Says that nothing was done because of the answer (false: interrupted instead of answering), and gives the exit status. */
export const leaveUndone = (context: CliContext, hasAnswered: boolean, done = "done"): number => {
  context.print(`${hasAnswered ? "" : "\n"}Nothing was ${done}.\n`);
  return hasAnswered ? DECLINED_EXIT_CODE : INTERRUPTED_EXIT_CODE;
};

/** What was typed, trimmed; null when the person pressed Ctrl-C or Ctrl-D instead of answering. */
export const askLine = async (question: string, context: CliContext): Promise<string | null> => {
  const lines = createInterface({ input: context.stdin, output: context.stdout });
  try {
    const answer = await Promise.race([lines.question(question), once(lines, "close").then(() => null)]);
    return answer === null ? null : answer.trim();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return null;
    throw error;
  } finally {
    lines.close();
  }
};

/** A yes-or-no question; null as with `askLine`. */
export const ask = async (question: string, context: CliContext): Promise<boolean | null> => {
  const line = await askLine(question, context);
  return line === null ? null : /^y(es)?$/i.test(line);
};
