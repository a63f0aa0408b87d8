// The dialogs of the Cursor CLI and its input line, by captures that others published (cursor-agent 2026.04 to 2026.10).
// Nobody could run it here: everything has low confidence, no key is offered, and no reading claims to be whole. How a
// screen at rest differs from one at work is not known, so that it proves no state; it proves that no dialog is open.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  withoutBlankEnds,
  asks,
  isBlank,
  joined,
  ofWholeScreen,
  shows,
  visibleLines,
} from "../common/screenText.ts";
import {
  oneLine,
  EDIT_APPROVAL,
  PLAN_APPROVAL,
  QUESTION,
  THINKING,
  TOOL_APPROVAL,
} from "../common/events.ts";

const TITLES: Readonly<Record<string, { status: Status; kind: PromptRequest["kind"] }>> = {
  "Run this command?": {
    status: TOOL_APPROVAL,
    kind: "command",
  },
  "Run this MCP tool?": {
    status: TOOL_APPROVAL,
    kind: "tool",
  },
  "Write to this file?": {
    status: EDIT_APPROVAL,
    kind: "edit",
  },
  "Delete this file?": {
    status: EDIT_APPROVAL,
    kind: "edit",
  },
  "Ready to build?": { status: PLAN_APPROVAL, kind: "plan" },
};
const NO_DIALOG: Status = { state: "unknown", reasonCode: "unsupported_signal" };

/** Rows that can follow a dialog's options: the end of its box, a hint, the word beside the spinner. */
const BELOW = /^\s*(└─+┘|ctrl\+r to review changed files|Waiting for approval\.\.\.)?\s*$/;
/** An option ends in its keys. */
const OPTION =
  /^\s*(→ )?(\S.*?) (\((?:y|n|p|b|c|tab|shift\+tab|esc or n|esc or p|esc or n or p|p or Esc)\))(?: \(enter\))?$/;
const ALLOWS = new Set(["(y)", "(b)"]);
const REFUSES = new Set(["(n)", "(esc or n)", "(esc or p)", "(esc or n or p)", "(p or Esc)"]);
/** The longest dialog seen has four options and a line or two above them, which may be wrapped. */
const MAX_ROWS_BELOW_TITLE = 14;
const EDGE = /^\s*[┌─]─{7,}┐?\s*$/;
const BOX_END = /^\s*└─+┘\s*$/;
const MAX_BODY_ROWS = 60;
const QUESTION_FOOTER = /\bEnter next\/submit · Esc to skip$/;
const QUESTION_NUMBER = /^Question \d+ of \d+$/;
const CHOICE = /^(?:› )?\[.\] (\S.*)$/u;
const MAX_QUESTION_ROWS = 40;
/** Rows at the bottom in which the input line stands, above the model's name and the folder. */
const BOTTOM_ROWS = 8;
const INPUT = /^\s{0,4}→ \S/;
const WORKING = /\s{2}ctrl\+c to stop$/;

/** A row without the box that some versions draw around it. */
const inside = (line: string): string => (/^\s*│(.*)│\s*$/.exec(line)?.[1] ?? line).trimEnd();

interface Dialog {
  title: number;
  options: { label: string; isChosen: boolean; keys: string }[];
}

/** The dialog that ends in the row before `end`: a known title, notes, options of which one is chosen; null for none. */
const dialogAbove = (rows: readonly string[], end: number): Dialog | null => {
  const options: Dialog["options"] = [];
  let index = end - 1;
  for (; index >= 0; index -= 1) {
    const [row, chosen, label = "", keys = ""] = OPTION.exec(rows[index] ?? "") ?? [];
    if (row === undefined) break;
    options.unshift({ label: oneLine(`${label} ${keys}`), isChosen: chosen !== undefined, keys });
  }
  const isComplete =
    options.filter(({ isChosen }) => isChosen).length === 1 &&
    options.some(({ keys }) => ALLOWS.has(keys)) &&
    options.some(({ keys }) => REFUSES.has(keys));
  if (!isComplete) return null;
  for (; index >= 0 && end - index <= MAX_ROWS_BELOW_TITLE; index -= 1)
    if (Object.hasOwn(TITLES, (rows[index] ?? "").trim())) return { title: index, options };
  return null;
};

/** What stands between the edge above a dialog and its title; null where no edge is seen. */
const bodyAbove = (lines: readonly string[], title: number): string | null => {
  let last = title - 1;
  while (last >= 0 && isBlank(lines[last] ?? "")) last -= 1;
  if (BOX_END.test(lines[last] ?? "")) last -= 1;
  for (let index = last; index >= 0 && last - index < MAX_BODY_ROWS; index -= 1)
    if (EDGE.test(lines[index] ?? "")) {
      const body = withoutBlankEnds(lines.slice(index + 1, last + 1).map(inside));
      return body.length === 0 ? null : body.join("\n");
    }
  return null;
};

const readDialog = (lines: readonly string[]): Reading | null => {
  const rows = lines.map(inside);
  const end = rows.findLastIndex((row) => !BELOW.test(row)) + 1;
  const dialog = dialogAbove(rows, end);
  if (dialog === null) return null;
  const title = (rows[dialog.title] ?? "").trim();
  const known = TITLES[title];
  if (known === undefined) return null;
  return asks(known.status, "low", `${title} / ${dialog.options.at(-1)?.label ?? ""}`, {
    kind: known.kind,
    title,
    body: bodyAbove(lines, dialog.title),
    options: dialog.options.map(({ label }) => ({ label, keys: null })),
  });
};

/** The box of a question, at the very end of the screen: one that was answered stays in the text above. */
const readQuestion = (lines: readonly string[]): Reading | null => {
  if (!BOX_END.test(lines.at(-1) ?? "")) return null;
  const top = lines.findLastIndex((line) => /^\s*┌─+┐\s*$/.test(line));
  const rows = lines.slice(top + 1, -1).map((line) => inside(line).trim());
  if (top < 0 || rows.length > MAX_QUESTION_ROWS) return null;
  // The last line of the box may be wrapped.
  if (!QUESTION_FOOTER.test(joined(rows.slice(-3)))) return null;
  const number = rows.findIndex((row) => QUESTION_NUMBER.test(row));
  const firstChoice = rows.findIndex((row, index) => index > number && CHOICE.test(row));
  if (number < 0 || firstChoice < 0) return null;
  const text = joined(rows.slice(number + 1, firstChoice));
  return asks(QUESTION, "low", `${rows[number] ?? ""} / ${text}`, {
    kind: "question",
    title: text === "" ? (rows[number] ?? "") : text,
    body: rows.slice(number + 1, firstChoice).join("\n"),
    options: rows.flatMap((row) => {
      const label = CHOICE.exec(row)?.[1];
      return label === undefined ? [] : [{ label, keys: null }];
    }),
  });
};

const readInputLine = (lines: readonly string[]): Reading | null => {
  const bottom = lines
    .map(inside)
    .filter((line) => !isBlank(line))
    .slice(-BOTTOM_ROWS);
  const input = bottom.findLast((line) => INPUT.test(line));
  // The chosen option of a dialog that is not known has the same mark.
  if (input === undefined || OPTION.test(input)) return null;
  return WORKING.test(input) ? shows(THINKING, "low", input.trim()) : shows(NO_DIALOG, "low", input.trim());
};

/** A dialog, work, or that the input line is back and so no dialog is open; null for everything else. */
export const readCursorScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  return ofWholeScreen(screen, readDialog(lines) ?? readQuestion(lines) ?? readInputLine(lines));
};
