// Reads the screen of Cline CLI: a dialog above the lines that end the screen, else the signs of the conversation above the input box.
// Each entry has its sign in the second column, where nothing else is drawn: a prompt, an answer or call, a refused call, a spinner.
// A turn that was stopped looks like one that ended. Source: frames recorded with 3.0.65, and its program for the dialogs' heights.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  COMPLETED,
  EDIT_APPROVAL,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  QUESTION,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
} from "../common/events.ts";
import { countOf, failureOfText, failureWords, withProgress } from "../common/progress.ts";
import {
  asks,
  blockAbove,
  isBlank,
  isWrapped,
  joined,
  movesTo,
  ofWholeScreen,
  shows,
  styledRows,
  visibleLines,
} from "../common/screenText.ts";

/** Model and mode; the folder and the approval of tools follow. */
const FOOTER = /^ .*[○●] Plan [○●] Act \(Tab\)$/;
const RULE = /^ *─{7,}$/;
const PROMPT = /^ *❯(?: |$)/;

/** Index of the row that begins the footer; null where the screen does not end in one. */
const footerAt = (lines: readonly string[]): number | null => {
  const at = lines.findLastIndex((line) => FOOTER.test(line));
  return at < 0 || lines.length - at > 4 ? null : at;
};

// Dialogs stand where the input box is otherwise. One that has no space leaves out rows, draws one over another, or scrolls: it is
// whole only where it is lower than it may be.

const CHOICE = /^ {2}([> ]) (\S.*)$/;
const OWN_TEXT = /^(?:Type a response(?:\.\.\.| first\.\.\.)|.*\|)$/;

/** One command on one row. The rows of several, of one with line breaks, and of one that is wrapped look alike. */
const commandIn = (rows: readonly string[], { width, height }: Screen): string | null => {
  const [command] = /^ {3}\$ (.*)$/.exec(rows[5] ?? "")?.slice(1) ?? [];
  const isSpaced = rows.length === 7 && [0, 2, 4, 6].every((index) => isBlank(rows[index] ?? "x"));
  // The dialog's padding, title and buttons, and a row of air.
  const most = Math.max(7, Math.min(14, Math.floor(height * 0.38)));
  const hasAir = rows.length + 5 <= most && (rows[5] ?? "").length + 2 < width;
  if (!isSpaced || !hasAir || command === undefined) return null;
  // Other characters may be drawn as nothing, or as a blank.
  return /^[\u0021-\u007e](?: ?[\u0021-\u007e])*$/.test(command) ? command : null;
};

const readApproval = (lines: readonly string[], end: number, screen: Screen): Reading | null => {
  const top = lines.slice(0, end).findLastIndex((line) => line === " Cline needs permission");
  if (top < 0 || end - top > 24) return null;
  const rows = lines.slice(top + 1, end);
  const told = rows.filter((row) => !isBlank(row)).map((row) => row.trim());
  // Without room, one row may be drawn over another: the buttons alone prove that it asks.
  const [, toolName = "", ...subject] = told;
  const isEdit = /^(?:apply_patch|edit|editor|write)$/.test(toolName);
  const isCommand = toolName === "run_commands";
  const command = isCommand ? commandIn(rows, screen) : null;
  return asks(isEdit ? EDIT_APPROVAL : TOOL_APPROVAL, "high", joined(told), {
    top,
    kind: isEdit ? "edit" : isCommand ? "command" : "tool",
    title: isCommand ? "Run this command?" : `Approve tool call? ${toolName}`,
    body: command ?? (subject.join("\n").replace(/^\$ /, "") || null),
    toolName: toolName.slice(0, 200) || null,
    options: [
      { label: "Approve", keys: ["y"], role: "approve" },
      { label: "Deny", keys: ["n"], role: "deny" },
    ],
    isWhole: command !== null,
  });
};

const readQuestion = (lines: readonly string[], end: number, { width, height }: Screen): Reading | null => {
  const top = lines.slice(0, end).findLastIndex((line) => line === " Cline is asking a question");
  if (top < 0 || end - top > 24 || !isBlank(lines[top + 1] ?? "")) return null;
  const rows = lines.slice(top + 2, end);
  const list = blockAbove(rows, rows.length);
  const options = list.lines.map((row) => CHOICE.exec(row));
  const marked = options.findIndex((option) => option?.[1] === ">");
  const labels = options.map((option) => option?.[2] ?? "");
  const own = labels.length - 1;
  if (own < 1 || marked < 0 || options.includes(null) || !OWN_TEXT.test(labels[own] ?? "")) return null;
  const text = rows.slice(0, Math.max(0, list.start - 1)).map((row) => row.trim());
  if (joined(text) === "") return null;
  // What scrolls, and what may be one option on two rows, is not all that is known.
  const most = Math.min(18, Math.max(11, Math.floor(height * 0.58)), Math.max(7, height - 3));
  const isAll =
    rows.length < most - 4 &&
    labels.every((label, index) => !isWrapped(labels[index - 1] ?? "", label, width - 7));
  return asks(QUESTION, "high", joined(text), {
    top,
    kind: "question",
    title: joined(text),
    body: text.join("\n"),
    columns: Math.max(1, width - 3),
    toolName: "ask_question",
    options: labels
      .slice(0, own)
      .map((label, index) => ({ label, keys: isAll ? movesTo(index, marked) : null })),
    textEntry: isAll ? movesTo(own, marked).slice(0, -1) : null,
    isWhole: isAll,
  });
};

const readDialog = (lines: readonly string[], footer: number, screen: Screen): Reading | null => {
  const end = lines.slice(0, footer).findLastIndex((line) => !isBlank(line));
  if (/^ {2}\[y\] Approve {3}\[n\] Deny$/.test(lines[end] ?? "")) return readApproval(lines, end, screen);
  return CHOICE.test(lines[end] ?? "") ? readQuestion(lines, end + 1, screen) : null;
};

// The input box, what stands on it, and views that lie over the conversation.

interface InputBox {
  /** Index of its first row, and the one after its last. */
  start: number;
  end: number;
  above: readonly string[];
}

const findInputBox = (lines: readonly string[], footer: number): InputBox | null => {
  const end = lines.slice(0, footer).findLastIndex((line) => !isBlank(line));
  if (!RULE.test(lines[end] ?? "")) return null;
  const rule = lines.slice(0, end).findLastIndex((line) => RULE.test(line));
  if (rule < 0 || !PROMPT.test(lines[rule + 1] ?? "")) return null;
  return { start: rule + 1, end, above: lines.slice(0, rule) };
};

// The turn.

const BAR = / [█▄▀]$/;
const MARK = /^ ([*x❯]|[\u2800-\u28ff])(?: |$)/u;
const CALL = /^ \S [a-z][a-z_]*\(/;

/** Null where the conversation was scrolled up, so that its end is not shown. */
const readTurn = (shown: readonly string[]): Reading | null => {
  if (shown.some((row) => BAR.test(row)) && !/ [█▀]$/.test(shown.at(-1) ?? "")) return null;
  const rows = shown.map((row) => row.replace(BAR, "").trimEnd());
  const turn = rows.slice(rows.findLastIndex((row) => row.startsWith(" ❯ ")) + 1);
  const spinning = turn.findLast((row) => /^ [\u2800-\u28ff]/u.test(row));
  if (spinning !== undefined) return shows(CALL.test(spinning) ? TOOL : THINKING, "high", spinning.trim());
  const at = turn.findLastIndex((row) => MARK.test(row));
  if (rows.every((row) => !MARK.test(row))) return null;
  // A turn that was stopped at a prompt or a call stays so. For a moment one that goes on looks like it: the session's file tells.
  if (at < 0 || CALL.test(turn[at] ?? ""))
    return shows(INTERRUPTED, "medium", (turn[at] ?? rows.findLast((row) => MARK.test(row)) ?? "").trim());
  const text = joined(turn.slice(at)).replace(/^\* /, "");
  if (!text.startsWith("Error: ")) return shows(COMPLETED, "medium", text);
  return withProgress(shows(failureOfText(text), "medium", text), failureWords(text));
};

const readBox = (lines: readonly string[], { above, end }: InputBox): Reading | null => {
  // Only before the first prompt a row of air follows the box.
  if (isBlank(lines[end + 1] ?? "")) return shows(FRESH, "high", "no conversation yet");
  // What stands on the box in a frame: prompts that wait, or a menu of commands or files.
  const isFramed = /^╰─+╯$/.test(above.at(-1) ?? "");
  const top = isFramed ? above.findLastIndex((line) => /^╭─+╮$/.test(line)) : above.length;
  const isQueue = /^│ Queued messages: *│$/.test(above[top + 1] ?? "");
  const turn = readTurn(above.slice(0, Math.max(0, top)));
  if (isFramed && !isQueue && turn?.status.state !== "running")
    return shows(IN_MENU, "high", (above[top + 1] ?? "").trim() || "a menu");
  return turn && withProgress(turn, countOf(isQueue ? above.length - top - 4 : 0, "queued prompt"));
};

/** Each view over the conversation names the keys that leave it; a turn's own words are written otherwise. */
const VIEW = /(?:^|[ ,/])Esc(?:\/Enter)? (?:to(?:$| )|close|back|cancel)|any other key to close/;

/** State and request that the screen positively shows, or null; a view that takes the keys is `IN_MENU`. */
export const readClineScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const footer = footerAt(lines);
  const dialog = footer === null ? null : readDialog(lines, footer, screen);
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const view = lines.find((line) => VIEW.test(line.replace(BAR, "").trimEnd()) && !line.startsWith("│"));
  if (view !== undefined) return shows(IN_MENU, "high", view.trim());
  const box = footer === null ? null : findInputBox(lines, footer);
  return box === null ? null : readBox(lines, box);
};

const HINTS = new Set(["What can I do for you?", "Ask anything...", "Plan something..."]);

/** "": it is empty; null: there is no box that is known, or nobody can tell a hint from a text. */
export const readDraft = (screen: Screen): string | null => {
  const lines = visibleLines(screen);
  const footer = footerAt(lines);
  const box = footer === null ? null : findInputBox(lines, footer);
  const rows = styledRows(screen)?.slice(box?.start, box?.end);
  if (box === null || rows === undefined) return null;
  const indent = (lines[box.start] ?? "").indexOf("❯") + 2;
  const typed = rows.map((row) => row.slice(indent).map(({ char }) => char));
  const text = typed
    .map((chars) => chars.join("").trimEnd())
    .join("\n")
    .trim();
  if (!HINTS.has(text)) return text;
  // Somebody may have typed the very words: the recorded colours tell, in another theme the cursor.
  const colour = rows[0]?.[indent]?.colour;
  if (colour === "38;5;255") return text;
  return colour === "38;5;102" || screen.cursor?.x === indent ? "" : null;
};
