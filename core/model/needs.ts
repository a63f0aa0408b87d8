// When a person is needed, and what a person may answer. It imports nothing: parts that must start quickly need these rules
// without the schemas, and everything else gets them through the files of the schemas.

/** True while the agent is blocked on a person. */
export const isWaiting = (state: string): state is "waiting_approval" | "waiting_input" =>
  state === "waiting_approval" || state === "waiting_input";

/** The one definition of "needs action". A dismissed error no longer counts: dismissal turns it into idle. */
export const needsAction = (state: string): boolean => isWaiting(state) || state === "error";

/**
 * Whether this answer may be given to a request, which may not be whole. A refusal allows nothing, so it always may; every
 * other answer needs the complete text to have been shown. Every surface that offers answers asks this, and the gate asks it
 * before every key.
 */
export const mayAnswer = (
  isWhole: boolean,
  role: "approve" | "approve_always" | "deny" | null | undefined,
): boolean => isWhole || role === "deny";

/** Reasons of an error that time cures: the provider gives no more for now. */
export const isLimit = (reasonCode: string | null): boolean =>
  reasonCode === "usage_limit" || reasonCode === "rate_limited";

const NONE = {
  error: 0,
  waiting_approval: 0,
  waiting_input: 0,
  running: 0,
  completed: 0,
  idle: 0,
  unknown: 0,
};

/** How many rows are in each state, for every surface alike; panes without an agent have none. */
export const countStates = (rows: Iterable<{ readonly state: keyof typeof NONE | null }>): typeof NONE => {
  const counts = { ...NONE };
  for (const { state } of rows) if (state !== null) counts[state] += 1;
  return counts;
};
