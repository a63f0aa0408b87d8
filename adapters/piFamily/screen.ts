// What the screens of the pi family share: a list of options of which one is marked, and the few texts that the documents of gjc
// and arcane name.
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import { oneLine, COMPACTING, QUESTION, RETRYING, THINKING } from "../common/events.ts";
import {
  isBlank,
  movesTo,
  asks,
  indentOf,
  joined,
  ofWholeScreen,
  shows,
  visibleLines,
  blockAbove,
} from "../common/screenText.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { retryIn, withProgress } from "../common/progress.ts";

const MARKED = /^(\s{0,3})[❯→] (\S.*)$/u;
const OTHER = /^(\s{2,5})(\S.*)$/u;
const CIRCLE = /^[○◉●◯] /u;
const BOX = /^(?:[☐☑☒✓✔]|\[.\]) /u;
const HINT = /\s+\(Recommended\)$/i;

/** Null unless exactly one of the adjoining lines is marked and the others stand in its column. */
export const readSelector = (lines: readonly string[]): PromptRequest["options"] | null => {
  const shown = lines.filter((line) => !isBlank(line));
  const selected = shown.findIndex((line) => MARKED.test(line));
  if (selected < 0 || shown.length > MAX_OPTIONS) return null;
  const column = MARKED.exec(shown[selected] ?? "")?.[1]?.length ?? 0;
  const labels = shown.map((line, index) => {
    if (index === selected) return MARKED.exec(line)?.[2] ?? "";
    const other = OTHER.exec(line);
    return other?.[1]?.length === column + 2 ? (other[2] ?? "") : null;
  });
  if (labels.includes(null)) return null;
  const isMulti = labels.some((label) => BOX.test(label ?? ""));
  return labels.map((label, index) => ({
    label: oneLine((label ?? "").replace(CIRCLE, "").replace(BOX, "").replace(HINT, "")),
    // With boxes Enter toggles or goes on; what it does was not recorded.
    keys: isMulti || /type your own/i.test(label ?? "") ? null : movesTo(index, selected),
  }));
};

// Documented texts: for agents that nobody could record. Only what ends the screen, never more than medium confidence, and
// nothing at all for a screen at rest: how one looks is not documented.

/** Rows from the bottom in which a working line can stand, above the input and its status. */
const BOTTOM_ROWS = 8;
const FOOTER = /^\s*(\(\d+\/\d+\)\s+)?up\/down navigate {2}enter select {2}esc cancel\s*$/;
const FREE_TEXT = /Other \(type your own\)/;
const MAX_INDENT = 4;
const RETRY = /\bRetrying \((\d+)\/(\d+)\) in \d+s…/;

/** An `ask` picker: the answer that it adds stands among the options, so it is no menu that a person opened. */
const readAsk = (lines: readonly string[]): Reading | null => {
  const footer = lines.length - 1;
  if (!FOOTER.test(lines[footer] ?? "")) return null;
  const { lines: block, start } = blockAbove(lines, footer);
  const options = readSelector(block);
  if (options === null || !block.some((line) => FREE_TEXT.test(line))) return null;
  const { lines: rows } = blockAbove(lines, start);
  const text = joined(rows);
  if (text === "") return null;
  return asks(QUESTION, "medium", `${text.slice(0, 200)} / ${(lines[footer] ?? "").trim()}`, {
    kind: "question",
    title: text,
    body: rows.join("\n"),
    toolName: "ask",
    // No version was recorded, so the keys are not known.
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
