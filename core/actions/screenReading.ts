// What a capture of a pane tells its agent's adapter, and which of its rows are worth checking again when keys arrive. Pure.
import type { Pane } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { AgentAdapter, Reading, Screen } from "../ports/agentAdapter.ts";
import type { PaneCapture } from "./paneClient.ts";

/** A capture as adapters read it. */
export const screenOf = (pane: Pick<Pane, "title">, capture: PaneCapture): Screen => {
  const { rows: lines, styledRows, title, isAlternate, width, height } = capture;
  return {
    lines,
    ...(styledRows === undefined ? {} : { styledLines: styledRows }),
    title: title || pane.title,
    isAlternate,
    width,
    height,
  };
};

/** What the screen shows right now; the engine may be some hundred milliseconds behind. */
export const readCapture = (
  agent: { adapter: Pick<AgentAdapter, "readScreen"> | null } | null,
  pane: Pick<Pane, "title">,
  capture: PaneCapture,
): Reading | null => agent?.adapter?.readScreen(screenOf(pane, capture)) ?? null;

/** What stands in the input box of a capture with colours; null where that is not known. */
export const readDraft = (
  adapter: Pick<AgentAdapter, "readDraft"> | null,
  pane: Pick<Pane, "title">,
  capture: PaneCapture,
): string | null => adapter?.readDraft?.(screenOf(pane, capture)) ?? null;

/** A draft of a command, or whose last word names a file: the agent's menu is open above it, and Enter chooses from that. */
const OPENS_MENU = /^[/!]|(?:^|\s)@\S*$/;

/** Null: nothing is known of what is on the screen. */
type BoxReader = Pick<AgentAdapter, "readScreen" | "readDraft"> | null;

/**
 * A menu, a list or another view in which keys are commands: the adapter says so, or nothing of what its rules know is on the screen,
 * neither its box for prompts nor a state.
 */
export const lacksBox = (adapter: BoxReader, pane: Pick<Pane, "title">, capture: PaneCapture): boolean => {
  const reading = readCapture({ adapter }, pane, capture);
  if (reading !== null) return reading.status.state === "unknown";
  return adapter?.readDraft !== undefined && readDraft(adapter, pane, capture) === null;
};

const canReadDraft = (adapter: BoxReader, { styledRows }: PaneCapture): boolean =>
  adapter?.readDraft !== undefined && styledRows !== undefined;

/** At rest the box is in sight; while the conversation of a sub-agent is shown, the box in sight is that one's. */
const hasOtherBox = (adapter: BoxReader, pane: Pick<Pane, "title">, capture: PaneCapture): boolean => {
  const status = readCapture({ adapter }, pane, capture)?.status;
  return ["idle", "completed", "error"].includes(status?.state ?? "") || status?.reasonCode === "subagent";
};

/** Why a text would not go into the box for prompts; null where it would, or where nobody can know it. */
export const findView = (
  adapter: BoxReader,
  pane: Pick<Pane, "title">,
  capture: PaneCapture,
): string | null => {
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
