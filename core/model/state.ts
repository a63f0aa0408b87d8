// The canonical states, their reasons and their precedence (spec 7.2). Every other file imports state names
// from here; no file compares with a state name that it spells itself.
import * as z from "zod";

export { isLimit, isWaiting, needsAction } from "./needs.ts";

/** Canonical states, highest precedence first. */
export const CANONICAL_STATES = [
  "error",
  "waiting_approval",
  "waiting_input",
  "running",
  "completed",
  "idle",
  "unknown",
] as const;

export const canonicalStateSchema = z.enum(CANONICAL_STATES);
export type CanonicalState = z.infer<typeof canonicalStateSchema>;

/** The closed list of reasons per state, from the least to the most specific. */
export const REASON_CODES = {
  error: ["api_error", "rate_limited", "usage_limit", "auth_failed", "crashed"],
  waiting_approval: ["permission_tool", "permission_edit", "plan", "trust"],
  waiting_input: ["question", "onboarding", "auth_needed"],
  running: ["thinking", "tool", "subagent", "background_task", "retrying", "compacting"],
  completed: ["turn_ended"],
  idle: ["fresh", "demoted", "interrupted"],
  unknown: [
    "no_signal",
    "stale_signal",
    "unsupported_signal",
    "conflicting_signals",
    "unbound",
    "in_menu",
    "suspended",
    "target_unreachable",
  ],
} as const satisfies Record<CanonicalState, readonly string[]>;

export type ReasonCode = (typeof REASON_CODES)[CanonicalState][number];

const status = <S extends CanonicalState>(state: S) =>
  z.object({ state: z.literal(state), reasonCode: z.enum(REASON_CODES[state]) });

/** A state together with a reason that belongs to it. */
export const statusSchema = z.discriminatedUnion("state", [
  status("error"),
  status("waiting_approval"),
  status("waiting_input"),
  status("running"),
  status("completed"),
  status("idle"),
  status("unknown"),
]);
export type Status = z.infer<typeof statusSchema>;

export const confidenceSchema = z.enum(["high", "medium", "low"]);
export type Confidence = z.infer<typeof confidenceSchema>;

/** Rank of a state: 0 is the most urgent. */
export const precedenceOf = (state: CanonicalState): number => CANONICAL_STATES.indexOf(state);

/** How specific a reason is within its state; higher is more specific. */
export const specificityOf = (status: Status): number =>
  (REASON_CODES[status.state] as readonly string[]).indexOf(status.reasonCode);

/** The most urgent of some states, or null for none. */
export const topState = (states: Iterable<CanonicalState>): CanonicalState | null => {
  let top: CanonicalState | null = null;
  for (const state of states) if (top === null || precedenceOf(state) < precedenceOf(top)) top = state;
  return top;
};
