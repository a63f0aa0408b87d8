// Answers exactly the prompt that a person saw, by one of its options or by a text. The screen has the last word: before every key
// a capture must show that prompt, the key goes to tmux together with a check of its rows (promptReading.ts), and after a key that
// moves a selection the next capture must show that it moved. The adapter knows the keys; an answer without known keys is refused.
import { AgtmuxError } from "../model/errors.ts";
import { mayAnswer, type OptionRole, type PromptRequest } from "../model/request.ts";
import type { AnswerChoice } from "../model/action.ts";
import {
  awaitEffect,
  type AnswerReport,
  keyCommand,
  notesOf,
  pressFirst,
  pressNext,
  seeAgain,
  type AnswerInput,
  type PromptReading,
} from "./promptReading.ts";
import { findTyped } from "./screenReading.ts";
import type { HeldText } from "./paneClient.ts";
import { pause, poll } from "./pause.ts";
import { strippedNotes, toSendable, typingCommand, withHeldText } from "./typing.ts";

/**
 * An answer is to the complete text that was shown: a request that is not whole may only be refused. Asked before the first key,
 * with the prompt as it is shown at that moment.
 * @throws AgtmuxError E_NOT_SHOWN_WHOLE
 */
const requireShownWhole = (
  request: PromptRequest,
  role: OptionRole | null | undefined,
  paneRef: string,
): void => {
  if (mayAnswer(request.isWhole === true, role)) return;
  throw new AgtmuxError(
    "E_NOT_SHOWN_WHOLE",
    `Nothing was sent to ${paneRef}: its request couldn't be shown in full, so you can only deny it.`,
  );
};

// Options: which one an answer means. What the adapter does not know is refused, never guessed: another option may end the agent or
// change its mode.

export type OptionChoice = Exclude<AnswerChoice, { kind: "text" | "options" }>;

const listed = ({ options }: PromptRequest): string[] =>
  options.map(({ label }, index) => `${index + 1}. ${label}`);

const byRole = (
  seen: PromptRequest,
  kind: "approve" | "deny",
  { agentName, paneRef }: { agentName: string; paneRef: string },
): number => {
  const index = seen.options.findIndex(({ role }) => role === kind);
  if (index >= 0) return index;
  const what = kind === "approve" ? "approves this once and nothing else" : "denies and nothing else";
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `Nothing was sent to ${paneRef}: can't tell which option of ${agentName}'s prompt ${what}.`,
    {
      remedy:
        seen.options.length === 0
          ? "Go there with 'agtmux attach'."
          : "Choose one of the listed options with --option <number>.",
      details: listed(seen),
    },
  );
};

const byNumber = (seen: PromptRequest, { number, paneRef }: { number: number; paneRef: string }): number => {
  if (number <= seen.options.length) return number - 1;
  throw new AgtmuxError(
    "E_USAGE",
    `Nothing was sent to ${paneRef}: there is no option ${number}, only ${seen.options.length}`,
    { remedy: "Choose one of the listed options.", details: listed(seen) },
  );
};

/**
 * Index of the option in `seen`, whose keys are known and which may be chosen: its labels are those that were shown.
 * @throws AgtmuxError E_UNSUPPORTED (not known which, or not by which keys), E_USAGE, E_NOT_SHOWN_WHOLE.
 */
export const optionOf = (
  choice: OptionChoice,
  seen: PromptRequest,
  about: { agentName: string; paneRef: string },
): number => {
  const index =
    choice.kind === "option"
      ? byNumber(seen, { number: choice.number, paneRef: about.paneRef })
      : byRole(seen, choice.kind, about);
  const keys = seen.options[index]?.keys ?? [];
  if (keys.length > 0) {
    requireShownWhole(seen, seen.options[index]?.role, about.paneRef);
    return index;
  }
  const why =
    seen.takesSeveral === true
      ? `this question of ${about.agentName} takes several answers; choose them in its pane`
      : `can't tell which keys choose option ${index + 1} of ${about.agentName}`;
  throw new AgtmuxError("E_UNSUPPORTED", `Nothing was sent to ${about.paneRef}: ${why}.`, {
    remedy: "Go there with 'agtmux attach'.",
    details: listed(seen),
  });
};

// A free text: typed into the field that the adapter names, and submitted only once it stands there.

/** Between text and Enter, or agents take Enter for a part of a paste. */
const ENTER_PAUSE_MS = 400;
const APPEAR_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 60;

const entryOf = ({ paneRef, agentName }: AnswerInput, request: PromptRequest): readonly string[] => {
  const entry = request.textEntry ?? null;
  if (entry !== null) return entry;
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `Nothing was sent to ${paneRef}: can't tell how this prompt of ${agentName} takes a text.`,
    {
      remedy: "Choose one of its options with --option <number>, or go there with 'agtmux attach'.",
      details: request.options.map(({ label }, index) => `${index + 1}. ${label}`),
    },
  );
};

/** Null: the prompt is another one now, or the keys did not arrive. */
const openField = async (input: AnswerInput, first: PromptReading): Promise<PromptReading | null> => {
  let reading = first;
  for (const key of entryOf(input, first.request).slice(1)) {
    await pause(input.clock, ENTER_PAUSE_MS);
    const next = await seeAgain(input, reading.request);
    if (next === null || (await pressNext(input, next, keyCommand(input, key))) !== null) return null;
    reading = next;
  }
  await pause(input.clock, ENTER_PAUSE_MS);
  return seeAgain(input, reading.request);
};

const submit = async (
  input: AnswerInput,
  { text, typedAt }: { text: string; typedAt: PromptReading },
): Promise<Omit<AnswerReport, "notes">> => {
  await pause(input.clock, ENTER_PAUSE_MS);
  const shown = await poll(input.clock, { everyMs: LOOK_EVERY_MS, limitMs: APPEAR_LIMIT_MS }, async () => {
    const now = await seeAgain(input, typedAt.request);
    return now !== null && findTyped(text, typedAt.capture, now.capture) !== null ? now : null;
  });
  if (shown === null)
    return {
      outcome: "not_delivered",
      detail: "The prompt did not show the text within 2 s, so Enter was not pressed.",
    };
  const problem = await pressNext(input, shown, keyCommand(input, "Enter"));
  return problem === null ? awaitEffect(input, shown) : { outcome: "not_delivered", detail: problem };
};

const typeAndSubmit = async (
  input: AnswerInput,
  { held, first, isTyped }: { held: HeldText; first: PromptReading; isTyped: boolean },
): Promise<Omit<AnswerReport, "notes">> => {
  const { text } = held;
  if (isTyped) return submit(input, { text, typedAt: first });
  const field = await openField(input, first);
  const lost = { outcome: "not_delivered", detail: "The prompt's field for a text did not open." } as const;
  if (field === null) return lost;
  const problem = await pressNext(input, field, typingCommand(input.pane, held));
  return problem === null ? submit(input, { text, typedAt: field }) : lost;
};

const answerHeld = async (
  input: AnswerInput,
  { held, stripped }: { held: HeldText; stripped: number },
): Promise<AnswerReport> => {
  const first = await pressFirst(input, ({ request, shown }) => {
    const [key] = entryOf(input, request);
    requireShownWhole(shown, null, input.paneRef);
    return key === undefined ? typingCommand(input.pane, held) : keyCommand(input, key);
  });
  const isTyped = entryOf(input, first.request).length === 0;
  const notes = [...strippedNotes(stripped), ...notesOf(first)];
  try {
    return { ...(await typeAndSubmit(input, { held, first, isTyped })), notes };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return { outcome: "unverified", detail: `The text was typed, but then: ${error.message}`, notes };
  }
};

/** @throws AgtmuxError as `answerPrompt`; E_USAGE when no text is left without control characters. */
const answerText = async (input: AnswerInput, rawText: string): Promise<AnswerReport> => {
  const { text, stripped } = toSendable(rawText);
  if (text.trim() === "")
    throw new AgtmuxError("E_USAGE", "No text to answer with", { remedy: "Give it with --text." });
  return withHeldText(input.client, text, (held) => answerHeld(input, { held, stripped }));
};

// The keys of an option.

/** Between two keys of which the second confirms. */
const CONFIRM_PAUSE_MS = 150;
/** For a selection to move. */
const STEP_LIMIT_MS = 1_500;
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
    await pause(input.clock, CONFIRM_PAUSE_MS);
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

// Several options together: each box is turned that stands otherwise than wanted, seen to have turned, and all are submitted then.

/**
 * Whether each option is to be ticked. @throws AgtmuxError E_UNSUPPORTED (not known how), E_USAGE (no such box), E_NOT_SHOWN_WHOLE.
 */
const wantedOf = (
  numbers: readonly number[],
  shown: PromptRequest,
  { agentName, paneRef }: { agentName: string; paneRef: string },
): boolean[] => {
  requireShownWhole(shown, null, paneRef);
  const { options } = shown;
  const details = listed(shown);
  const boxes = options.filter(({ ticked }) => ticked !== undefined);
  if (shown.submit === undefined || boxes.some(({ toggle }) => toggle === undefined))
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `Nothing was sent to ${paneRef}: can't tell how this prompt of ${agentName} takes several answers.`,
      { remedy: "Choose one with --option <number>, or go there with 'agtmux attach'.", details },
    );
  const wrong = numbers.find((number) => options[number - 1]?.ticked === undefined);
  if (wrong !== undefined)
    throw new AgtmuxError("E_USAGE", `Nothing was sent to ${paneRef}: option ${wrong} has no box to tick`, {
      remedy: "Choose among those with a box.",
      details,
    });
  return options.map((_option, index) => numbers.includes(index + 1));
};

/** The next box that stands otherwise than wanted; null: all are as wanted. */
const nextBox = ({ request }: PromptReading, wanted: readonly boolean[]): number | null => {
  const index = request.options.findIndex(({ ticked }, at) => ticked !== undefined && ticked !== wanted[at]);
  return index < 0 ? null : index;
};

const answerOptions = async (input: AnswerInput, numbers: readonly number[]): Promise<AnswerReport> => {
  let wanted: readonly boolean[] = [];
  /** The next key: that of a box, else the next one on the way to where all are submitted. */
  const keyAt = (reading: PromptReading): string => {
    const box = nextBox(reading, wanted);
    return (box === null ? reading.request.submit?.[0] : reading.request.options[box]?.toggle) ?? "";
  };
  const first = await pressFirst(input, (reading) => {
    wanted = wantedOf(numbers, reading.shown, input);
    return keyCommand(input, keyAt(reading));
  });
  const notes = notesOf(first);
  const stays = (why: string): AnswerReport => ({
    outcome: "not_delivered",
    detail: `${why} Nothing was submitted; boxes may be ticked.`,
    notes,
  });
  try {
    let reading = first;
    for (let presses = 0; presses < MAX_MOVES * 2; presses += 1) {
      const box = nextBox(reading, wanted);
      const left = reading.request.submit?.length ?? 0;
      if (box === null && left === 1) return { ...(await awaitEffect(input, reading)), notes };
      const before = reading.request;
      const next = await poll(input.clock, { everyMs: LOOK_EVERY_MS, limitMs: STEP_LIMIT_MS }, async () => {
        const now = await seeAgain(input, before);
        if (now === null) return null;
        const hasTurned = box !== null && now.request.options[box]?.ticked === wanted[box];
        const hasMoved = box === null && (now.request.submit?.length ?? Infinity) < left;
        return hasTurned || hasMoved ? now : null;
      });
      if (next === null) return stays(box === null ? "The selection did not move." : "A box did not change.");
      const key = keyAt(next);
      const problem =
        key === "" ? "Somebody else changed a box." : await pressNext(input, next, keyCommand(input, key));
      if (problem !== null) return stays(problem);
      reading = next;
    }
    return stays("The selection did not arrive.");
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return { outcome: "unverified", detail: `Keys were pressed, but then: ${error.message}`, notes };
  }
};

/**
 * Chooses an option of the prompt, or several together, or types a text into its field. When this throws nothing was sent, but after
 * E_TARGET_UNREACHABLE that is not known.
 * @throws AgtmuxError E_STALE_SNAPSHOT (that prompt is not on the screen), E_NOT_SHOWN_WHOLE, E_UNSUPPORTED (keys not known, or a
 *   pane that takes no keys of its own), E_USAGE (no such option, no text left), E_TARGET_UNREACHABLE (tmux did not answer).
 */
export const answerPrompt = async (input: AnswerInput): Promise<AnswerReport> => {
  const { choice, clock, adapter, openedAt } = input;
  const waitMs = Math.min(openedAt - clock.now(), 0) + (adapter.dialogIgnoresKeysMs ?? 0);
  if (waitMs > 0) await pause(clock, waitMs);
  if (choice.kind === "text") return answerText(input, choice.text);
  return choice.kind === "options" ? answerOptions(input, choice.numbers) : answerOption(input, choice);
};
