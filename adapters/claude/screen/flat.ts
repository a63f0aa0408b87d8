// The layout for screen readers (`--ax-screen-reader`): plain rows from the left edge, each kind of block with a word in front, no box and
// no signs. At its bottom stand the mode and the prompt, or a dialog that is answered by a number and Enter. Source: 2.1.329.
import type { Reading, Screen } from "../../../core/ports/agentAdapter.ts";
import { fails } from "../../common/progress.ts";
import { asks, isBlank, joined, shows } from "../../common/screenText.ts";
import {
  COMPACTING,
  COMPLETED,
  EDIT_APPROVAL,
  FRESH,
  INTERRUPTED,
  QUESTION,
  RETRYING,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
} from "../../common/signals.ts";
import { styledRows, typedOf } from "../../common/styledText.ts";
import { ERROR_LINE, errorStatusOfText } from "../errorReason.ts";

const MODE = /^(?:(?:manual|auto|plan) mode|accept edits|bypass permissions|don't ask) on(?: .*)?$/;
/** Between both: the effort, and what an empty prompt offers. */
const MAX_HINTS = 2;
const PROMPT = /^\$(?:[ \u00a0]|$)/;
/** Rows of a draft. */
const MAX_ROWS = 20;
const INDENT = 2;

/** Each block begins with who speaks. */
const BLOCK = /^(?:you|claude|tool|tool error|error): /;
const FINISHED = /^\S+ for (\d+[dhms] ?)+( · .*)?$/;
const INTERRUPTION = /^Interrupted · What should Claude do instead\?$/;
const DECLINED = /^(?:Declined to answer Claude's questions:|Rejected \w+ to )/;

interface Prompt {
  /** Index of the row with the prompt's sign. */
  at: number;
  mode: string;
  above: readonly string[];
}

/** Null where no prompt of this layout is at the bottom. */
const findPrompt = (screen: readonly string[]): Prompt | null => {
  const lines = screen.slice(0, screen.findLastIndex((line) => !isBlank(line)) + 1);
  const at = lines.findLastIndex((line) => PROMPT.test(line));
  if (at < 1 || lines.length - at > MAX_ROWS) return null;
  const modeAt = lines.slice(0, at).findLastIndex((line) => MODE.test(line));
  const hints = lines.slice(modeAt + 1, at);
  if (modeAt < 0 || hints.length > MAX_HINTS || hints.some((line) => BLOCK.test(line))) return null;
  const above = lines.slice(0, modeAt).filter((line) => !isBlank(line));
  return { at, mode: lines[modeAt] ?? "", above };
};

const readPrompt = ({ mode, above }: Prompt): Reading | null => {
  const last = above.at(-1) ?? "";
  const block = above.slice(
    Math.max(
      0,
      above.findLastIndex((line) => BLOCK.test(line)),
    ),
  );
  const [head = "", ...rest] = block;
  if (/\besc to int/.test(mode)) {
    if (/\bRetrying in \d/.test(joined(block))) return shows(RETRYING, "high", joined(block));
    if (/compacting/i.test(last)) return shows(COMPACTING, "high", last);
    return shows(rest.includes("Running…") ? TOOL : THINKING, "high", mode);
  }
  if (FINISHED.test(last)) return shows(COMPLETED, "high", last);
  if (INTERRUPTION.test(last)) return shows(INTERRUPTED, "high", last);
  const declined = rest.find((line) => DECLINED.test(line));
  if (declined !== undefined) return shows(INTERRUPTED, "high", declined);
  const text = /^(?:error|claude): (.*)$/.exec(joined(block))?.[1] ?? "";
  if (ERROR_LINE.test(text)) return fails(errorStatusOfText(text), text);
  // A prompt with nothing below it was just accepted; behind a command of the agent's own stands what it answered.
  if (head.startsWith("you: ") && rest.length === 0) return null;
  const hasTurn = BLOCK.test(head);
  // What ended there has its first row out of sight.
  if (!hasTurn && above.length > 0 && !above.some((line) => /^Claude Code v\d/.test(line))) return null;
  return shows(FRESH, hasTurn ? "medium" : "high", mode);
};

const ASKS = /^Select with numbers \[1-\d+\]\. Then Enter to submit or Escape to cancel:(?: \d*)?$/;
const OPTION = /^(\d{1,2})\. (\S.*)$/;
const PERMISSION = /^Permission Required: (\S.*)$/;
const ASKED = /^Question: (\S.*)$/;
const EDIT = /^Do you want to (create|make|overwrite|edit|write|update|delete|insert)\b/;

/** Its options have no keys: a number alone chooses nothing, and nobody has tried from afar what follows it. */
const readQuestion = (lines: readonly string[]): Reading | null => {
  const rows = lines.filter((line) => !isBlank(line));
  const end = rows.findLastIndex((line) => ASKS.test(line));
  if (end < 0 || rows.length - end > 2) return null;
  const first = rows.slice(0, end).findLastIndex((line) => line.startsWith("1. "));
  const start = rows.slice(0, first).findLastIndex((line) => PERMISSION.test(line) || ASKED.test(line));
  const title = rows[start] ?? "";
  if (first < 0 || start < 0 || rows.slice(start + 1, first).some((line) => BLOCK.test(line))) return null;
  const options = rows.slice(first, end).flatMap((line) => {
    const label = OPTION.exec(line)?.[2];
    return label === undefined ? [] : [{ label, keys: null }];
  });
  const text = rows.slice(start + 1, first);
  const permission = PERMISSION.exec(title)?.[1];
  const asked = permission === undefined ? joined(text).replace(/^> /, "") : (text.at(-1) ?? "");
  const status = permission === undefined ? QUESTION : EDIT.test(asked) ? EDIT_APPROVAL : TOOL_APPROVAL;
  const kind = status === QUESTION ? "question" : status === EDIT_APPROVAL ? "edit" : "tool";
  return asks(status, "high", `${title} / ${asked}`, {
    kind,
    title: status === TOOL_APPROVAL ? (permission ?? asked) : asked,
    body: status === QUESTION ? null : text.slice(0, -1).join("\n"),
    options,
    isWhole: false,
  });
};

/** What the bottom of the screen shows in this layout, or null. */
export const readFlat = (lines: readonly string[]): Reading | null => {
  const prompt = findPrompt(lines);
  return prompt === null ? readQuestion(lines) : readPrompt(prompt);
};

/** What stands behind the prompt's sign; null where there is none. */
export const readFlatDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const prompt = findPrompt(screen.lines.map((line) => line.trimEnd()));
  return rows === null || prompt === null ? null : typedOf(rows.slice(prompt.at), INDENT);
};
