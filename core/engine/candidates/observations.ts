// Candidates from sampled readings: what a screen or a state file positively shows.
import type { ObservationEvidence } from "../facts.ts";
import { isWaiting, type Status } from "../../model/state.ts";
import { AT_ITS_PROMPT, type Candidate } from "./candidate.ts";
import { isContradicted, isTurnOver, type ResolveContext } from "./resolveContext.ts";

/** Another observing source that for two seconds has positively shown no dialog while this one shows it. */
const disagreeing = (
  observation: ObservationEvidence,
  context: ResolveContext,
): ObservationEvidence | null => {
  const needed = 4 * context.timing.contest_ms;
  for (const other of context.facts.observations.values()) {
    if (other.source === observation.source || isWaiting(other.signal.status.state)) continue;
    const from = Math.max(other.signal.since, observation.signal.since);
    if (context.readUntil(other) - from >= needed && context.readUntil(observation) - from >= needed)
      return other;
  }
  return null;
};

const judgeDialog = (
  base: Candidate,
  observation: ObservationEvidence,
  context: ResolveContext,
): Candidate => {
  const { at, timing } = context;
  const readAt = context.readUntil(observation);
  const staleAt = readAt + timing.waiting_unconfirmed_ttl_ms;
  if (at > staleAt) return { ...base, outcome: "stale", rule: "the dialog was not seen again for too long" };
  if (observation.source === "poller" && context.goneDialogAt !== null)
    return { ...base, outcome: "contested", rule: "the screen does not show the dialog any more" };
  const other = disagreeing(observation, context);
  if (other !== null)
    return {
      ...base,
      outcome: "unconfirmed",
      rule: `the ${other.source} positively shows ${other.signal.status.state} instead`,
    };
  const isConfirmed = at - readAt <= timing.process_verified_ttl_ms;
  return {
    ...base,
    confidence: isConfirmed ? base.confidence : "low",
    rule: "the dialog is on the screen",
    changesAt: isConfirmed ? readAt + timing.process_verified_ttl_ms + 1 : staleAt + 1,
  };
};

/** The verdict on the reading by the agent's own newest event; null when the event does not decide. */
const judgeAgainstEvent = (
  base: Candidate,
  observation: ObservationEvidence,
  context: ResolveContext,
): Candidate | null => {
  const turn = context.newestTurn;
  if (turn === null || turn.signal.status === null || (context.boundary?.eventTime ?? 0) > turn.eventTime)
    return null;
  const shown = observation.signal.status;
  const isOver = isTurnOver(turn.signal.status);
  const contradicts = isContradicted(turn, observation);
  if (contradicts && !context.holdsAgainst(observation, turn.eventTime))
    return {
      ...base,
      outcome: "unconfirmed",
      rule: "contradicts the agent's own event and has not held long enough",
    };
  if (isOver && isTurnOver(shown) && !contradicts && !context.wasRunningAfter(turn) && context.isProcessFresh)
    return { ...base, outcome: "lost", rule: "the agent's own event says how the turn ended" };
  return null;
};

/** Another source that was read since, and knows that the person stopped the turn that this one takes for finished. */
const stoppedBy = (observation: ObservationEvidence, context: ResolveContext): ObservationEvidence | null => {
  const { status, confidence, since } = observation.signal;
  if (status.state !== "completed" || confidence === "high") return null;
  const knows = (other: ObservationEvidence): boolean =>
    other.source !== observation.source &&
    other.signal.status.reasonCode === "interrupted" &&
    context.readUntil(other) >= since;
  return [...context.facts.observations.values()].find(knows) ?? null;
};

const judgeOther = (
  base: Candidate,
  observation: ObservationEvidence,
  context: ResolveContext,
): Candidate => {
  const { facts, liveness, timing, at } = context;
  const { status, since, onset } = observation.signal;
  const readAt = context.readUntil(observation);
  if (isTurnOver(status) && facts.runningSeenAt > readAt)
    return { ...base, outcome: "retired", rule: "a later turn was seen" };
  const judged = judgeAgainstEvent(base, observation, context);
  if (judged !== null) return judged;
  const stopped = stoppedBy(observation, context);
  if (stopped !== null)
    return { ...base, outcome: "lost", rule: `the ${stopped.source} says that the turn was stopped` };
  const { unrecognisedSince, unrecognisedReadAt, view } = liveness;
  const isLeft = unrecognisedSince !== null && unrecognisedSince > readAt;
  if (observation.source === "poller" && isLeft && view !== null)
    return { ...base, outcome: "stale", rule: "a view of the agent's own covers it" };
  // A rest may be over as soon as the screen does not show it. A turn shows no mark of itself while its text comes.
  const isRestLeft =
    isLeft && isTurnOver(status) && (unrecognisedReadAt ?? 0) - unrecognisedSince >= 2 * timing.contest_ms;
  const isLongLeft = isLeft && at - unrecognisedSince > timing.process_verified_ttl_ms;
  if (observation.source === "poller" && (isRestLeft || isLongLeft))
    return { ...base, outcome: "stale", rule: "the screen changed into something unknown" };
  const claimed: Status = status.state === "completed" && onset === "unknown" ? AT_ITS_PROMPT : status;
  return { ...base, ...context.freshness(claimed, since, since) };
};

const judge = (base: Candidate, observation: ObservationEvidence, context: ResolveContext): Candidate => {
  const { status, since } = observation.signal;
  const { boundary } = context;
  if (status.state === "error" && context.isDismissed(since))
    return {
      ...base,
      ...context.freshness(AT_ITS_PROMPT, since, observation.ingestedAt),
      rule: "the error was dismissed",
    };
  if (
    boundary !== null &&
    since <= boundary.eventTime &&
    !context.holdsAgainst(observation, boundary.eventTime)
  )
    return { ...base, outcome: "retired", rule: "a later turn began or ended" };
  return isWaiting(status.state)
    ? judgeDialog(base, observation, context)
    : judgeOther(base, observation, context);
};

export const observationCandidates = (context: ResolveContext): Candidate[] =>
  [...context.facts.observations.values()].map((observation) => {
    const { status, confidence, since, request } = observation.signal;
    const base: Candidate = {
      evidence: observation,
      lane: "turn",
      status,
      confidence,
      since,
      request,
      requestId: isWaiting(status.state) ? `${observation.source}@${since}` : null,
      outcome: "survives",
      rule: "",
      changesAt: null,
    };
    return judge(base, observation, context);
  });
