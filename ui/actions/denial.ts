// A denial with a reason, for every surface: by the prompt's own field where it is known that a text there denies, else the denial
// first and the reason as the next message. The reason waits in the queue of texts, whose guards keep it out of a dialog that may
// follow, and it goes there only after the denial was seen to be accepted.
import type { ActionResult, AnswerChoice } from "../../core/model/action.ts";
import type { RequestView } from "../../core/model/request.ts";

/** It is about a request that is over: later than this it says nothing. */
export const REASON_EXPIRES_MS = 3_600_000;

/**
 * The field of a plan's dialog says what to change: a text there denies it. Recorded with Claude Code 2.1.329
 * (adapters/claude/dialogs.ts). Of a field in any other dialog it is not known that its text denies.
 */
export const takesReason = ({ kind, text_entry, is_whole }: RequestView): boolean =>
  kind === "plan" && (text_entry ?? null) !== null && is_whole;

interface Denial {
  readonly request: RequestView | null;
  readonly reason: string;
  /** To the prompt that the person saw. */
  readonly answer: (choice: AnswerChoice) => Promise<ActionResult>;
  /** Arms the reason for the next time at which the agent rests. */
  readonly sendLater: (text: string) => Promise<unknown>;
}

interface Denied {
  readonly result: ActionResult;
  /** False: the reason went nowhere, and is still to be kept. */
  readonly isGiven: boolean;
}

/** @throws what `answer` throws: nothing was denied. */
export const denyWithReason = async ({ request, reason, ...calls }: Denial): Promise<Denied> => {
  if (request !== null && takesReason(request)) {
    const result = await calls.answer({ kind: "text", text: reason });
    return { result, isGiven: result.outcome === "delivered" };
  }
  const result = await calls.answer({ kind: "deny" });
  const withNote = (note: string): ActionResult => ({ ...result, notes: [...result.notes, note] });
  // Of a repeat nobody knows what the agent has been asked since.
  if (result.outcome !== "delivered" || result.is_repeat)
    return { result: withNote("The reason was not sent."), isGiven: false };
  try {
    await calls.sendLater(reason);
    return {
      result: withNote("The reason follows when it is idle."),
      isGiven: true,
    };
  } catch (error) {
    const why = error instanceof Error ? `: ${error.message}` : "";
    return { result: withNote(`The reason was not sent${why}`), isGiven: false };
  }
};
