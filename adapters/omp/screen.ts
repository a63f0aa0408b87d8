// Reads the visible screen of oh-my-pi: the status line with the input corner below it ends the screen, a boxed dialog
// takes their place. The title tells running and idle where the screen shows something else; its mark for waiting stays
// on while an approved tool runs, so it proves nothing. Source: frames recorded with 18.2.3.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { failureOfText } from "../common/failure.ts";
import { fails, retryIn, withProgress } from "../common/progress.ts";
import { isKeyHints } from "../common/keyHints.ts";
import { indentOf, isBlank, joined, ofWholeScreen, shows, visibleLines } from "../common/screenText.ts";
import { styledRows, typedOf } from "../common/styledText.ts";
import { COMPLETED, FRESH, IN_MENU, INTERRUPTED, RETRYING, THINKING, TOOL } from "../common/signals.ts";
import { readOmpDialog } from "./screen/dialogs.ts";

const CORNER = /^╰─( |$)/;
/** ` π > ⬢ Model > …` at rest, ` ⠴ 11s > ⬢ Model > …` at work. */
const AT_REST = /^ π > \S/;
const AT_WORK = /^ [\u2800-\u28ff] (\d+[hms] ?)+ > \S/u;
const WORKING = /^ {1,3}⎋ \S/;
const RETRY = /\bretrying\b|\bretry \d+\/\d+/i;
const ATTEMPT = /\bretry (\d+)\/(\d+)/i;
const RULE = /^─{12,}$/;
const DISMISSED = /^ Dismissed when you send your next message\./;
const FAILURE = /^ ✘ (\S.*)$/;
const MAX_INPUT_LINES = 12;

/** Index of the status line above the input corner; -1 where they do not end the screen. */
const findStatus = (lines: readonly string[]): number => {
  const corner = lines.findLastIndex((line) => CORNER.test(line));
  if (corner < 0 || lines.length - corner > MAX_INPUT_LINES) return -1;
  const status = corner - 1;
  const line = lines[status] ?? "";
  return AT_REST.test(line) || AT_WORK.test(line) ? status : -1;
};

/** The session's name hugs the right edge above the status line. */
const isName = (line: string, width: number): boolean => indentOf(line) > width / 2;

const textAbove = (lines: readonly string[], status: number, width: number): string[] => {
  const above = lines.slice(0, status);
  while (above.length > 0 && (isBlank(above.at(-1) ?? "") || isName(above.at(-1) ?? "", width))) above.pop();
  return above;
};

/** A tool's box directly above the working line, without an output: it runs. */
const isToolOpen = (above: readonly string[]): boolean => {
  const end = above.findLastIndex((line) => !isBlank(line));
  if (!/^╰─+╯$/.test(above[end] ?? "")) return false;
  const start = above.slice(0, end).findLastIndex((line) => line.startsWith("╭─"));
  return start >= 0 && !above.slice(start, end).some((line) => /^├─+ Output /.test(line));
};

const readWork = (above: readonly string[], status: string): Reading => {
  const at = above.findLastIndex((line) => !isBlank(line));
  const line = above[at] ?? "";
  const isWorkingLine = WORKING.test(line);
  const matched = isWorkingLine ? `${line.trim()} / ${status.trim()}` : status.trim();
  if (isWorkingLine && RETRY.test(line))
    return withProgress(shows(RETRYING, "high", matched), retryIn(line, ATTEMPT));
  const isTool = isWorkingLine && isToolOpen(above.slice(0, at));
  return shows(isTool ? TOOL : THINKING, "high", matched);
};

/** The banner of a failed turn: a block between two rules that goes with the next prompt. */
const readBanner = (above: readonly string[]): Reading | null => {
  const end = above.length - 1;
  if (!RULE.test(above[end] ?? "") || !DISMISSED.test(above[end - 1] ?? "")) return null;
  const start = above.slice(0, end).findLastIndex((line) => RULE.test(line));
  const message = FAILURE.exec(above[start + 1] ?? "")?.[1];
  if (message === undefined) return null;
  const text = joined([message, ...above.slice(start + 2, end - 1)]);
  // Behind its own words the banner names type and log of the request.
  return fails(failureOfText(text), text.replace(/ (?:\(type=|raw-http-request=).*$/, ""), text);
};

/** Offered where the person stopped a tool or left a question, directly above the status line. */
const RETRY_OFFER = /^ ↻ F5 to Retry$/;
const LEFT = /^Ask tool was cancelled by the user$/;
const ABORTED = /^│ Command aborted +│$/;

const readStopped = (above: readonly string[]): Reading | null => {
  if (!RETRY_OFFER.test(above.at(-1) ?? "")) return null;
  const rows = above.slice(0, -1).filter((line) => !isBlank(line));
  const last = rows.at(-1) ?? "";
  const line = /^╰─+╯$/.test(last) ? (rows.at(-2) ?? "") : last;
  return LEFT.test(line) || ABORTED.test(line) ? shows(INTERRUPTED, "high", line) : null;
};

const readRest = (above: readonly string[], status: string): Reading =>
  readBanner(above) ??
  readStopped(above) ??
  (above.length === 0
    ? shows(FRESH, "high", status.trim())
    : // An answer that was stopped looks the same here; the agent's own event or session file tells them apart.
      shows(COMPLETED, "medium", status.trim()));

const readTitle = (title: string): Reading | null => {
  if (/^π [\u2800-\u28ff] \S/u.test(title)) return shows(THINKING, "medium", `title: ${title}`);
  if (/^π > \S/.test(title)) return shows(FRESH, "medium", `title: ${title}`);
  return null;
};

const FRAME_END = /^╰─{12,}╯$/;
/** A panel has its title in its upper edge; the box of a tool has none. A dialog that was not read may wait. */
const PANEL = /^╭─ (?!Allow |Ask )\S.* ─+╮?$/;
const FRAME_START = /^╭─/;
/** It stays on while an approved tool runs; a dialog that is not known may be open. */
const WAITS = /^π ! /;
/** Behind the corner; the menu stands below it. */
const MENU_DRAFT = /^╰─ (?:\/|(?:\S.*\s)?@\S*$)/;

/** A panel, or a picker with its keys below it, where status line and corner were: those end the screen otherwise. */
const readView = (lines: readonly string[], title: string): Reading | null => {
  if (WAITS.test(title)) return null;
  const hints = lines.slice(-3).find((line) => isKeyHints(line.replace(/^│(.*)│$/, "$1")));
  const top = lines.findLast((line) => FRAME_START.test(line)) ?? "";
  const isPanel = FRAME_END.test(lines.at(-1) ?? "") && PANEL.test(top);
  return hints !== undefined || isPanel ? shows(IN_MENU, "high", (hints ?? top).trim()) : null;
};

/** State and request that the bottom of the screen, or else the title, positively shows; or null. */
export const readOmpScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const dialog = readOmpDialog(lines, screen.width);
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const status = findStatus(lines);
  if (status < 0) return readView(lines, screen.title) ?? readTitle(screen.title);
  const above = textAbove(lines, status, screen.width);
  const line = lines[status] ?? "";
  if (AT_WORK.test(line))
    return readWork(
      lines.slice(0, status).filter((one) => !/^\s{60,}\S/.test(one)),
      line,
    );
  const corner = lines[status + 1] ?? "";
  if (MENU_DRAFT.test(corner)) return shows(IN_MENU, "high", corner);
  // A title that says that it works contradicts a status line at rest: it was read between two drawings.
  return /^π [\u2800-\u28ff] /u.test(screen.title) ? null : readRest(above, line);
};

/** `╰─ `, or the indentation of the rows below. */
const INDENT = 3;
/** How it shows a paste of many lines. */
const PASTE = /\u{1f4c4} #(\d+)/gu;

/**
 * What somebody typed below the status line. "": nothing; null: there is no input corner. Source: drafts recorded with 18.2.3, which
 * have no hint.
 */
export const readOmpDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const lines = screen.lines.map((line) => line.trimEnd());
  const status = readOmpDialog(lines, screen.width) === null ? findStatus(lines) : -1;
  if (rows === null || status < 0) return null;
  return typedOf(rows.slice(status + 1), INDENT).replaceAll(PASTE, "[paste #$1]");
};
