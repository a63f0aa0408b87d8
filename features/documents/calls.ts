// What surfaces ask of documents, as `documents.<name>`.
import * as z from "zod";
import { mutation } from "../../core/api/calls.ts";
import type { PaneDocument } from "../../core/model/paneDocument.ts";

export const DOCUMENTS_CALLS = {
  /** The documents of a row's pane, as its project's registry has them now. It reads them from the disk of the pane's machine. */
  ofPane: mutation(z.object({ ref: z.string().min(1).max(1_000) }))<PaneDocument[]>(),
};

export type DocumentsCall = keyof typeof DOCUMENTS_CALLS;

/**
 * Whether a document can be told of by its name: control characters in it would be keys, line ends other lines, and marks of
 * direction show another name. What only joins letters, as in Persian and in emoji, is a part of them.
 */
export const isTellable = (file: string): boolean =>
  !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(file);

/** For agents that have no word of their own for a skill. */
export const askInWords = (file: string): string => `Use the skill agent-doc: answer in the document ${file}`;
