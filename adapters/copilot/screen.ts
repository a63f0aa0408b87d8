// Reads Copilot CLI's screen. Positive proof or nothing: an input box at the bottom is read by its footer and the newest entry
// above it, a dialog by its frame and footer, anything else gives no reading. The title never changes with the state. Source:
// frames recorded with 1.0.102.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { fails, retryOf, withProgress } from "../common/progress.ts";
import { joined, ofWholeScreen, shows, visibleLines } from "../common/screenText.ts";
import { COMPLETED, FRESH, IN_MENU, INTERRUPTED, RETRYING, THINKING, TOOL } from "../common/signals.ts";
import { errorStatusOf } from "./errorReason.ts";
import { readDialog } from "./screen/dialogs.ts";
import { findInputBox, findViewRow, type InputBox, opensMenu } from "./screen/layout.ts";

const INTERRUPTIBLE = /\besc (esc|again to) interrupt|\besc to interrupt|^[◉◎○●] Working\b/;
const IDLE_FOOTER = /\/ commands|\? help/;
/** An entry of the conversation begins in the second column; what belongs to it is indented further. */
const ENTRY = /^ (\S) (.*)$/;
const RETRY = /^● (Request failed due to|Response was interrupted due to).*Retrying/;
const RETRY_HEAD = /^● (Request failed due to|Response was interrupted due to)/;
const CANCELLED = /^● Operation cancelled by user/;
const RUNNING_TOOL = /^[$○] /;
const FAILED = /^✗ (\d{3}\b|Failed |Authentication |.*\b(error|failed|failure|limit|quota|expired)\b)/i;
const ABORTED_TOOL = /\b(aborted|cancelled) by user\b/;
const BANNER = /\bCopilot v\d+\.\d+/;
/** The program's own words before the first prompt. */
const NOTICE = /^● (Tip:|No copilot-instructions\.md found)/;

interface Entry {
  head: string;
  text: string;
}

const lastEntry = (turn: readonly string[]): Entry | null => {
  const start = turn.findLastIndex((line) => ENTRY.test(line));
  if (start < 0) return null;
  return { head: (turn[start] ?? "").trim(), text: joined(turn.slice(start)) };
};

/** Each failed attempt leaves an entry of its own. */
const attemptsIn = (turn: readonly string[]): number =>
  turn.filter((line) => RETRY_HEAD.test(line.trim())).length;

const readEnd = ({ turn, hasPrompt, footer }: InputBox, entry: Entry | null): Reading | null => {
  // Nothing was asked yet: what stands there are the program's own tips.
  if (!hasPrompt && turn.some((line) => BANNER.test(line))) return shows(FRESH, "high", footer);
  if (entry === null)
    // The prompt was accepted just now, and its turn is not drawn yet.
    return hasPrompt ? null : shows(FRESH, "medium", footer);
  if (NOTICE.test(entry.text)) return shows(FRESH, "medium", entry.head);
  if (CANCELLED.test(entry.text)) return shows(INTERRUPTED, "high", entry.head);
  // A turn does not end on an attempt or on a tool that runs: it is about to be redrawn.
  if (RETRY.test(entry.text) || RUNNING_TOOL.test(entry.head)) return null;
  if (entry.head.startsWith("✗ ")) {
    if (FAILED.test(entry.text) && !ABORTED_TOOL.test(entry.text))
      return fails(errorStatusOf(entry.text, null), entry.text);
    return shows(FRESH, "medium", entry.head);
  }
  return shows(entry.head.startsWith("● ") ? COMPLETED : FRESH, "medium", entry.text);
};

/** Null where the footer is neither that of work nor that of an idle prompt. */
const readTurn = (box: InputBox): Reading | null => {
  const entry = lastEntry(box.turn);
  if (INTERRUPTIBLE.test(box.footer)) {
    if (entry !== null && RETRY.test(entry.text))
      return withProgress(shows(RETRYING, "high", entry.text), retryOf(attemptsIn(box.turn)));
    const isTool = entry !== null && RUNNING_TOOL.test(entry.head) && !entry.head.endsWith("No Content");
    return shows(isTool ? TOOL : THINKING, "high", box.footer);
  }
  return IDLE_FOOTER.test(box.footer) ? readEnd(box, entry) : null;
};

/** State and request that the bottom of the screen positively shows, or null; a view that takes the keys is `IN_MENU`. */
export const readCopilotScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const box = findInputBox(lines);
  const dialog = box === null ? readDialog(lines, screen.width) : null;
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const view = findViewRow(lines);
  if (view !== null) return shows(IN_MENU, "high", view.trim());
  if (box === null) return null;
  const turn = readTurn(box);
  return opensMenu(lines, box) && turn?.status.state !== "running"
    ? shows(IN_MENU, "high", (lines[box.start] ?? "").trim())
    : turn;
};
