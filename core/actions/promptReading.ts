// Captures that show the prompt to be answered, keys that go to tmux together with a check of its rows, and what became of the
// prompt. Every key of an answer takes this way; which keys is decided in answer.ts.
import { isSameDialog } from "../engine/samePrompt.ts";
import type { AnswerChoice, ActionOutcome } from "../model/action.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { PromptRequest } from "../model/request.ts";
import type { Pane } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import { readingForKeys, type AgentAdapter, type Reading } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxCommand } from "../tmux/tmuxCommand.ts";
import { modesOf, requireFitPane, screenOf } from "./screenReading.ts";
import type { PaneClient, PaneCapture, PlacedRow } from "./paneClient.ts";
import { poll } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";

// Rows of a dialog and their places, which must still be there when the keys arrive. No agent is known here: which row is the first
// is the adapter's word.

/** False for frames, rules and blanks, which every dialog of an agent has. */
const hasText = (row: string): boolean => /[^\s\u2500-\u259f]/u.test(row);

/**
 * The rows from `top` on with their places, but for those that repeat an earlier row of the dialog: tmux finds only the first of
 * equal rows. Null where a row stands above the dialog as well, so that nothing could tell it from that one.
 */
export const dialogRows = (rows: readonly string[], top: number): PlacedRow[] | null => {
  const above = new Set(rows.slice(0, top).filter(hasText));
  const placed = new Map<string, PlacedRow>();
  for (const [index, text] of rows.entries()) {
    if (index < top || !hasText(text)) continue;
    if (above.has(text)) return null;
    if (!placed.has(text)) placed.set(text, { line: index, text });
  }
  return [...placed.values()];
};

/** A screen may change between capture and key, for example under a spinner. */
const TRIES = 3;

export interface AnswerInput {
  pane: Pane;
  paneRef: string;
  client: PaneClient;
  clock: Clock;
  agentName: string;
  adapter: AgentAdapter;
  choice: AnswerChoice;
  openedAt: number;
  /** Nothing but its screen is known of it. */
  isInside: boolean;
  /** Nobody watches: no answer is given while somebody reads in the pane. */
  isUnattended: boolean;
  /**
   * The prompt as it is shown with this dialog on the screen, where it is to the letter the one that is answered; null where
   * the screen shows another one.
   */
  asShown(seen: PromptRequest): PromptRequest | null;
  /** False while another program has the terminal. */
  isForeground(): Promise<boolean>;
  /** Memory still has this prompt open. */
  isOpen(): boolean;
  /** Everything that was guarded still holds; called directly before the first key. @throws E_STALE_SNAPSHOT */
  verify(): VerifiedAction;
  /** It is still the same runtime and prompt; called directly before each further key. @throws E_STALE_SNAPSHOT */
  renew(): VerifiedAction;
  /** Called once, directly before the first key. */
  onFirstKey(): void;
  /** The first key was not pressed after all. */
  onNothingSent(): void;
}

/** A capture that shows the prompt. `request`: its dialog as it was read, with the keys of this moment. */
export interface PromptReading {
  capture: PaneCapture;
  request: PromptRequest;
  /** The prompt with that dialog, as it is shown to whoever answers. */
  shown: PromptRequest;
  /** Index of the dialog's first row among the captured rows. */
  dialogTop: number;
}

export const notesOf = ({ capture }: PromptReading): string[] =>
  capture.inMode ? ["The pane was in copy mode, which was left."] : [];

const refuse = (input: AnswerInput, why: string): AgtmuxError =>
  new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was sent to ${input.paneRef}: ${why}.`);

/** The dialog on the screen, or null. */
const dialogOn = ({ adapter, pane }: AnswerInput, capture: PaneCapture): Reading | null => {
  // Colours that did not come tell nothing; without any, an adapter may take a selection as it is drawn at first.
  const screen = { ...screenOf(pane, capture), styledLines: capture.styledRows ?? [] };
  const reading = readingForKeys(adapter.readScreen(screen));
  return reading !== null && isWaiting(reading.status.state) ? reading : null;
};

/** What the screen asks, or null. */
const requestOn = (input: AnswerInput, capture: PaneCapture): PromptRequest | null =>
  dialogOn(input, capture)?.request ?? null;

const unplaced = ({ paneRef }: AnswerInput): AgtmuxError =>
  new AgtmuxError(
    "E_UNSUPPORTED",
    `Nothing was sent to ${paneRef}: can't tell its dialog from what is above it on the screen.`,
    { remedy: "Go there with 'agtmux attach'." },
  );

const captureStyled = ({ client, pane }: AnswerInput): Promise<PaneCapture | null> =>
  client.capture(pane, { styled: true });

/** Agents draw a prompt again when their pane or the lines above it change: a screen without it gets this long. */
const DRAWN_LIMIT_MS = 1_500;
const DRAWN_EVERY_MS = 60;

/** @throws AgtmuxError E_STALE_SNAPSHOT where no dialog is drawn in time, or it has closed meanwhile. */
const awaitDialog = async (input: AnswerInput): Promise<{ capture: PaneCapture; dialog: Reading }> => {
  const found = await poll(input.clock, { everyMs: DRAWN_EVERY_MS, limitMs: DRAWN_LIMIT_MS }, async () => {
    const capture = requireFitPane(await captureStyled(input), input.pane, input.paneRef);
    if (!(await input.isForeground())) throw refuse(input, "its agent is suspended or in the background");
    const dialog = dialogOn(input, capture);
    if (dialog !== null && dialog.request !== null) return { capture, dialog };
    if (!input.isOpen()) throw refuse(input, "the prompt is not on the screen");
    return null;
  });
  if (found === null) throw refuse(input, "the prompt is not on the screen");
  return found;
};

/** The prompt that is to be answered, on the screen now. @throws AgtmuxError E_STALE_SNAPSHOT, E_UNSUPPORTED. */
const findPrompt = async (input: AnswerInput): Promise<PromptReading> => {
  const { capture, dialog } = await awaitDialog(input);
  const { request } = dialog;
  if (input.isUnattended && capture.inMode) throw refuse(input, "somebody reads in it (copy mode)");
  if (request === null) throw refuse(input, "the prompt is not on the screen");
  const shown = input.asShown(request);
  if (shown === null)
    throw refuse(input, "the screen shows another prompt, or one that cannot be told from another");
  if (dialog.dialogTop === undefined) throw unplaced(input);
  return { capture, request, shown, dialogTop: dialog.dialogTop };
};

/** The same dialog on the screen now; null when it is not there. */
export const seeAgain = async (input: AnswerInput, before: PromptRequest): Promise<PromptReading | null> => {
  const capture = await captureStyled(input);
  const dialog = capture === null || capture.panePid !== input.pane.panePid ? null : dialogOn(input, capture);
  const request = dialog?.request ?? null;
  if (capture === null || request === null || !isSameDialog(before, request)) return null;
  const shown = input.asShown(request);
  if (shown === null || dialog?.dialogTop === undefined) return null;
  return { capture, request, shown, dialogTop: dialog.dialogTop };
};

/**
 * Check and keys as one tmux command. False: the screen or the pane is another one now, nothing was pressed.
 * @throws AgtmuxError E_UNSUPPORTED where the dialog's rows cannot be bound to their place.
 */
const pressOn = (
  input: AnswerInput,
  action: VerifiedAction,
  { capture, dialogTop }: PromptReading,
  keys: TmuxCommand,
): Promise<boolean> => {
  const { client, pane, adapter, isInside } = input;
  const rows = dialogRows(capture.rawRows, dialogTop);
  if (rows === null) throw unplaced(input);
  const { command, cursorX, cursorY, width, height, firstLine } = capture;
  return client.runIf(action, pane, [["copy-mode", "-q", "-t", pane.paneId], keys], {
    command,
    dialog: rows.map(({ line, text }) => ({ line: line + firstLine, text })),
    ...(adapter.movesCursorInDialogs === true ? {} : { cursor: { x: cursorX, y: cursorY } }),
    size: { width, height },
    ...(isInside ? { modes: modesOf(capture).modes } : {}),
  });
};

export const keyCommand = ({ pane }: AnswerInput, key: string): TmuxCommand => [
  "send-keys",
  "-t",
  pane.paneId,
  "--",
  key,
];

/** The first keys, tried again while the screen changes between capture and keys. Gives the reading that they answered. */
export const pressFirst = async (
  input: AnswerInput,
  keysFor: (reading: PromptReading) => TmuxCommand,
): Promise<PromptReading> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const reading = await findPrompt(input);
    const keys = keysFor(reading);
    const action = input.verify();
    input.onFirstKey();
    if (await pressOn(input, action, reading, keys)) return reading;
    input.onNothingSent();
  }
  throw refuse(input, "what it runs or shows kept changing");
};

/** A key after the first. Null: pressed; else why not. `reading`: of a moment ago. */
export const pressNext = async (
  input: AnswerInput,
  reading: PromptReading,
  keys: TmuxCommand,
): Promise<string | null> => {
  try {
    // What looks the same may be another agent in the same shell.
    if (!(await input.isForeground())) return "The agent lost its terminal.";
    const isPressed = await pressOn(input, input.renew(), reading, keys);
    return isPressed ? null : "The prompt changed before it was confirmed.";
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_STALE_SNAPSHOT") return error.message;
    throw error;
  }
};

const LIMIT_MS = 4_000;
const LOOK_EVERY_MS = 60;
/** Two captures in a row must show that the prompt has gone, because agents clear the screen while they redraw. */
const SEEN_LEFT = 2;

export interface AnswerReport {
  outcome: ActionOutcome;
  detail: string;
  notes: string[];
}

/** What became of a prompt that was answered: it is gone, it is still there, or nobody can tell. */
export const awaitEffect = async (
  input: AnswerInput,
  { request }: PromptReading,
): Promise<Omit<AnswerReport, "notes">> => {
  let left = 0;
  let next: PromptRequest | null = null;
  let isGone = false;
  const seen = await poll(input.clock, { everyMs: LOOK_EVERY_MS, limitMs: LIMIT_MS }, async () => {
    const capture = await captureStyled(input);
    isGone = capture === null || capture.panePid !== input.pane.panePid;
    if (capture === null || isGone) return true;
    next = requestOn(input, capture);
    left = next !== null && isSameDialog(request, next) ? 0 : left + 1;
    return left >= SEEN_LEFT ? true : null;
  });
  if (isGone) return { outcome: "unverified", detail: "The answer was sent, and then the pane went away." };
  if (seen === true)
    return {
      outcome: "delivered",
      detail:
        next === null
          ? `${input.agentName} took the answer: the prompt is gone.`
          : `${input.agentName} took the answer, and another prompt is open now.`,
    };
  return input.isOpen()
    ? {
        outcome: "not_delivered",
        detail: `The same prompt is still open after ${LIMIT_MS / 1_000} s.`,
      }
    : { outcome: "unverified", detail: "The answer was sent; a prompt that looks the same is open." };
};
