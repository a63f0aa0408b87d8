// What an agent has seen of a document: its snapshot as text, and the state from which a CRDT merges, as the original keeps both.
import { basename } from "node:path";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { DocumentPaths } from "./documentPaths.ts";
import { diffLists, splitLines } from "../model/diffLines.ts";
import { readKept, readKeptBytes, removeKept, writeKept } from "./wholeFile.ts";

/** Null where the agent has seen nothing yet. @throws AgtmuxError E_DOCUMENT_INVALID for one that is damaged. */
export const loadSnapshot = async (paths: DocumentPaths): Promise<string | null> => {
  const { snapshot, file } = paths;
  try {
    return await readKept(paths, snapshot);
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    throw new AgtmuxError(error.code, error.message, {
      cause: error,
      remedy: `What the agent has seen is damaged: 'agtmux doc reset ${basename(file)}' lets it begin again.`,
    });
  }
};

export const saveSnapshot = (paths: DocumentPaths, text: string): Promise<void> =>
  writeKept(paths, paths.snapshot, text);

/** Snapshot and state; whether there was a snapshot. */
export const deleteSnapshot = async (paths: DocumentPaths): Promise<boolean> => {
  const had = await removeKept(paths, paths.snapshot);
  await removeKept(paths, paths.crdt);
  return had;
};

const TEXT_KEY = "content";
/** A fixed number, so that the same edits make the same state. */
const CLIENT_ID = 1;
/** A state with more history than that begins again. */
const MAX_HISTORY_BYTES = 4 * 1024 * 1024;

/** The state of before with what changed since; a state that cannot be read is replaced. */
export const saveCrdtState = async (paths: DocumentPaths, text: string): Promise<void> => {
  const { applyUpdate, Doc, encodeStateAsUpdate } = await import("yjs");
  const create = (state: Uint8Array | null) => {
    const doc = new Doc();
    if (state !== null) applyUpdate(doc, state);
    // Only now: while a state is read, a number that occurs in it would be taken for somebody else's.
    doc.clientID = CLIENT_ID;
    return doc;
  };
  let doc = create(null);
  try {
    const state = await readKeptBytes(paths, paths.crdt, MAX_HISTORY_BYTES);
    if (state !== null) doc = create(state);
  } catch {
    // It is no state, or has too much history: nothing depends on that.
    doc = create(null);
  }
  const content = doc.getText(TEXT_KEY);
  const [before, after] = [splitLines(content.toJSON()), splitLines(text)];
  doc.transact(() => {
    let [at, line] = [0, 0];
    for (const { aStart, aEnd, bStart, bEnd } of diffLists(before, after)) {
      at += lengthOf(before.slice(line, aStart));
      const removed = lengthOf(before.slice(aStart, aEnd));
      if (removed > 0) content.delete(at, removed);
      const added = after.slice(bStart, bEnd).join("");
      if (added !== "") content.insert(at, added);
      at += added.length;
      line = aEnd;
    }
  });
  // One that is lost with the power begins again.
  await writeKept(paths, paths.crdt, encodeStateAsUpdate(doc), { mayBeLost: true });
};

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);
