// How a run of the pi family ended, from the stop reason of its last answer. Source: recorded runs of omp 18.2.3 and pi
// 0.87.1 (stop, toolUse, aborted, error); `length` is documented.
import type { Status } from "../../core/model/state.ts";
import { failureOfText, isRetryable } from "../common/failure.ts";
import { asPayload, fieldOf, textOf, type Payload } from "../common/payload.ts";
import { COMPLETED, INTERRUPTED, RETRYING } from "../common/signals.ts";

export interface Ending {
  stopReason: string;
  errorMessage: string;
}

/** What is told of a request that the person's interrupt cut off while a tool ran: it bears the name of an error. */
export const isAborted = (errorMessage: string): boolean =>
  /^(This|The) operation was aborted\.?$/.test(errorMessage.trim());

/** From an event's or a session entry's assistant message; null where it names no stop reason. */
export const endingOf = (message: unknown): Ending | null => {
  const payload = asPayload(message);
  const stopReason = payload === null ? null : textOf(payload, "stopReason");
  if (payload === null || stopReason === null) return null;
  const errorMessage = (textOf(payload, "errorMessage") ?? "").slice(0, 2_000);
  return { stopReason: isAborted(errorMessage) ? "aborted" : stopReason, errorMessage };
};

/** The ending that an event carries, under either name that the family uses. */
export const endingOfEvent = (payload: Payload): Ending | null =>
  endingOf(fieldOf(payload, "message")) ?? endingOf(fieldOf(payload, "last_assistant_message"));

/** Null for reasons that end no run (a tool follows) and for words that were never seen. */
export const statusOfEnding = (ending: Ending, retriesAfterEnd: boolean): Status | null => {
  switch (ending.stopReason) {
    case "stop":
    case "length":
      return COMPLETED;
    case "aborted":
      return INTERRUPTED;
    case "error":
      return retriesAfterEnd && isRetryable(ending.errorMessage)
        ? RETRYING
        : failureOfText(ending.errorMessage);
    default:
      return null;
  }
};
