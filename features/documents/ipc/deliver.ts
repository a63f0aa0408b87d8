// Hands a response to an editor and waits until it is acknowledged. Nothing is written into the document here.
import { watch } from "node:fs";
import { access, lstat, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { isMissing } from "../../../core/model/systemError.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";
import { listKept, readKept, removeKept, writeKept } from "../files/wholeFile.ts";
import { editorFileSchema, type EditorFile, type PatchFile } from "./patchFile.ts";

const WAIT_MS = 2_000;
/** While somebody types, an editor finds fewer moments to apply a change. */
const BUSY_WAIT_MS = 10_000;
const BUSY_MS = 1_000;
const POLL_MS = 20;
const MAX_EDITOR_BYTES = 64 * 1024;

/** Whether a plugin was ever there: it makes this folder. */
export const hasPlugin = async ({ patches }: DocumentPaths): Promise<boolean> => {
  try {
    await lstat(patches);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** A process of another user is no editor of this person. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const seenPath = ({ folder }: DocumentPaths): string => join(folder, "agtmux-seen.json");
const seenSchema = z.object({ takenAt: z.number() });
/** An editor that took a response so recently is taken for one that lives, though it writes no file of its own. */
const LATELY_MS = 10 * 60_000;

/** Whether an editor that says nothing of itself has taken a response lately. */
export const hasTakenLately = async (paths: DocumentPaths, now: number): Promise<boolean> => {
  const text = await readKept(paths, seenPath(paths), MAX_EDITOR_BYTES);
  try {
    const { takenAt } = seenSchema.parse(JSON.parse(text ?? "null"));
    return now - takenAt < LATELY_MS && takenAt <= now;
  } catch {
    // It was never written, or is not ours: nobody has taken one.
    return false;
  }
};

export const noteTaken = (paths: DocumentPaths, takenAt: number): Promise<void> =>
  writeKept(paths, seenPath(paths), `${JSON.stringify({ takenAt })}\n`, { mayBeLost: true });

export interface Editors {
  readonly alive: readonly EditorFile[];
  /** Every editor that wrote a file of its own has ended; others write none. */
  readonly areGone: boolean;
}

/** The editors that say of themselves that they are there. What those that ended have left is removed. */
export const findEditors = async (paths: DocumentPaths): Promise<Editors> => {
  const { folder } = paths;
  const names = (await listKept(paths, folder)).filter((name) => /^editor-\d+\.json$/.test(name));
  const alive: EditorFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const found = parseEditor((await readKept(paths, path, MAX_EDITOR_BYTES)) ?? "");
    if (found !== null && isAlive(found.pid)) alive.push(found);
    else await removeKept(paths, path);
  }
  return { alive, areGone: names.length > 0 && alive.length === 0 };
};

const parseEditor = (text: string): EditorFile | null => {
  try {
    return editorFileSchema.parse(JSON.parse(text));
  } catch {
    // It is no editor's: one that is alive writes it again.
    return null;
  }
};

const isThere = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** Resolves after `waitMs`, or as soon as anything in the folder changes. */
const untilChange = async (folder: string, waitMs: number): Promise<void> => {
  const ended = new AbortController();
  const changed = new Promise<void>((resolve) => {
    const watcher = watch(folder, { signal: ended.signal }, () => resolve());
    // The poll goes on without it.
    watcher.on("error", () => {});
  });
  // A wait that is cut short, because something changed, is over.
  await Promise.race([changed, delay(waitMs, undefined, { signal: ended.signal }).catch(() => {})]);
  ended.abort();
};

const withdraw = async (path: string): Promise<boolean> => {
  const aside = `${path}.withdrawn`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  await rm(aside, { force: true });
  return true;
};

/** Takes the folder away that only this write has made: it would say to each later one that a plugin is there. */
export const removePatches = async ({ patches }: DocumentPaths): Promise<void> => {
  // Another write uses it.
  await rmdir(patches).catch(() => {});
};

/**
 * True once the editor has deleted the file, false when it was withdrawn because nobody took it in time. `editors`: those that
 * are known to be there.
 */
export const deliverPatch = async (
  paths: DocumentPaths,
  patch: PatchFile,
  editors: readonly EditorFile[],
): Promise<boolean> => {
  const path = join(paths.patches, `${paths.hash}.json`);
  // The response is kept on the disk already; waiting for the disk once more would only make the editor later.
  await writeKept(paths, path, `${JSON.stringify(patch)}\n`, { mayBeLost: true });
  const begun = Date.now();
  const isBusy = editors.some(({ typedAt }) => typedAt !== null && begun - typedAt < BUSY_MS);
  const deadline = begun + (isBusy ? BUSY_WAIT_MS : WAIT_MS);
  while (await isThere(path)) {
    if (Date.now() >= deadline) return !(await withdraw(path));
    await untilChange(paths.patches, POLL_MS);
  }
  return true;
};
