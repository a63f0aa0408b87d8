// Takes the patch files of one project: puts each into the editor's buffer as one step of undo, saves, and only then deletes it,
// which is the acknowledgement. A patch file may have come with a repository or from another user: only a document of the project
// is changed, and only by a file of the person's own. How a response is put into a text is in applyResponse.ts.
import { access, readdir, realpath, rm } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inFolderBelow } from "../../../core/files/heldFolder.ts";
import { ownUid, readPlain } from "../../../core/files/plainFile.ts";
import type { PatchFile } from "../../../features/documents/ipc/writeThroughEditor.ts";
import { splitLines } from "../../../features/documents/model/diffLines.ts";
import { editsBetween, putInto, readPatchFile, type LineEdit } from "./applyResponse.ts";

/** A document as the editor has it. */
export interface Buffer {
  getText(): string;
  /** Applies all of them at once, to the text as it was when `getText` gave it; false where it has changed since. */
  edit(edits: readonly LineEdit[]): Promise<boolean>;
  save(): Promise<boolean>;
}

export interface TakerOptions {
  /** `.agent-doc/patches`. */
  readonly folder: string;
  readonly open: (file: string) => Promise<Buffer>;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Between two tries, to wait for a pause of typing. */
const PAUSE_MS = 40;
/** How often a patch is tried again at once when somebody typed: directly after a key, the next key is farthest away. */
const AT_ONCE = 3;
/** After so many tries the command has long withdrawn the file, or nobody waits for it. */
const MAX_TRIES = 500;

const isThere = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch {
    // It was withdrawn, or taken by another window.
    return false;
  }
};

/** Folders of other programs, which trust the files in them: a document is never in one of these. */
const FOREIGN_FOLDERS = new Set([".git", ".agent-doc"]);

/** Throws for what is no document of the project that `folder`, its `.agent-doc/patches`, belongs to. */
const checkDocument = async (file: string, folder: string): Promise<void> => {
  const root = await realpath(dirname(dirname(folder)));
  // The command names a document without symbolic links.
  const parts = relative(root, file).split(sep);
  const isInside = isAbsolute(file) && parts[0] !== ".." && !parts.some((part) => FOREIGN_FOLDERS.has(part));
  if (!isInside || (await realpath(file)) !== file)
    throw new Error("what it names is no document of this project; it is left as it is");
};

/** More than a response with its document has. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A patch file of this person's; null where it was withdrawn. Throws for a link, and whatever else a project may have there. */
const readPatch = (path: string, folder: string): ReturnType<typeof readPlain> =>
  inFolderBelow(
    { root: dirname(dirname(folder)), steps: [basename(dirname(folder)), basename(folder)] },
    (held) =>
      readPlain({ path: held.at(basename(path)), shown: path }, { maxBytes: MAX_BYTES, uid: ownUid() }),
  );

/** `typed`: somebody was faster, and the buffer has another text now. `later`: it could not be put in, for whatever reason. */
type Put = "done" | "typed" | "later";

/** What was put into the buffer and not saved yet: a patch file that does not merge would be put in twice. */
interface Taking {
  put: { readonly patchText: string; readonly lines: readonly string[] } | null;
}

/** Whether the buffer still has it: somebody may type there meanwhile, or revert to what is on the disk, which lacks it. */
const isPutIn = ({ put }: Taking, patchText: string, buffer: string): boolean =>
  put?.patchText === patchText && (put.lines.length === 0 || put.lines.some((line) => buffer.includes(line)));

const newLines = (before: string, after: string): string[] => {
  const known = new Set(splitLines(before));
  return splitLines(after).filter((line) => line.trim() !== "" && !known.has(line));
};

/** A save that an editor reports as failed, because somebody typed meanwhile, may have put the response into the file. */
const isSaved = async (patch: PatchFile): Promise<boolean> => {
  if (patch.response === undefined) return false;
  const saved = (await readPlain({ path: patch.file }, { maxBytes: MAX_BYTES }))?.toString("utf8");
  return saved !== undefined && putInto(patch, saved) === saved;
};

const putOnce = async (path: string, { folder, open }: TakerOptions, taking: Taking): Promise<Put> => {
  const bytes = await readPatch(path, folder);
  if (bytes === null) return "done";
  const text = bytes.toString("utf8");
  const patch = readPatchFile(text);
  if (patch === null) return "later";
  await checkDocument(patch.file, folder);
  const buffer = await open(patch.file);
  const before = buffer.getText();
  const after = isPutIn(taking, text, before) ? before : putInto(patch, before);
  if (after !== before) {
    if (!(await isThere(path))) return "done";
    if (!(await buffer.edit(editsBetween(before, after))))
      return buffer.getText() === before ? "later" : "typed";
    // Editors have been seen to apply an edit to another text than the one that `getText` gave.
    const now = buffer.getText();
    if (patch.response === undefined) {
      taking.put = { patchText: text, lines: newLines(before, after) };
      if (!isPutIn(taking, text, now)) return "later";
    } else if (putInto(patch, now) !== now) return "later";
  }
  return (await buffer.save()) || (await isSaved(patch)) ? "done" : "later";
};

const take = async (path: string, options: TakerOptions): Promise<void> => {
  const { log, signal } = options;
  const taking: Taking = { put: null };
  let atOnce = 0;
  for (let tried = 0; tried < MAX_TRIES && !signal.aborted && (await isThere(path)); tried += 1) {
    try {
      const put = await putOnce(path, options, taking);
      if (put === "done") {
        await rm(path, { force: true });
        return;
      }
      atOnce = put === "typed" ? atOnce + 1 : AT_ONCE;
      if (atOnce < AT_ONCE) continue;
      atOnce = 0;
    } catch (error) {
      // The person may be in the middle of changing a marker, or the file is gone; the command says so when it gives up.
      if (tried === 0) log(`${basename(path)}: ${error instanceof Error ? error.message : String(error)}`);
    }
    await delay(PAUSE_MS);
  }
};

/** Lists the folder each time it is called; files that are under way are not begun twice. */
export const createPatchTaker = (options: TakerOptions): (() => Promise<void>) => {
  const underWay = new Set<string>();
  return async () => {
    const names = (await readdir(options.folder)).filter(
      (name) => name.endsWith(".json") && !name.startsWith("."),
    );
    await Promise.all(
      names
        .filter((name) => !underWay.has(name))
        .map(async (name) => {
          underWay.add(name);
          try {
            await take(join(options.folder, name), options);
          } finally {
            underWay.delete(name);
          }
        }),
    );
  };
};
