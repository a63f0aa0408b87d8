// Reads Gemini CLI's screen and title. The title is the agent's own word on working, asking and being ready; the screen says
// what it asks and how a turn ended. Positive proof or nothing: history higher up never counts, and where title and spinner
// disagree, one of them is about to be redrawn and nothing is said.
import type { Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { frameAtBottom, withoutBlankEnds } from "../common/frames.ts";
import { oneLine } from "../common/payload.ts";
import { fails, retryIn, withProgress } from "../common/progress.ts";
import { isKeyHints } from "../common/keyHints.ts";
import { asks, joined, ofWholeScreen, shows, visibleLines } from "../common/screenText.ts";
import {
  COMPLETED,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  QUESTION,
  RETRYING,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
} from "../common/signals.ts";
import { errorStatusOfText } from "./errorReason.ts";
import { hasSelector, readDialog } from "./screen/dialogs.ts";
import { findInputBox, findMenuRow, type InputBox, type TitleState, titleStateOf } from "./screen/layout.ts";

const SPINNER = /\(esc to cancel(, [\dhms ]+)?\)/;
const RETRY = /Trying to reach |Attempt \d+\/\d+|Retrying/;
const ATTEMPT = /\bAttempt (\d+)\/(\d+)/;
/** A tool's box: its sign says whether it runs. */
const RUNNING_TOOL = /^\s*⊷ /;
const CANCELLED_TOOL = /^\s*-  \S/;
const CANCELLED = /^ℹ Request cancelled\./;
const API_FAILURE = /^✕ \[API Error/;
const ANSWER = /^✦ /;
/** Notices of the program, which neither begin nor end anything. */
const NOTICE = /^(ℹ|⚠)/;

const isToolRunning = (turn: readonly string[]): boolean =>
  RUNNING_TOOL.test(frameAtBottom(turn)?.content[0] ?? "");

/** The boxes of tools that were cancelled stand below the notice that says so. */
const withoutCancelledTools = (turn: readonly string[]): readonly string[] => {
  const lines = withoutBlankEnds(turn);
  const frame = frameAtBottom(lines);
  const isCancelled = frame?.hasTop === true && CANCELLED_TOOL.test(frame.content[0] ?? "");
  return isCancelled ? withoutCancelledTools(lines.slice(0, frame.start)) : lines;
};

/** The newest line of the conversation that tells how the turn stands, with what belongs to it. */
const lastMark = (turn: readonly string[]): { line: string; block: readonly string[] } | null => {
  const cancelled = withoutCancelledTools(turn).at(-1) ?? "";
  if (CANCELLED.test(cancelled)) return { line: cancelled, block: [cancelled] };
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
    return fails(errorStatusOfText(text), text);
  }
  if (ANSWER.test(mark.line) || mark.line.startsWith("╰"))
    return shows(COMPLETED, "medium", joined(mark.block));
  return shows(FRESH, "medium", mark.line);
};

/** `title` null: the title is not the agent's and says nothing. */
const readTurn = (box: InputBox, title: TitleState | null): Reading | null => {
  const status = joined(box.status);
  const isSpinning = SPINNER.test(status);
  if (isSpinning && title !== "ready") {
    // A command that is silent for long has the title of a dialog (0.61.0's source); the input box says there is none.
    const confidence = title === "action" ? "medium" : "high";
    if (RETRY.test(status))
      return withProgress(shows(RETRYING, confidence, status), retryIn(status, ATTEMPT));
    return shows(isToolRunning(box.turn) ? TOOL : THINKING, confidence, status);
  }
  // The title is read less often than the screen, and this line is the last one of a turn.
  const cancelled = isSpinning || !box.hasPrompt ? "" : (lastMark(box.turn)?.line ?? "");
  if (title === "working" && CANCELLED.test(cancelled)) return shows(INTERRUPTED, "high", cancelled);
  if (title === "working")
    return shows(isToolRunning(box.turn) ? TOOL : THINKING, "medium", "title: working");
  if (isSpinning || title === "action") return null;
  return readEnd(box, title === "ready");
};

const QUESTION_HINT = /Enter to (select|submit)|Answer Questions/;

/** What the title alone proves, where the screen shows nothing that is known. */
const readTitle = (title: TitleState | null, lines: readonly string[]): Reading | null => {
  if (title === "working") return hasSelector(lines) ? null : shows(THINKING, "medium", "title: working");
  if (title !== "action") return null;
  const isQuestion = lines.slice(-15).some((line) => QUESTION_HINT.test(line));
  const status: Status = isQuestion ? QUESTION : TOOL_APPROVAL;
  return asks(status, "low", "title: action required", { kind: "other", title: "Gemini needs your answer" });
};

/** Drawn below the conversation, whose prompts end in such a row. */
const PROMPT_EDGE = /^▀{8,}$/;

/** A dialog that a person opened, or the list of sessions: it stands where the box was, and explains its keys. */
const readView = (lines: readonly string[]): Reading | null => {
  const below = lines.slice(lines.findLastIndex((line) => PROMPT_EDGE.test(line)) + 1);
  const frame = frameAtBottom(below.slice(0, below.findLastIndex((line) => line.trim() !== "") + 1));
  const rows = frame?.content ?? below;
  // A narrow frame wraps them.
  const hints = rows
    .flatMap((row, index) => [row.trim(), joined(rows.slice(index, index + 2))])
    .find((text) => text !== "" && isKeyHints(text));
  return hints === undefined ? null : shows(IN_MENU, "high", hints);
};

/** State and request that title and bottom of the screen positively show, or null; a view that takes the keys is `IN_MENU`. */
export const readGeminiScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const title = titleStateOf(screen.title);
  const menu = findMenuRow(lines);
  const box = findInputBox(lines);
  const turn = box === null ? null : readTurn(box, title);
  // In a menu of the box a turn can be seen that goes on.
  if (menu !== null) return turn?.status.state === "running" ? turn : shows(IN_MENU, "high", menu.trim());
  if (box !== null) return turn;
  return (
    ofWholeScreen(screen, readDialog(lines, title, screen.width)) ??
    (title === "action" ? null : readView(lines)) ??
    readTitle(title, lines)
  );
};
