// Whether a change of a watched document is a question, or what followed from an answer. Pure. A change that the agent knows
// already is no question, whoever wrote it. A change right after an answer may come from a program (a formatter), so only a few
// of these in a row count.

export interface WatchedDocument {
  /** What was handed to the agent last. */
  readonly submitted: string | null;
  /** When the last answer was in the file, or the agent ended without one; ms. */
  readonly answeredAt: number | null;
  /** Answers since a person was the last to change it. */
  readonly cycles: number;
}

export const NEVER_SUBMITTED: WatchedDocument = { submitted: null, answeredAt: null, cycles: 0 };

export interface Change {
  readonly text: string;
  /** What the agent has seen; null: nothing yet. */
  readonly seen: string | null;
  readonly at: number;
}

export type Decision =
  | { readonly kind: "submit"; readonly cycles: number }
  /** `known`: nothing new. `same`: it was asked already. `often`: enough answers without a person. */
  | { readonly kind: "ignore"; readonly why: "known" | "same" | "often" };

/**
 * `windowMs`: how long after an answer a change may be a program's. `maxCycles`: how many answers may follow each other like that
 * before it waits for a person.
 */
export const decideChange = (
  document: WatchedDocument,
  { text, seen, at }: Change,
  limits: { readonly windowMs: number; readonly maxCycles: number },
): Decision => {
  if (text === seen) return { kind: "ignore", why: "known" };
  if (text === document.submitted) return { kind: "ignore", why: "same" };
  const follows = document.answeredAt !== null && at - document.answeredAt < limits.windowMs;
  if (!follows) return { kind: "submit", cycles: 0 };
  const cycles = document.cycles + 1;
  return cycles > limits.maxCycles ? { kind: "ignore", why: "often" } : { kind: "submit", cycles };
};
