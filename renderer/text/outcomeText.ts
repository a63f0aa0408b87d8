// What came of an action, in words: the same on the row and in the live region.
import type { ActionKind, ActionStatus } from "../state/actionDesk.ts";
import { displayLine, displaySentence } from "./displayText.ts";

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
  /** One or two words with a full stop, set apart. */
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
        head: OUTCOME_WORDS[status.outcome],
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
