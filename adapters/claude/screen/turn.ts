// What the input box's surroundings say about the turn: running, ended, failed, interrupted or idle. The line directly
// above the box and the footer below it decide; everything higher up is history. Source: recorded frames (2.1.329, 2.1.197).
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { ERROR_LINE, errorStatusOfText } from "../errorReason.ts";
import { oneLine } from "../../common/payload.ts";
import { withProgress } from "../../common/progress.ts";
import { BACKGROUND, COMPACTING, COMPLETED, FRESH, THINKING, TOOL } from "../signals.ts";
import { indentOf, joined, lastBlock, type InputBox } from "./layout.ts";
import { readProgress } from "./progress.ts";

const INTERRUPTIBLE = /\besc to int/i;
const IDLE_FOOTER =
  /\? for shortcuts|← for agents|\/tasks to see|shift\+tab to cycle|(manual|auto|plan) mode on\b|accept edits on\b|bypass permissions on\b|don't ask on\b/;
/** A random glyph and a verb with an ellipsis; the finished line has no ellipsis. */
const SPINNER = /^[·✢✳✶✻✽∗*] \S.{0,80}?…/;
const FINISHED = /^✻ \S+ for (\d+[dhms] ?)+( · .*)?$/;
const WAITING_FOR_BACKGROUND = /^✻ Waiting for \d+ background \w+/;
const INTERRUPTED = /^\s*⎿\s+Interrupted · What should Claude do instead\?/;
const BRAILLE_TITLE = /^[\u2800-\u28ff] /;

const simple = (status: Status, confidence: Confidence, matched: string, isSteady = false): Reading => ({
  status,
  confidence,
  matched: oneLine(matched),
  request: null,
  isSteady,
});

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
  if (/\bRetrying in \d/.test(nearby))
    return simple({ state: "running", reasonCode: "retrying" }, confidence, nearby);
  if (/compacting/i.test(spinner)) return simple(COMPACTING, confidence, matched);
  return simple(
    isToolOpen(box.above.slice(0, spinnerAt < 0 ? undefined : spinnerAt)) ? TOOL : THINKING,
    confidence,
    matched,
  );
};

/** What ended, told by the block directly above the box. */
const readEnd = (box: InputBox): Reading | null => {
  const block = lastBlock(box.above);
  const [head = ""] = block;
  const last = box.above.at(-1) ?? "";
  if (FINISHED.test(head) && block.length === 1) return simple(COMPLETED, "high", head);
  if (INTERRUPTED.test(last))
    return simple({ state: "idle", reasonCode: "interrupted" }, "high", last.trim());
  const text = head.startsWith("● ") ? joined(block).slice(2) : "";
  if (ERROR_LINE.test(text)) return simple(errorStatusOfText(text), "high", text);
  return null;
};

const readIdle = (box: InputBox): Reading | null => {
  if (!IDLE_FOOTER.test(box.footer)) return null;
  // A prompt with nothing below it was just accepted: the running line is about to be drawn.
  const head = lastBlock(box.above)[0] ?? "";
  if (head.startsWith("❯")) return null;
  const hasTurn = box.above.some((line) => /^[❯●] /.test(line));
  return simple(FRESH, hasTurn ? "medium" : "high", box.footer);
};

const readState = (box: InputBox, title: string): Reading | null => {
  const head = lastBlock(box.above)[0] ?? "";
  if (WAITING_FOR_BACKGROUND.test(head)) return simple(BACKGROUND, "high", head, true);
  const running = readRunning(box);
  if (running !== null) return running;
  if (BRAILLE_TITLE.test(title)) return null;
  return readEnd(box) ?? readIdle(box);
};

/** Null where the surroundings prove nothing, or contradict a title that says that the agent works (2.1.197 animates it). */
export const readTurn = (box: InputBox, title: string): Reading | null => {
  const reading = readState(box, title);
  return reading === null
    ? null
    : withProgress(reading, readProgress(box, reading.status.state === "running"));
};
