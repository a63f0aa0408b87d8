// The few screen texts that the documents of gjc and arcane name, for agents that nobody could record. Only what ends the
// screen, never more than medium confidence, and nothing at all for a screen at rest: how one looks is not documented.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { retryIn, withProgress } from "../common/progress.ts";
import { asks, indentOf, isBlank, joined, ofWholeScreen, shows, visibleLines } from "../common/screenText.ts";
import { COMPACTING, QUESTION, RETRYING, THINKING } from "../common/signals.ts";
import { readSelector } from "./selector.ts";

/** Rows from the bottom in which a working line can stand, above the input and its status. */
const BOTTOM_ROWS = 8;
const FOOTER = /^\s*(\(\d+\/\d+\)\s+)?up\/down navigate {2}enter select {2}esc cancel\s*$/;
const FREE_TEXT = /Other \(type your own\)/;
const MAX_INDENT = 4;
const RETRY = /\bRetrying \((\d+)\/(\d+)\) in \d+s…/;

/** An `ask` picker: its own added answer stands among the options, so that it is no menu that a person opened. */
const readAsk = (lines: readonly string[]): Reading | null => {
  const footer = lines.length - 1;
  if (!FOOTER.test(lines[footer] ?? "")) return null;
  let end = footer;
  while (end > 0 && isBlank(lines[end - 1] ?? "")) end -= 1;
  let start = end;
  while (start > 0 && !isBlank(lines[start - 1] ?? "")) start -= 1;
  const block = lines.slice(start, end);
  const options = readSelector(block);
  if (options === null || !block.some((line) => FREE_TEXT.test(line))) return null;
  let top = start;
  while (top > 0 && isBlank(lines[top - 1] ?? "")) top -= 1;
  let from = top;
  while (from > 0 && !isBlank(lines[from - 1] ?? "")) from -= 1;
  const rows = lines.slice(from, top);
  const text = joined(rows);
  if (text === "") return null;
  return asks(QUESTION, "medium", `${text.slice(0, 200)} / ${(lines[footer] ?? "").trim()}`, {
    kind: "question",
    title: text,
    body: rows.join("\n"),
    toolName: "ask",
    // Recorded with none of these versions: keys are not known.
    options: options.map(({ label }) => ({ label, keys: null })),
  });
};

const readWork = (lines: readonly string[]): Reading | null => {
  const line = lines
    .slice(-BOTTOM_ROWS)
    .findLast(
      (one) =>
        indentOf(one) <= MAX_INDENT && /\(esc to (interrupt|cancel)\)\s*$/.test(one) && !/[`"'>]/.test(one),
    );
  if (line === undefined) return null;
  const text = line.trim();
  if (RETRY.test(text)) return withProgress(shows(RETRYING, "medium", text), retryIn(text, RETRY));
  if (/\bAuto-compacting… \(esc to cancel\)$/.test(text)) return shows(COMPACTING, "medium", text);
  return /^(\S )?\S.{0,60}… \(esc to interrupt\)$/.test(text) ? shows(THINKING, "medium", text) : null;
};

/** State that a documented text at the bottom proves, or null. */
export const readDocumentedScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  return ofWholeScreen(screen, readAsk(lines) ?? readWork(lines));
};
