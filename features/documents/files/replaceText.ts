// Puts a new text in the place of a document that others write as well. The old file is held open while it is replaced: an
// editor that writes into it at that moment writes into a file without a name, and what it wrote is merged afterwards.
import { constants } from "node:fs";
import { access, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AgtmuxError, errorCodeOf, isMissing } from "../../../core/model/errors.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { FileProblem, openPlain, readHandle } from "../../../core/files/plainFile.ts";
import { decodeText, invalidFile, MAX_DOCUMENT_BYTES, removeLeftovers, writeNewFile } from "./wholeFile.ts";

/** An editor that saves in place empties the file first: what was changed so recently is read again. */
const SETTLE_MS = 20;
const SETTLE_ROUNDS = 50;
const ROUNDS = 20;

/** Called when a step is done, so that a test can end the process right there. */
export type OnStep = (step: string) => void;

/** Where it grew meanwhile, the caller reads again, because it was changed just now. */
const readAll = (handle: FileHandle): Promise<Buffer> =>
  readHandle(handle, "the document", MAX_DOCUMENT_BYTES);

/** Its bytes, once nobody has changed them for a moment. */
const readSettled = async (handle: FileHandle): Promise<Buffer> => {
  for (let round = 0; ; round += 1) {
    const bytes = await readAll(handle);
    const { mtimeMs, size } = await handle.stat();
    const age = Date.now() - mtimeMs;
    // A clock in the future is another machine's.
    if (size === bytes.length && (age > SETTLE_MS || age < -SETTLE_MS)) return bytes;
    if (round > SETTLE_ROUNDS)
      throw new AgtmuxError("E_DOCUMENT_BUSY", "another program keeps writing the document");
    await delay(SETTLE_MS);
  }
};

const isStillThere = async (path: string, handle: FileHandle, bytes: Buffer): Promise<boolean> => {
  try {
    const [named, held] = await Promise.all([stat(path), handle.stat()]);
    if (named.ino !== held.ino || named.dev !== held.dev) return false;
    return (await readAll(handle)).equals(bytes);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

const openDocument = async (path: string): Promise<FileHandle> => {
  // Some editors save by renaming twice: for a moment there is no file.
  for (let round = 0; ; round += 1) {
    const handle = await openPlain({ path });
    if (handle !== null) return handle;
    if (round > SETTLE_ROUNDS) throw new AgtmuxError("E_USAGE", `the document ${path} was removed`);
    await delay(SETTLE_MS);
  }
};

/** A rename would replace it all the same: but somebody has said that it is not to be changed. */
const checkWritable = async (path: string, mode: number): Promise<void> => {
  try {
    await access(path, constants.W_OK);
    if ((mode & 0o222) !== 0) return;
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errorCodeOf(error))) throw error;
  }
  throw new AgtmuxError("E_DOCUMENT_INVALID", `${path} is read-only`, {
    remedy: "Make it writable ('chmod u+w'), and repeat; it was not changed.",
  });
};

interface Round {
  /** What the file has now; null where somebody was faster. */
  readonly text: string | null;
  /** What an editor wrote into the file that was replaced: from which text, and to which. */
  readonly late: { readonly from: string; readonly to: string } | null;
}

const replaceOnce = async (
  path: string,
  makeText: (current: string) => string,
  onStep: OnStep,
): Promise<Round> => {
  const handle = await openDocument(path);
  try {
    const bytes = await readSettled(handle);
    const current = decodeText(bytes, path);
    const text = makeText(current);
    if (text === current) return { text, late: null };
    const found = await handle.stat();
    await checkWritable(path, found.mode);
    const made = await writeNewFile(path, text, found);
    onStep("written beside");
    if (!(await isStillThere(path, handle, bytes))) {
      await rm(made, { force: true });
      return { text: null, late: null };
    }
    await rename(made, path);
    onStep("renamed");
    if ((await readAll(handle)).equals(bytes)) return { text, late: null };
    const late = decodeText(await readSettled(handle), path);
    return { text, late: late === current ? null : { from: current, to: late } };
  } finally {
    await handle.close();
  }
};

/**
 * Replaces the file's text by what `makeText` makes of it, and gives what was written; `makeText` is called again with the newer
 * text when somebody was faster. The file keeps its mode. @throws AgtmuxError E_DOCUMENT_BUSY when that never ends, and what
 * `makeText` throws: the file is then as it was.
 */
export const replaceText = async (
  path: string,
  makeText: (current: string) => string,
  onStep: OnStep = () => {},
): Promise<string> => {
  await removeLeftovers(dirname(path));
  let make = makeText;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { text, late } = await replaceOnce(path, make, onStep).catch((error: unknown) => {
      throw error instanceof FileProblem ? invalidFile(error) : error;
    });
    if (text !== null && late === null) return text;
    if (late !== null) make = (current) => mergeTexts(late.from, current, late.to);
  }
  throw new AgtmuxError("E_DOCUMENT_BUSY", "the document changed each time it was about to be written");
};
