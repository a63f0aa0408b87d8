// What became of a prompt that was answered: it left, it is still there, or nobody can tell.
import { isSameDialog } from "../engine/samePrompt.ts";
import type { ActionOutcome } from "../model/actionView.ts";
import type { PromptRequest } from "../model/request.ts";
import { captureStyled, requestOn, type AnswerInput, type PromptReading } from "./promptReading.ts";
import { poll } from "./pause.ts";

const LIMIT_MS = 4_000;
const LOOK_EVERY_MS = 60;
/** Two captures in a row must show that the prompt has gone, because agents clear the screen while they redraw. */
const SEEN_LEFT = 2;

export interface AnswerReport {
  outcome: ActionOutcome;
  detail: string;
  notes: string[];
}

/** What became of a prompt that was answered. */
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
