// Compares what was shown with what a person sees, and says which differences fail the gate. Pure.
import type { Label } from "../../adapters/testkit/recordings.ts";
import { isWaitingState, NO_AGENT } from "./corpus.ts";
import type { Mode, Shown } from "./playback.ts";
import type { Approval } from "./ruleAnswers.ts";
import type { VariationKind } from "./variations.ts";

/** The largest share of one agent's recorded frames that may be unknown when only the screen is used. */
export const MAX_UNKNOWN_SHARE = 0.1;

/**
 * `also`: right for a reader who has only the screen. `no_event`: no event tells the truth, so it cannot be known from events
 * alone. `left_wait`: events alone show a wait that a person ended without an event. `unread`: the varied screen was not
 * recognised and no event tells the truth. `no_wait`: the variation cut away what proves the truth, and no wait is shown.
 * `no_room`: the dialog does not fit into the variation's screen. `false_wait`, `missed_wait`: the two that the product must
 * never do.
 */
export const OUTCOMES = [
  "right",
  "also",
  "unknown",
  "no_event",
  "left_wait",
  "unread",
  "no_wait",
  "no_room",
  "wrong",
  "wrong_agent",
  "false_wait",
  "missed_wait",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Case {
  agent: string;
  version: string;
  frame: string;
  /** What was changed in the recorded screen; null: nothing. */
  variation: string | null;
  /** What kind of change that was; null: nothing was changed. */
  kind: VariationKind | null;
  mode: Mode;
  label: Label;
  atFrame: Shown | null;
  atLastEvent: Shown | null;
  /** States that the frame's events report in its last turn. */
  toldByEvents: ReadonlySet<string>;
  hasEvents: boolean;
  /** With both witnesses the pane was seen before the frame, at its fresh prompt. */
  hasLead: boolean;
  /** The frame's events are, name by name, those of a frame that is labelled with this waiting state. */
  eventsOfWait: ReadonlySet<string>;
  /** Whether the screen still holds the whole dialog. */
  isDialogWhole: boolean;
  /** The proof of the truth may be cut away; then it is enough that no wait is shown. */
  isTruthCut: boolean;
  /** The adapter finds nothing that it knows on this screen. */
  isUnread: boolean;
  /** What rules would have approved, if they named whatever is asked. */
  approval: Approval;
}

export interface Scored extends Case {
  outcome: Outcome;
  got: string;
  isFailure: boolean;
  /** Null where the state is not right or the label names no reason. */
  isReasonRight: boolean | null;
}

const stateOf = (shown: Shown | null): string => shown?.state ?? NO_AGENT;

/** The person acted after the last event, so what is still shown was right when that event came. */
const isLeftByPerson = (one: Case, state: string): boolean =>
  one.eventsOfWait.has(state) ||
  // An event told of the end, so no state may be left over, whatever the person did.
  (one.label.reason_code === "interrupted" && !one.toldByEvents.has(one.label.state));

const judgeEvents = (one: Case): Outcome => {
  const expected = one.label.state;
  for (const shown of [one.atLastEvent, one.atFrame]) {
    const state = stateOf(shown);
    if (isWaitingState(state) && state !== expected)
      return isLeftByPerson(one, state) ? "left_wait" : "false_wait";
  }
  const got = stateOf(one.atFrame);
  if (got === expected) return "right";
  if (expected === NO_AGENT) return "wrong";
  if (!one.toldByEvents.has(expected)) return "no_event";
  return isWaitingState(expected) ? "missed_wait" : got === "unknown" ? "unknown" : "wrong";
};

const judgeScreen = (one: Case): Outcome => {
  const expected = one.label.state;
  const got = stateOf(one.atFrame);
  if (got === expected) return "right";
  // Without events, and without having seen the pane before, the screen is the only witness in both modes.
  const isScreenAlone = one.mode === "screen" || !(one.hasEvents || one.hasLead);
  if (isScreenAlone && (one.label.also ?? []).includes(got)) return "also";
  if (isWaitingState(got)) return "false_wait";
  if (one.isTruthCut) return "no_wait";
  if (isWaitingState(expected)) return got === "unknown" && !one.isDialogWhole ? "no_room" : "missed_wait";
  if (got === "unknown") return "unknown";
  return one.variation !== null && one.isUnread && !one.toldByEvents.has(expected) ? "unread" : "wrong";
};

const isFailure = (one: Case, outcome: Outcome): boolean => {
  switch (outcome) {
    case "right":
    case "also":
    case "no_event":
    case "left_wait":
    case "unread":
    case "no_wait":
    case "no_room":
      return false;
    case "false_wait":
    case "missed_wait":
    case "wrong_agent":
      return true;
    case "unknown":
      return one.mode === "both" && one.variation === null;
    case "wrong":
      return one.mode !== "events" || one.label.state === NO_AGENT;
  }
};

export const score = (one: Case): Scored => {
  const isOther = one.atFrame !== null && one.atFrame.agent !== one.agent;
  const isLost = one.atFrame === null && one.label.state !== NO_AGENT;
  const outcome: Outcome =
    isOther || isLost ? "wrong_agent" : one.mode === "events" ? judgeEvents(one) : judgeScreen(one);
  const got = isOther ? `${one.atFrame?.agent}: ${stateOf(one.atFrame)}` : stateOf(one.atFrame);
  const reason = one.label.reason_code;
  return {
    ...one,
    outcome,
    got,
    isFailure: isFailure(one, outcome) || one.approval === "outside",
    isReasonRight: outcome !== "right" || reason === undefined ? null : one.atFrame?.reasonCode === reason,
  };
};

export interface UnknownShare {
  agent: string;
  unknown: number;
  frames: number;
}

/** Agents with too many unknown frames when only the screen is used. */
export const tooOftenUnknown = (scored: readonly Scored[]): UnknownShare[] => {
  const shares = new Map<string, UnknownShare>();
  for (const { agent, mode, variation, outcome, label } of scored) {
    if (mode !== "screen" || variation !== null || label.state === NO_AGENT) continue;
    const share = shares.get(agent) ?? { agent, unknown: 0, frames: 0 };
    share.frames += 1;
    if (outcome === "unknown") share.unknown += 1;
    shares.set(agent, share);
  }
  return [...shares.values()].filter(({ unknown, frames }) => unknown / frames > MAX_UNKNOWN_SHARE);
};
