// What the input box's surroundings and the title say about the turn: running, ended, failed, cancelled or idle. Positive
// proof only: where title and spinner disagree, one of them is about to be redrawn and nothing is said.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { frameAtBottom } from "../../common/frames.ts";
import { oneLine } from "../../common/payload.ts";
import { retryIn, withProgress } from "../../common/progress.ts";
import { joined, shows } from "../../common/screenText.ts";
import { COMPLETED, FRESH, INTERRUPTED, RETRYING, THINKING, TOOL } from "../../common/signals.ts";
import { errorStatusOfText } from "../errorReason.ts";
import type { InputBox, TitleState } from "./layout.ts";

const SPINNER = /\(esc to cancel(, [\dhms ]+)?\)/;
const RETRY = /Trying to reach |Attempt \d+\/\d+|Retrying/;
const ATTEMPT = /\bAttempt (\d+)\/(\d+)/;
/** A tool's box: its sign says whether it runs. */
const RUNNING_TOOL = /^\s*⊷ /;
const CANCELLED = /^ℹ Request cancelled\./;
const API_FAILURE = /^✕ \[API Error/;
const ANSWER = /^✦ /;
/** Notices of the program, which neither begin nor end anything. */
const NOTICE = /^(ℹ|⚠)/;

const isToolRunning = (turn: readonly string[]): boolean =>
  RUNNING_TOOL.test(frameAtBottom(turn)?.content[0] ?? "");

/** The newest line of the conversation that tells how the turn stands, with what belongs to it. */
const lastMark = (turn: readonly string[]): { line: string; block: readonly string[] } | null => {
  for (let index = turn.length - 1; index >= 0; index -= 1) {
    const line = turn[index] ?? "";
    if (/^\s/.test(line) || oneLine(line) === "" || (NOTICE.test(line) && !CANCELLED.test(line))) continue;
    return { line, block: turn.slice(index) };
  }
  return null;
};

/** Up to the notice that follows it: a failure's text may be wrapped. */
const failureText = (block: readonly string[]): string => {
  const end = block.findIndex((line, index) => index > 0 && NOTICE.test(line));
  return joined(end < 0 ? block : block.slice(0, end));
};

const readEnd = ({ turn, hasPrompt }: InputBox, isSure: boolean): Reading | null => {
  const mark = lastMark(turn);
  const confidence = isSure ? "high" : "medium";
  if (mark === null || !hasPrompt)
    return hasPrompt && turn.length === 0
      ? // The prompt was accepted just now, and its turn is not drawn yet.
        null
      : shows(FRESH, hasPrompt ? "medium" : confidence, "input box");
  if (CANCELLED.test(mark.line)) return shows(INTERRUPTED, "high", mark.line);
  if (API_FAILURE.test(mark.line)) {
    const text = failureText(mark.block);
    return shows(errorStatusOfText(text), "high", text);
  }
  if (ANSWER.test(mark.line) || mark.line.startsWith("╰"))
    return shows(COMPLETED, "medium", joined(mark.block));
  return shows(FRESH, "medium", mark.line);
};

/** `title` null: the title is not the agent's and says nothing. */
export const readTurn = (box: InputBox, title: TitleState | null): Reading | null => {
  const status = joined(box.status);
  const isSpinning = SPINNER.test(status);
  if (isSpinning && title !== "ready") {
    // A command that is silent for long has the title of a dialog (0.61.0's source); the input box says there is none.
    const confidence = title === "action" ? "medium" : "high";
    if (RETRY.test(status))
      return withProgress(shows(RETRYING, confidence, status), retryIn(status, ATTEMPT));
    return shows(isToolRunning(box.turn) ? TOOL : THINKING, confidence, status);
  }
  if (title === "working")
    return shows(isToolRunning(box.turn) ? TOOL : THINKING, "medium", "title: working");
  if (isSpinning || title === "action") return null;
  return readEnd(box, title === "ready");
};
