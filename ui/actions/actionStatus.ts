// The last action on a pane: making its call, what remains of it, and the words, the same on the row and in the live region.
import type { ActionOutcome, ActionResult, RenameResult } from "../../core/model/action.ts";
import { displayLine, displaySentence } from "../text/displayText.ts";

/** A failed call as the sentence that a person reads. */
export interface Failure {
  message: string;
  remedy: string | null;
  /** One of our own codes, or one that only a newer daemon knows. */
  code: string | null;
}

/** `later`: a text is armed that the daemon sends once the agent rests. `setting`: something is kept about the row; no key is sent. */
export type ActionKind =
  | "attach"
  | "page"
  | "send"
  | "later"
  | "setting"
  | "answer"
  | "interrupt"
  | "kill"
  | "dismiss";

export type ActionStatus = Stage & {
  /** What was chosen while it was under way, which was not done. */
  readonly further?: ActionKind;
};

type Stage =
  | { kind: "sending"; action: ActionKind }
  | { kind: "done"; action: ActionKind; outcome: ActionOutcome; detail: string; notes: readonly string[] }
  /** Nothing was done. */
  | { kind: "refused"; action: ActionKind; failure: Failure }
  /** The answer did not arrive: the action may have been done. */
  | { kind: "lost"; action: ActionKind; failure: Failure };

export const withFurther = (status: ActionStatus, further: ActionKind | undefined): ActionStatus =>
  further === undefined ? status : { ...status, further };

export const isSettled = (status: ActionStatus | undefined): boolean =>
  status?.kind === "done" && status.outcome === "delivered";

const UNDER_WAY: Readonly<Record<ActionKind, string>> = {
  attach: "Opening a terminal…",
  page: "Opening the page…",
  send: "Sending…",
  later: "Scheduling…",
  setting: "Saving…",
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

const UNKNOWN_WORDS = {
  now: "It may or may not have arrived; check the pane first.",
  later: "It may or may not be scheduled; check Automation first.",
} as const;

/** What to do where the daemon's own remedy names a command of the terminal. */
const REMEDIES: Readonly<Record<string, string>> = {
  E_STALE_SNAPSHOT: "Check the pane, then try again.",
  E_PROMPT_OPEN: "Answer it first.",
  E_PROMPT_UNCONFIRMED: "Check the prompt, then answer again.",
  E_REF_NOT_FOUND: "The pane is gone.",
  E_UNSUPPORTED: "Attach to do it there.",
};

interface OutcomeText {
  /** One or two words with a full stop, shown before the rest. */
  head: string;
  detail: string;
}

/** Where the call gave a result. */
const headOf = ({ action, outcome }: Extract<ActionStatus, { kind: "done" }>): string => {
  if (action === "attach") return "Attached.";
  // What was done is said in the sentence.
  if (action === "setting" || action === "page") return "";
  return action === "later" ? "Scheduled." : OUTCOME_WORDS[outcome];
};

const failureDetail = ({ action, failure }: Extract<ActionStatus, { kind: "refused" | "lost" }>): string => {
  // There is nothing to do in the pane.
  const known = failure.code === null || action === "setting" ? null : REMEDIES[failure.code];
  const remedy = known ?? failure.remedy;
  return [displaySentence(failure.message), remedy === null ? "" : displayLine(remedy)].join(" ").trim();
};

const furtherText = ({ further }: ActionStatus): string => {
  if (further === undefined) return "";
  return further === "answer"
    ? " The second answer wasn't sent."
    : " What you chose in the meantime wasn't done.";
};

export const outcomeText = (status: ActionStatus): OutcomeText => {
  const { head, detail } = stageText(status);
  return { head, detail: `${detail}${furtherText(status)}`.trim() };
};

const stageText = (status: ActionStatus): OutcomeText => {
  switch (status.kind) {
    case "sending":
      return { head: "", detail: UNDER_WAY[status.action] };
    case "done":
      return {
        head: headOf(status),
        detail: [status.detail, ...status.notes].map(displaySentence).join(" "),
      };
    case "refused":
      return { head: "Refused.", detail: failureDetail(status) };
    case "lost":
      return {
        head: "Unknown.",
        detail: `${UNKNOWN_WORDS[status.action === "later" ? "later" : "now"]} ${failureDetail(status)}`,
      };
  }
};

// Calls: what remains of an action once it ended is its result, a refusal, or that nobody knows.

/** Codes after which it is not known whether the action took place. */
const OPEN_ENDED: ReadonlySet<string | null> = new Set([
  null,
  "E_INTERNAL",
  "E_DAEMON_UNAVAILABLE",
  "E_TARGET_UNREACHABLE",
]);
/** These can be repeated without harm, so an unknown outcome counts as a failure. */
const HARMLESS: ReadonlySet<ActionKind> = new Set(["attach", "page", "dismiss", "setting"]);

/** What an action did; null for actions that show nothing when they succeed. */
/** What became of a name for the agent's own session; its row has the name in any case. */
export const sessionNameText = ({ outcome, detail }: NonNullable<RenameResult["session"]>): string =>
  outcome === "delivered" ? "The session has the name, too." : `Only the row has the name: ${detail}`;

export type ActionCall = () => Promise<ShownResult | null>;
export type ShownResult = Pick<ActionResult, "outcome" | "detail" | "notes">;

/** Makes the call; never rejects. Null: there is nothing to show. */
export const settleAction = async (
  action: ActionKind,
  call: ActionCall,
  toFailure: (error: unknown) => Failure,
): Promise<ActionStatus | null> => {
  try {
    const result = await call();
    if (result === null) return null;
    return { kind: "done", action, outcome: result.outcome, detail: result.detail, notes: result.notes };
  } catch (error) {
    const failure = toFailure(error);
    const isKnown = HARMLESS.has(action) || !OPEN_ENDED.has(failure.code);
    return { kind: isKnown ? "refused" : "lost", action, failure };
  }
};
