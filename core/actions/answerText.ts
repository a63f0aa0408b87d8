// A free text as the answer to a question: typed into the field that the adapter names, and submitted only once it stands
// there.
import { AgtmuxError } from "../model/errors.ts";
import type { PromptRequest } from "../model/request.ts";
import { awaitEffect, type AnswerReport } from "./answerEffect.ts";
import {
  keyCommand,
  notesOf,
  pressFirst,
  pressNext,
  seeAgain,
  type AnswerInput,
  type PromptReading,
} from "./promptReading.ts";
import { findTyped } from "./inputBox.ts";
import type { HeldText } from "./paneClient.ts";
import { pause, poll } from "./pause.ts";
import { requireShownWhole } from "./requireShownWhole.ts";
import { strippedNotes, toSendable } from "./sendableText.ts";
import { typingCommand, withHeldText } from "./typing.ts";

/** Between text and Enter, or agents take Enter for a part of a paste. */
const KEY_PAUSE_MS = 400;
const APPEAR_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 60;

const entryOf = ({ paneRef, agentName }: AnswerInput, request: PromptRequest): readonly string[] => {
  const entry = request.textEntry ?? null;
  if (entry !== null) return entry;
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `Nothing was sent to ${paneRef}: it is not known how this prompt of ${agentName} takes a text.`,
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
    await pause(input.clock, KEY_PAUSE_MS);
    const next = await seeAgain(input, reading.request);
    if (next === null || (await pressNext(input, next, keyCommand(input, key))) !== null) return null;
    reading = next;
  }
  await pause(input.clock, KEY_PAUSE_MS);
  return seeAgain(input, reading.request);
};

const submit = async (
  input: AnswerInput,
  { text, typedAt }: { text: string; typedAt: PromptReading },
): Promise<Omit<AnswerReport, "notes">> => {
  await pause(input.clock, KEY_PAUSE_MS);
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
export const answerText = async (input: AnswerInput, rawText: string): Promise<AnswerReport> => {
  const { text, stripped } = toSendable(rawText);
  if (text.trim() === "")
    throw new AgtmuxError("E_USAGE", "There is no text to answer with", { remedy: "Give it with --text." });
  return withHeldText(input.client, text, (held) => answerHeld(input, { held, stripped }));
};
