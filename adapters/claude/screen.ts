// Reads the visible screen of Claude Code. Positive proof or nothing: a dialog by its footer and selector, else an input box
// at the bottom by its surroundings. The line directly above the box and the footer below it say whether the turn runs, ended,
// failed, was interrupted or never began; everything higher up is history. Source: recorded frames (2.1.329, 2.1.197).
import type { Confidence } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { countOf, fails, progressOf, quoteOf, retryIn, withProgress } from "../common/progress.ts";
import { indentOf, joined, movedDown, ofWholeScreen, shows, visibleLines } from "../common/screenText.ts";
import {
  BACKGROUND,
  COMPACTING,
  COMPLETED,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  RETRYING,
  SUBAGENT,
  THINKING,
  TOOL,
} from "../common/signals.ts";
import { ERROR_LINE, errorStatusOfText } from "./errorReason.ts";
import { readDialog } from "./screen/dialogs.ts";
import { ownColumns, withoutEditor } from "./screen/columns.ts";
import { readFlat } from "./screen/flat.ts";
import { findInputBox, type InputBox, lastBlock, withoutName } from "./screen/layout.ts";
import { readView, showsOtherAtWork, signOfOtherBox } from "./screen/views.ts";

const ATTEMPT = /\bRetrying in \d.{0,40}\(attempt (\d+)\/(\d+)\)/;
const BACKGROUND_WORK = /^✻ Waiting for (\d+ background \w+)/;
/** A random verb is one word; a task of its list is named by several. */
const NAMED_TASK = /^[·✢✳✶✻✽∗*] (\S+ \S.{0,80}?)…/;
const MODE = /\b(accept edits|auto mode|plan mode|bypass permissions|don't ask) on\b/;
const QUEUED_HINT = /^\s+Queued · /;

/** Lines from the running line on: queued prompts and task lists stand below it. */
const belowSpinner = (above: readonly string[]): readonly string[] => {
  const at = above.findLastIndex((line) => /^[·✢✳✶✻✽∗*] \S/.test(line));
  return at < 0 ? [] : above.slice(at);
};

/** Null where there is nothing to say. */
const readProgress = ({ above, footer }: InputBox, isRunning: boolean): string | null => {
  const mode = MODE.exec(footer)?.[1] ?? null;
  if (!isRunning) return progressOf(mode);
  const lines = belowSpinner(above);
  const task = NAMED_TASK.exec(lines[0] ?? "")?.[1];
  const isQueued = lines.some((line) => QUEUED_HINT.test(line));
  return progressOf(
    retryIn(joined(lines), ATTEMPT),
    BACKGROUND_WORK.exec(lines[0] ?? "")?.[1] ?? null,
    quoteOf(task === undefined || /compacting/i.test(task) ? null : task),
    isQueued ? countOf(lines.filter((line) => line.startsWith("❯ ")).length, "queued prompt") : null,
    mode,
  );
};

const INTERRUPTIBLE = /\besc to int/i;
const IDLE_FOOTER =
  /\? for shortcuts|← for agents|\/tasks to see|shift\+tab to cycle|(manual|auto|plan) mode on\b|accept edits on\b|bypass permissions on\b|don't ask on\b/;
/** A random glyph and a verb with an ellipsis; the finished line has no ellipsis. */
const SPINNER = /^[·✢✳✶✻✽∗*] \S.{0,80}?…/;
/** Up to 2.1.197 it stands below a failure too, and names no time of day. */
const FINISHED_WITHOUT_TIME = /^✻ \S+ for [\dhms ]+$/;
const FINISHED = /^✻ \S+ for (\d+[dhms] ?)+( · .*)?$/;
const WAITING_FOR_BACKGROUND = /^✻ Waiting for \d+ background \w+/;
const INTERRUPTION = /^\s*⎿\s+Interrupted · What should Claude do instead\?/;
/** The person left a question, refused an edit, or a plan, which is then drawn in a box: all of these end the turn. */
const DECLINED = /^● Declined to answer Claude's questions:/;
const REJECTED_EDIT = /^\s+⎿\s+Rejected \w+ to \S/;
const REJECTED_PLAN = /^\s+⎿\s+(Rejected|User rejected) Claude's plan:$/;
const BRAILLE_TITLE = /^[\u2800-\u28ff] /;

/** Index of the running line above the box, among the nearest lines: tips, queued prompts and task lists may follow it. */
const findSpinner = (above: readonly string[]): number => {
  const last = above.findLastIndex((line) => indentOf(line) === 0 && !line.startsWith("❯"));
  const line = above[last];
  return line !== undefined && SPINNER.test(line) && above.length - last <= 16 ? last : -1;
};

/** A tool's block that is still open: its command is echoed, its result is not. */
const isToolOpen = (above: readonly string[]): boolean => {
  const start = above.findLastIndex((line) => !/^\s+⎿/.test(line) && indentOf(line) <= 2);
  const block = above.slice(Math.max(start, 0));
  const [head = "", ...rest] = block;
  return (
    rest.some((line) => /^\s+⎿\s+(Running…|Waiting…|\$ )/.test(line)) &&
    !rest.some((line) => /^\s+⎿\s+Interrupted/.test(line)) &&
    !/^\s*(Ran|Did not run) \d/.test(head)
  );
};

const readRunning = (box: InputBox): Reading | null => {
  const spinnerAt = findSpinner(box.above);
  const footerSays = INTERRUPTIBLE.test(box.footer);
  if (!footerSays && spinnerAt < 0) return null;
  const spinner = spinnerAt < 0 ? "" : (box.above[spinnerAt] ?? "");
  const matched = spinner === "" ? box.footer : spinner;
  const confidence: Confidence = footerSays ? "high" : "medium";
  const nearby = joined(box.above.slice(spinnerAt < 0 ? -2 : spinnerAt));
  if (/\bRetrying in \d/.test(nearby)) return shows(RETRYING, confidence, nearby);
  if (/compacting/i.test(spinner)) return shows(COMPACTING, confidence, matched);
  return shows(
    isToolOpen(box.above.slice(0, spinnerAt < 0 ? undefined : spinnerAt)) ? TOOL : THINKING,
    confidence,
    matched,
  );
};

const readFailure = (block: readonly string[]): Reading | null => {
  const text = block[0]?.startsWith("● ") === true ? joined(block).slice(2) : "";
  return ERROR_LINE.test(text) ? fails(errorStatusOfText(text), text) : null;
};

/** What ended, told by the block directly above the box. */
const readEnd = (box: InputBox): Reading | null => {
  const block = lastBlock(box.above);
  const [head = ""] = block;
  const last = box.above.at(-1) ?? "";
  if (FINISHED.test(head) && block.length === 1) {
    const failure = FINISHED_WITHOUT_TIME.test(head) ? readFailure(lastBlock(box.above.slice(0, -1))) : null;
    return failure ?? shows(COMPLETED, "high", head);
  }
  if (INTERRUPTION.test(last)) return shows(INTERRUPTED, "high", last.trim());
  const plan = block.findLast((line) => REJECTED_PLAN.test(line));
  if (plan !== undefined && /^\s+╰─+╯$/.test(last)) return shows(INTERRUPTED, "high", plan.trim());
  const edit = block[1] ?? "";
  if (head.startsWith("● ") && REJECTED_EDIT.test(edit)) return shows(INTERRUPTED, "high", edit.trim());
  if (DECLINED.test(head)) return shows(INTERRUPTED, "high", head);
  return readFailure(block);
};

/** The agent begins each block with a sign; what begins with a letter is an editor's line above its window. */
const OWN_SIGN = /^[^\x20-\x7e]|^[*>!] /;
/** What a command of the agent's own answered. */
const ANSWER = /^\s+⎿\s+\S/;

const readIdle = (box: InputBox): Reading | null => {
  if (!IDLE_FOOTER.test(box.footer)) return null;
  const [head = "", ...rest] = lastBlock(box.above);
  // What ended there has its first line out of sight, in a low pane or behind what an editor draws.
  if (head !== "" && !OWN_SIGN.test(head)) return null;
  // A prompt with nothing below it was just accepted: the running line is about to be drawn.
  if (/^[❯!]/.test(head) && (!rest.some((line) => ANSWER.test(line)) || isToolOpen(box.above))) return null;
  const hasTurn = box.above.some((line) => /^[❯●] /.test(line));
  return shows(FRESH, hasTurn ? "medium" : "high", box.footer);
};

const readState = (box: InputBox, title: string): Reading | null => {
  const head = lastBlock(box.above)[0] ?? "";
  if (WAITING_FOR_BACKGROUND.test(head)) return shows(BACKGROUND, "high", head, true);
  const running = readRunning(box);
  if (running !== null) return running;
  if (BRAILLE_TITLE.test(title)) return null;
  return readEnd(box) ?? readIdle(box);
};

/** Null where the surroundings prove nothing, or contradict a title that says that the agent works (2.1.197 animates it). */
const readTurn = (box: InputBox, title: string): Reading | null => {
  const reading = readState(box, title);
  return reading === null
    ? null
    : withProgress(reading, readProgress(box, reading.status.state === "running"));
};

const readBox = (box: InputBox, title: string): Reading | null => {
  const sign = signOfOtherBox(box);
  if (sign === null) return readTurn(box, title);
  return shows(showsOtherAtWork(box) ? SUBAGENT : IN_MENU, "high", sign);
};

/** State and request that the bottom of the screen positively shows, or null. */
export const readClaudeScreen = (screen: Screen): Reading | null => {
  const { screen: own } = ownColumns(screen);
  const lines = visibleLines(own);
  if (lines.length === 0) return null;
  const box = findInputBox(lines, own.width);
  if (box === null) {
    const rows = withoutName(withoutEditor(lines, own.isAlternate));
    return ofWholeScreen(screen, readDialog(rows, own.width) ?? readView(rows) ?? readFlat(rows));
  }
  // The inline renderer (2.1.197) may leave an old box above a dialog, whose rule then looks like the box's lower one.
  const below = movedDown(readDialog(box.below, own.width), lines.length - box.below.length);
  return ofWholeScreen(screen, below) ?? readBox(box, own.title);
};
