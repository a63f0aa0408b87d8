// Looks that show the prompt which is to be answered, and keys that go to tmux together with a check of its rows. Every key
// of an answer takes this way.
import { isSameDialog, isSamePrompt } from "../engine/samePrompt.ts";
import type { AnswerChoice } from "../model/actionView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { PromptRequest } from "../model/request.ts";
import type { Pane } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import { requireFitPane } from "./fitPane.ts";
import type { PaneHands, PaneLook, TmuxCommand } from "./paneHands.ts";
import type { VerifiedAction } from "./prepare.ts";
import { promptRows } from "./promptRows.ts";

/** A screen may change between look and key, for example under a spinner. */
const TRIES = 3;

export interface AnswerInput {
  pane: Pane;
  paneRef: string;
  hands: PaneHands;
  clock: Pick<Clock, "now" | "setTimer">;
  agentName: string;
  adapter: Pick<AgentAdapter, "readScreen" | "dialogDeafMs">;
  choice: AnswerChoice;
  /** The prompt as memory has it, and since when. */
  announced: PromptRequest;
  openedAt: number;
  /** What memory keeps of a request: secrets are not in it. */
  redact(request: PromptRequest): PromptRequest;
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

/** A look that shows the prompt. `request` has the keys of this moment. */
export interface PromptSight {
  look: PaneLook;
  request: PromptRequest;
}

export const notesOf = ({ look }: PromptSight): string[] =>
  look.inMode ? ["The pane was in copy mode, which was left."] : [];

const refuse = (input: AnswerInput, why: string): AgtmuxError =>
  new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was sent to ${input.paneRef}: ${why}.`);

/** What the screen asks, or null. */
export const requestOn = ({ adapter, pane }: AnswerInput, look: PaneLook): PromptRequest | null => {
  const { rows: lines, styledRows: styledLines, title, isAlternate, width, height } = look;
  const colours = styledLines === undefined ? {} : { styledLines };
  const reading = adapter.readScreen({
    lines,
    ...colours,
    title: title || pane.title,
    isAlternate,
    width,
    height,
  });
  return reading !== null && isWaiting(reading.status.state) ? reading.request : null;
};

export const lookAt = ({ hands, pane }: AnswerInput): Promise<PaneLook | null> =>
  hands.look(pane, { styled: true });

/** The prompt that is to be answered, on the screen now. @throws AgtmuxError E_STALE_SNAPSHOT, E_UNSUPPORTED. */
const findPrompt = async (input: AnswerInput): Promise<PromptSight> => {
  const look = requireFitPane(await lookAt(input), input.pane, input.paneRef);
  if (!(await input.isForeground())) throw refuse(input, "its agent is in the background");
  const request = requestOn(input, look);
  if (request === null) throw refuse(input, "the prompt is not on the screen");
  if (!isSamePrompt(input.announced, input.redact(request)))
    throw refuse(input, "the screen shows another prompt, or one that cannot be told from another");
  return { look, request };
};

/** The same dialog on the screen now; null when it is not there. */
export const seeAgain = async (input: AnswerInput, before: PromptRequest): Promise<PromptSight | null> => {
  const look = await lookAt(input);
  const request = look === null || look.panePid !== input.pane.panePid ? null : requestOn(input, look);
  return look !== null && request !== null && isSameDialog(before, request) ? { look, request } : null;
};

/** Check and keys as one tmux command. False: the screen or the pane is another one now, nothing was pressed. */
const pressOn = (
  { hands, pane }: AnswerInput,
  action: VerifiedAction,
  { look, request }: PromptSight,
  keys: TmuxCommand,
): Promise<boolean> =>
  hands.act(action, pane, [["copy-mode", "-q", "-t", pane.paneId], keys], {
    command: look.command,
    screenShows: promptRows(look.rows, request),
  });

export const keyCommand = ({ pane }: AnswerInput, key: string): TmuxCommand => [
  "send-keys",
  "-t",
  pane.paneId,
  "--",
  key,
];

/** The first keys, tried again while the screen changes between look and keys. Gives the sight that they answered. */
export const pressFirst = async (
  input: AnswerInput,
  keysFor: (sight: PromptSight) => TmuxCommand,
): Promise<PromptSight> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one try after the other is the point
    const sight = await findPrompt(input);
    const keys = keysFor(sight);
    const action = input.verify();
    input.onFirstKey();
    // oxlint-disable-next-line no-await-in-loop -- see above
    if (await pressOn(input, action, sight, keys)) return sight;
    input.onNothingSent();
  }
  throw refuse(input, "what it runs or shows changed with every look");
};

/** A key after the first. Null: pressed; else why not. It is called with the sight of a moment ago. */
export const pressNext = async (
  input: AnswerInput,
  sight: PromptSight,
  keys: TmuxCommand,
): Promise<string | null> => {
  try {
    // What looks the same may be another agent in the same shell.
    if (!(await input.isForeground())) return "The agent lost its terminal.";
    const isPressed = await pressOn(input, input.renew(), sight, keys);
    return isPressed ? null : "The prompt changed before it was confirmed.";
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_STALE_SNAPSHOT") return error.message;
    throw error;
  }
};
