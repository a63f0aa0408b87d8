// The last action on a pane, its result, and their words, which are the same on the row and in the live region.
import type { ActionOutcome } from "../../core/model/actionView.ts";
import { displayLine, displaySentence } from "../text/displayText.ts";

/** A failed call as the sentence that a person reads. */
export interface Failure {
  message: string;
  remedy: string | null;
  /** One of our own codes, or one that only a newer daemon knows. */
  code: string | null;
}

export type ActionKind = "attach" | "send" | "answer" | "interrupt" | "kill" | "dismiss";

export type ActionStatus =
  | { kind: "sending"; action: ActionKind }
  | { kind: "done"; action: ActionKind; outcome: ActionOutcome; detail: string; notes: readonly string[] }
  /** Nothing was done. */
  | { kind: "refused"; action: ActionKind; failure: Failure }
  /** The answer did not arrive: the action may have been done. */
  | { kind: "lost"; action: ActionKind; failure: Failure };

export const isSettled = (status: ActionStatus | undefined): boolean =>
  status?.kind === "done" && status.outcome === "delivered";

const UNDER_WAY: Readonly<Record<ActionKind, string>> = {
  attach: "Opening a terminal…",
  send: "Sending…",
  answer: "Answering…",
  interrupt: "Interrupting…",
  kill: "Sending the signal…",
  dismiss: "Dismissing…",
};

const OUTCOME_WORDS = {
  delivered: "Delivered.",
  not_delivered: "Not delivered.",
  unverified: "Not verified.",
} as const;

/** What to do where the daemon's own remedy names a command of the terminal. */
const REMEDIES: Readonly<Record<string, string>> = {
  E_STALE_SNAPSHOT: "Look again and repeat it.",
  E_PROMPT_OPEN: "Answer it first.",
  E_PROMPT_UNCONFIRMED: "Look at the prompt and answer again.",
  E_REF_NOT_FOUND: "The pane is gone.",
  E_UNSUPPORTED: "Attach to do it there.",
};

export interface OutcomeText {
  /** One or two words with a full stop, shown before the rest. */
  head: string;
  detail: string;
}

const failureDetail = ({ failure }: Extract<ActionStatus, { kind: "refused" | "lost" }>): string => {
  const remedy = (failure.code === null ? null : REMEDIES[failure.code]) ?? failure.remedy;
  return [displaySentence(failure.message), remedy === null ? "" : displayLine(remedy)].join(" ").trim();
};

export const outcomeText = (status: ActionStatus): OutcomeText => {
  switch (status.kind) {
    case "sending":
      return { head: "", detail: UNDER_WAY[status.action] };
    case "done":
      return {
        head: status.action === "attach" ? "Attached." : OUTCOME_WORDS[status.outcome],
        detail: [status.detail, ...status.notes].map(displaySentence).join(" "),
      };
    case "refused":
      return { head: "Refused.", detail: failureDetail(status) };
    case "lost":
      return {
        head: "Not known.",
        detail: `It may have arrived or not; look at the pane first. ${failureDetail(status)}`,
      };
  }
};
