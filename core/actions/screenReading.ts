// What a capture of a pane says: where a text stands that was just typed, whether the pane takes keys, what its agent's adapter
// reads in it, and which rows are worth checking again when keys arrive. Pure.
import { isStillThere, type PaneCapture } from "./paneClient.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import { readingForKeys, type AgentAdapter, type Reading, type Screen } from "../ports/agentAdapter.ts";

// A typed text: found on the screen, and later whether it still stands in the input box. No agent is known here: a box ends where
// the cursor is, or else near the bottom of the screen; a text that was sent moves away from there. Recorded: every agent leaves at
// least two rows between a sent prompt and its input box.

/** Left out of comparisons: blanks, frames of boxes, marks and emoji (tmux and programs differ in how they keep them). */
const NOISE = /[\s\u2500-\u259f\p{M}\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}]/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
/** How agents show a long paste instead of its text, as in `[Pasted text #1 +20 lines]`. */
const PLACEHOLDER = /\[paste(?:d|s)?\b[^\]]{0,60}\]/gi;
const TAIL_LENGTH = 24;

/** A text as it can be compared with what a screen shows of it. */
export const compact = (text: string): string => text.replace(NOISE, "");

const columnsOf = (row: string, columns: number): string => {
  let used = 0;
  let kept = "";
  for (const char of row) {
    if (used >= columns) break;
    kept += char;
    used += WIDE.test(char) ? 2 : 1;
  }
  return kept;
};

const upToCursor = ({ rows, cursorX, cursorY }: PaneCapture): string[] =>
  rows.slice(0, cursorY + 1).map((row, index) => (index === cursorY ? columnsOf(row, cursorX) : row));

/** Where a compact text ends for the last time: its row, and whether nothing follows. Null where it is not. */
const locate = (rows: readonly string[], tail: string): { row: number; isLast: boolean } | null => {
  const parts = rows.map(compact);
  const joined = parts.join("");
  const at = joined.lastIndexOf(tail);
  if (at === -1) return null;
  let rest = at + tail.length;
  const row = parts.findIndex((part) => (rest -= part.length) <= 0);
  return { row, isLast: joined.endsWith(tail) };
};

const countOf = (rows: readonly string[], tail: string): number =>
  rows.map(compact).join("").split(tail).length - 1;

/** A text in the input box: by the cursor after it, or by its distance from the bottom; in rows. */
export interface BoxMark {
  readonly tail: string;
  readonly byCursor: boolean;
  readonly distance: number;
}

const markOf = (tail: string, before: PaneCapture, now: PaneCapture): BoxMark | null => {
  const isNew = countOf(now.rows, tail) > countOf(before.rows, tail);
  const typed = locate(upToCursor(now), tail);
  const wasTyped = locate(upToCursor(before), tail)?.isLast ?? false;
  if (typed?.isLast === true && (isNew || !wasTyped))
    return { tail, byCursor: true, distance: now.cursorY - typed.row };
  const found = locate(now.rows, tail);
  if (found === null) return null;
  const distance = now.rows.length - 1 - found.row;
  const previous = locate(before.rows, tail);
  const cameCloser = previous !== null && before.rows.length - 1 - previous.row > distance;
  return isNew || cameCloser ? { tail, byCursor: false, distance } : null;
};

/** False for texts of blanks and emoji only: they cannot be told apart on a screen. */
export const isRecognisable = (text: string): boolean => compact(text) !== "";

/** Where the end of `text`, or a placeholder for it, has appeared since `before`; null while it has not. */
export const findTyped = (text: string, before: PaneCapture, now: PaneCapture): BoxMark | null => {
  const tail = compact(text).slice(-TAIL_LENGTH);
  const mark = tail === "" ? null : markOf(tail, before, now);
  if (mark !== null) return mark;
  const placeholders = now.rows.join("\n").match(PLACEHOLDER)?.map(compact) ?? [];
  for (const placeholder of placeholders.toReversed()) {
    const found = markOf(placeholder, before, now);
    if (found !== null) return found;
  }
  return null;
};

/** The row of the screen, as tmux has it, in which a typed text ends; null when it is not there any more. */
export const rowOf = (mark: BoxMark, now: PaneCapture): string | null => {
  const found = locate(mark.byCursor ? upToCursor(now) : now.rows, mark.tail);
  return found === null || (mark.byCursor && !found.isLast) ? null : (now.rawRows[found.row] ?? null);
};

/** `slack`: rows by which the box may have grown, for programs that may take Enter for a new line. */
export const isStillInBox = (mark: BoxMark, now: PaneCapture, slack: number): boolean => {
  const rows = mark.byCursor ? upToCursor(now) : now.rows;
  const found = locate(rows, mark.tail);
  if (found === null || (mark.byCursor && !found.isLast)) return false;
  const end = mark.byCursor ? now.cursorY : now.rows.length - 1;
  return end - found.row <= mark.distance + slack;
};

/** Refuses a pane that takes no keys now. @throws AgtmuxError E_STALE_SNAPSHOT (gone, ended), E_UNSUPPORTED (keys go elsewhere). */
export const requireFitPane = (capture: PaneCapture | null, pane: Pane, paneRef: string): PaneCapture => {
  const refuse = (code: "E_STALE_SNAPSHOT" | "E_UNSUPPORTED", why: string, remedy?: string): never => {
    const message = `Nothing was sent to ${paneRef}: ${why}.`;
    throw new AgtmuxError(code, message, remedy === undefined ? {} : { remedy });
  };
  if (capture === null || !isStillThere(capture, pane)) return refuse("E_STALE_SNAPSHOT", "the pane is gone");
  if (capture.isDead) return refuse("E_STALE_SNAPSHOT", "its program has ended");
  if (capture.isSynchronized)
    return refuse(
      "E_UNSUPPORTED",
      "what is typed there goes to every pane of its window",
      "Switch it off with 'tmux set-option -w synchronize-panes off'.",
    );
  if (capture.isInputOff)
    return refuse("E_UNSUPPORTED", "its input is switched off", "Switch it on with 'tmux select-pane -e'.");
  return capture;
};

/** A capture as adapters read it. */
export const screenOf = (pane: Pane, capture: PaneCapture): Screen => {
  const { rows: lines, styledRows, title, isAlternate, width, height } = capture;
  const { cursorX: x, cursorY, firstLine, isCursorVisible: isVisible } = capture;
  return {
    lines,
    ...(styledRows === undefined ? {} : { styledLines: styledRows }),
    title: title || pane.title,
    isAlternate,
    width,
    height,
    cursor: { x, y: cursorY - firstLine, isVisible },
  };
};

/** The terminal's modes, and where the cursor stands. */
export const modesOf = ({ isAlternate, isCursorVisible, cursorX: x, cursorY: y }: PaneCapture) => ({
  modes: { isAlternate, isCursorVisible },
  cursor: { x, y },
});

/**
 * What has to hold when keys arrive at an agent of which nothing but the screen is known: the program in front is the same when it
 * has ended. Nothing for others. Null: this is not its screen.
 */
export const boundTo = (
  agent: { adapter: AgentAdapter | null; isInside: boolean } | null,
  pane: Pane,
  capture: PaneCapture,
): Partial<ReturnType<typeof modesOf>> | null => {
  if (agent?.isInside !== true) return {};
  return agent.adapter?.isOwnScreen?.(screenOf(pane, capture)) === true ? modesOf(capture) : null;
};

/** What the screen shows right now, as far as keys go by it; the engine may be some hundred milliseconds behind. */
export const readCapture = (
  agent: { adapter: AgentAdapter | null } | null,
  pane: Pane,
  capture: PaneCapture,
): Reading | null => readingForKeys(agent?.adapter?.readScreen(screenOf(pane, capture)) ?? null);

/** What stands in the input box of a capture with colours; null where that is not known. */
export const readDraft = (adapter: AgentAdapter | null, pane: Pane, capture: PaneCapture): string | null =>
  adapter?.readDraft?.(screenOf(pane, capture)) ?? null;

/** A draft of a command, or whose last word names a file: the agent's menu is open above it, and Enter chooses from that. */
const OPENS_MENU = /^[/!]|(?:^|\s)@\S*$/;

/** Null: nothing is known of what is on the screen. */
type BoxReader = AgentAdapter | null;

/**
 * A menu, a list or another view in which keys are commands: the adapter says so, or nothing of what its rules know is on the
 * screen, neither its box for prompts nor a state.
 */
export const lacksBox = (adapter: BoxReader, pane: Pane, capture: PaneCapture): boolean => {
  const reading = readCapture({ adapter }, pane, capture);
  if (reading !== null) return reading.status.state === "unknown";
  return adapter?.readDraft !== undefined && readDraft(adapter, pane, capture) === null;
};

const canReadDraft = (adapter: BoxReader, { styledRows }: PaneCapture): boolean =>
  adapter?.readDraft !== undefined && styledRows !== undefined;

/** At rest the box is visible; while the conversation of a sub-agent is shown, the visible box is that one's. */
const hasOtherBox = (adapter: BoxReader, pane: Pane, capture: PaneCapture): boolean => {
  const status = readCapture({ adapter }, pane, capture)?.status;
  return ["idle", "completed", "error"].includes(status?.state ?? "") || status?.reasonCode === "subagent";
};

/** Why a text would not go into the box for prompts; null where it would, or where nobody can know it. */
export const findView = (adapter: BoxReader, pane: Pane, capture: PaneCapture): string | null => {
  const draft = readDraft(adapter, pane, capture);
  const isElsewhere = draft === null && canReadDraft(adapter, capture) && hasOtherBox(adapter, pane, capture);
  if (isElsewhere || lacksBox(adapter, pane, capture)) return "its input box is not on the screen";
  return OPENS_MENU.test(draft ?? "") ? "a menu of its input box is open" : null;
};

export const showsPrompt = (reading: Reading | null): boolean =>
  reading !== null && isWaiting(reading.status.state);

/**
 * Rows, as tmux has them, that disappear when a dialog opens: the input box, and the rows that gave the state away. A row
 * that counts seconds or tokens changes by itself: it is taken only where there is no other.
 */
export const landmarks = ({ rows, rawRows, cursorY }: PaneCapture, reading: Reading | null): string[] => {
  const matched = reading === null ? -1 : rows.findIndex((row) => row.includes(reading.matched));
  const found = [rawRows[cursorY], rawRows[matched]].filter(
    (row): row is string => row !== undefined && row.trim() !== "",
  );
  const steady = found.filter((row) => !/\d/.test(row));
  return steady.length > 0 ? steady : found;
};
