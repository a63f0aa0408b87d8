// The parts of Gemini CLI's screen: its title, the input box with the status above it, and the conversation of the last
// turn. The program draws inline, so everything higher up is history. Source: frames recorded with 0.61.0.
import type { Screen } from "../../../core/ports/agentAdapter.ts";
import { isBlank } from "../../common/screenText.ts";
import { type StyledCell, styledRows, typedOf } from "../../common/styledText.ts";

/** What the title says; null where the title is not the agent's (it can be switched off). */
export type TitleState = "ready" | "working" | "action";

/** The clock stands for a command that prints nothing for a while. */
const TITLE_SIGNS: Readonly<Record<string, TitleState>> = {
  "◇": "ready",
  "✦": "working",
  "⏲": "working",
  "✋": "action",
};

export const titleStateOf = (title: string): TitleState | null => {
  const sign = /^\s*(\S)/u.exec(title)?.[1] ?? "";
  return Object.hasOwn(TITLE_SIGNS, sign) ? (TITLE_SIGNS[sign] ?? null) : null;
};

export interface InputBox {
  /** Index of the row with the prompt's sign, and of the lower edge. */
  start: number;
  end: number;
  /** Lines directly above the box: spinner, hook and hint texts. */
  status: readonly string[];
  /** Lines since the last prompt, or all of them; without the status. */
  turn: readonly string[];
  /** Whether a prompt of the person is on the screen. */
  hasPrompt: boolean;
}

const UPPER = /^▄{8,}$/;
const LOWER = /^▀{8,}$/;
const RULE = /^─{8,}$/;
const PROMPT = /^ [>!*] /;
/** Of the search of what was asked before, and of a shell's box. */
const OTHER_SIGN = /^ (?:\(r:\)|!)(?: |$)/;
/** A draft whose menu is open below the box. */
const MENU_DRAFT = /^ [>*] (?:\/|(?:\S.*\s)?@\S*$)/;
const MAX_FOOTER_LINES = 8;
const MAX_MODE_LINES = 4;
const MAX_STATUS_LINES = 3;

/** Null when no input box with a short footer is at the bottom: dialogs replace it. */
export const findInputBox = (lines: readonly string[]): InputBox | null => {
  const lower = lines.findLastIndex((line) => LOWER.test(line));
  if (lower < 2 || lines.length - 1 - lower > MAX_FOOTER_LINES) return null;
  const upper = lines.slice(0, lower).findLastIndex((line) => UPPER.test(line));
  if (upper < 0 || !PROMPT.test(`${lines[upper + 1] ?? ""} `)) return null;
  // A prompt in the history is drawn alike; only the box has the rule and the mode above it.
  const rule = lines.slice(0, upper).findLastIndex((line) => RULE.test(line));
  if (rule < 0 || upper - rule > MAX_MODE_LINES) return null;
  let top = rule;
  while (top > 0 && rule - top < MAX_STATUS_LINES && !isBlank(lines[top - 1] ?? "")) top -= 1;
  const prompt = lines.slice(0, top).findLastIndex((line) => LOWER.test(line));
  return {
    start: upper + 1,
    end: lower,
    status: lines.slice(top, rule),
    turn: lines.slice(prompt + 1, top).filter((line) => !isBlank(line)),
    hasPrompt: prompt >= 0,
  };
};

/**
 * The row of the box at the bottom where it takes no prompt: a search, a shell, or a menu, whose list stands below it; null where it
 * takes one, or is not there.
 */
export const findMenuRow = (lines: readonly string[]): string | null => {
  const lower = lines.findLastIndex((line) => LOWER.test(line));
  const upper = lines.slice(0, Math.max(0, lower)).findLastIndex((line) => UPPER.test(line));
  const rule = lines.slice(0, Math.max(0, upper)).findLastIndex((line) => RULE.test(line));
  const row = lines[upper + 1] ?? "";
  if (rule < 0 || upper - rule > MAX_MODE_LINES) return null;
  return OTHER_SIGN.test(row) || MENU_DRAFT.test(row) ? row : null;
};

/** What is typed behind `!` runs in a shell. */
const SIGN_OF_PROMPTS = /^ [>*]( |$)/;
/** Margin, sign and blank, or the indentation of the rows below. */
const INDENT = 3;
const HINT = /^ +Type your message or @path\/to\/file *$/;

/** Two columns further in than what is typed, and in a colour of its own. */
const isHint = (row: readonly StyledCell[]): boolean => {
  const cells = row.slice(INDENT);
  const words = cells.filter(({ char }) => char !== " ");
  const colour = words[0]?.colour ?? "";
  return (
    HINT.test(cells.map(({ char }) => char).join("")) &&
    colour !== "" &&
    words.every((cell) => cell.colour === colour)
  );
};

/**
 * What somebody typed into the box. "": it is empty; null: there is none, or it is not for prompts. Source: drafts recorded with
 * 0.61.0.
 */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const box = findInputBox(screen.lines.map((line) => line.trimEnd()));
  if (rows === null || box === null || !SIGN_OF_PROMPTS.test(screen.lines[box.start] ?? "")) return null;
  const typed = rows.slice(box.start, box.end);
  return typed.length === 1 && isHint(typed[0] ?? []) ? "" : typedOf(typed, INDENT);
};
