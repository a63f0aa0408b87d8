// Answers exactly the prompt that a person saw. The screen has the last word: before every key a capture must show that
// prompt, the key goes to tmux together with a check of its rows, and after a key that moves a selection the next capture
// must show that it moved. The adapter knows the keys of a prompt; an answer without known keys is refused.
import { AgtmuxError } from "../model/errors.ts";
import { awaitEffect, type AnswerReport } from "./answerEffect.ts";
import { optionOf, type OptionChoice } from "./answerOption.ts";
import {
  keyCommand,
  notesOf,
  pressFirst,
  pressNext,
  seeAgain,
  type AnswerInput,
  type PromptReading,
} from "./promptReading.ts";
import { answerText } from "./answerText.ts";
import { pause, poll } from "./pause.ts";

/** Between two keys of which the second confirms. */
const KEY_PAUSE_MS = 150;
/** For a selection to move. */
const STEP_LIMIT_MS = 1_500;
const LOOK_EVERY_MS = 60;
/** Longer than any list of options. */
const MAX_MOVES = 40;

const MOVES: ReadonlySet<string> = new Set(["Up", "Down", "Left", "Right"]);

type Pressed = { isPressed: true; reading: PromptReading } | { isPressed: false; why: string };

/** After a move: the reading in which the option is nearer. Null when the selection stays. */
const awaitMove = (
  input: AnswerInput,
  { request }: PromptReading,
  about: { index: number; distance: number },
): Promise<PromptReading | null> =>
  poll(input.clock, { everyMs: LOOK_EVERY_MS, limitMs: STEP_LIMIT_MS }, async () => {
    const next = await seeAgain(input, request);
    const keys = next?.request.options[about.index]?.keys ?? null;
    return keys !== null && keys.length > 0 && keys.length < about.distance ? next : null;
  });

/** Moves until one key is left, which confirms. Keys come from every reading again. */
const moveAndConfirm = async (input: AnswerInput, first: PromptReading, index: number): Promise<Pressed> => {
  let reading = first;
  for (let moves = 0; moves < MAX_MOVES; moves += 1) {
    const distance = reading.request.options[index]?.keys?.length ?? 0;
    const next = await awaitMove(input, reading, { index, distance });
    if (next === null) return { isPressed: false, why: "The selection did not move to the option." };
    const key = next.request.options[index]?.keys?.[0] ?? "";
    const problem = await pressNext(input, next, keyCommand(input, key));
    if (problem !== null) return { isPressed: false, why: problem };
    if (next.request.options[index]?.keys?.length === 1) return { isPressed: true, reading: next };
    reading = next;
  }
  return { isPressed: false, why: "The selection did not arrive at the option." };
};

/** Keys that move no selection, pressed while the prompt is there: the first may already be enough. */
const pressRest = async (
  input: AnswerInput,
  first: PromptReading,
  rest: readonly string[],
): Promise<Pressed> => {
  let reading = first;
  for (const key of rest) {
    await pause(input.clock, KEY_PAUSE_MS);
    const next = await seeAgain(input, reading.request);
    if (next === null) break;
    const problem = await pressNext(input, next, keyCommand(input, key));
    if (problem !== null) return { isPressed: false, why: problem };
    reading = next;
  }
  return { isPressed: true, reading };
};

/** The keys after the first one. */
const goOn = (
  input: AnswerInput,
  first: PromptReading,
  { index, keys: [key = "", ...rest] }: { index: number; keys: readonly string[] },
): Promise<Pressed> => {
  if (rest.length === 0) return Promise.resolve({ isPressed: true, reading: first });
  return MOVES.has(key) ? moveAndConfirm(input, first, index) : pressRest(input, first, rest);
};

const answerOption = async (input: AnswerInput, choice: OptionChoice): Promise<AnswerReport> => {
  const wayTo = ({ shown }: PromptReading): { index: number; keys: readonly string[] } => {
    const index = optionOf(choice, shown, input);
    return { index, keys: shown.options[index]?.keys ?? [] };
  };
  const first = await pressFirst(input, (reading) => keyCommand(input, wayTo(reading).keys[0] ?? ""));
  const notes = notesOf(first);
  try {
    const pressed = await goOn(input, first, wayTo(first));
    if (!pressed.isPressed) return { outcome: "not_delivered", detail: pressed.why, notes };
    return { ...(await awaitEffect(input, pressed.reading)), notes };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return { outcome: "unverified", detail: `Keys were pressed, but then: ${error.message}`, notes };
  }
};

/**
 * Chooses an option of the prompt, or types a text into its field. When this throws nothing was sent, but after E_TARGET_UNREACHABLE that is not known.
 * @throws AgtmuxError E_STALE_SNAPSHOT (that prompt is not on the screen), E_NOT_SHOWN_WHOLE, E_UNSUPPORTED (keys not known, or a
 *   pane that takes no keys of its own), E_USAGE (no such option, no text left), E_TARGET_UNREACHABLE (tmux did not answer).
 */
export const answerPrompt = async (input: AnswerInput): Promise<AnswerReport> => {
  const { choice, clock, adapter, openedAt } = input;
  const deafMs = Math.min(openedAt - clock.now(), 0) + (adapter.dialogDeafMs ?? 0);
  if (deafMs > 0) await pause(clock, deafMs);
  return choice.kind === "text" ? answerText(input, choice.text) : answerOption(input, choice);
};
