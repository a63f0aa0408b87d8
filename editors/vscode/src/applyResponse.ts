// Patch files: reading one, what an editor's buffer becomes with it, and the edits for that. Those of our own command bring the
// response and its baseline, which are merged with what was typed; those of the original bring contents of components.
import type { PatchFile } from "../../../features/documents/ipc/writeThroughEditor.ts";
import { diffLists, splitLines } from "../../../features/documents/model/diffLines.ts";
import { mergeTexts } from "../../../features/documents/model/mergeTexts.ts";
import { appendAnswer, applyResponse, parseResponse } from "../../../features/documents/model/patches.ts";

const isPatch = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "component" in value &&
  typeof value.component === "string" &&
  "content" in value &&
  typeof value.content === "string";

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";

/** Null for what is no patch file, or is not whole yet. */
export const readPatchFile = (text: string): PatchFile | null => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Others may write it in pieces; it is read again.
    return null;
  }
  if (typeof value !== "object" || value === null || !("file" in value) || typeof value.file !== "string")
    return null;
  const fields = { patches: [], unmatched: "", baseline: "", ...value };
  const isGood =
    Array.isArray(fields.patches) &&
    fields.patches.every(isPatch) &&
    [fields.unmatched, fields.baseline].every((one) => typeof one === "string") &&
    ["fullContent", "response"].every((key) => isText(Reflect.get(fields, key)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field was looked at above
  return isGood ? (fields as unknown as PatchFile) : null;
};

/** @throws AgtmuxError E_DOCUMENT_INVALID where the buffer's components do not take it. */
export const putInto = (patch: PatchFile, buffer: string): string => {
  const { baseline, response, fullContent, modes = {}, patches, unmatched } = patch;
  if (response !== undefined) {
    const parsed = parseResponse(response);
    const agent =
      fullContent === undefined
        ? applyResponse(baseline, parsed, modes).text
        : appendAnswer(baseline, parsed.unmatched);
    return mergeTexts(baseline, agent, buffer);
  }
  if (fullContent !== undefined) return mergeTexts(baseline, fullContent, buffer);
  return applyResponse(buffer, { patches, unmatched }, {}).text;
};

/** Lines `[from, to)` are replaced by `text`. */
export interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The smallest edits of whole lines, so that the cursor stays in its line. */
export const editsBetween = (before: string, after: string): LineEdit[] => {
  const [a, b] = [splitLines(before), splitLines(after)];
  return diffLists(a, b).map(({ aStart, aEnd, bStart, bEnd }) => ({
    from: aStart,
    to: aEnd,
    text: b.slice(bStart, bEnd).join(""),
  }));
};
