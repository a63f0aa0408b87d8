// Candidates from the agents' own events: what the newest event of each source says of the turn.
import type { ActivityEvidence, ObservationEvidence } from "../facts.ts";
import { compareByTime, orderKeyOf } from "../order.ts";
import type { Status } from "../../model/state.ts";
import { AT_ITS_PROMPT, type Candidate } from "./candidate.ts";
import { isContradicted, isTurnOver, type ResolveContext } from "./resolveContext.ts";

const THINKING: Status = { state: "running", reasonCode: "thinking" };

/** A turn's age counts from its prompt, whatever tools ran since. */
const startOf = (turn: ActivityEvidence, status: Status, { boundary }: ResolveContext): number =>
  status.state === "running" &&
  boundary?.signal.status?.state === "running" &&
  boundary.eventTime <= turn.eventTime
    ? boundary.eventTime
    : turn.eventTime;

/** A sustained reading that speaks against the event; null when none does. */
const contestant = (turn: ActivityEvidence, context: ResolveContext): ObservationEvidence | null => {
  for (const observation of context.facts.observations.values()) {
    if (
      isContradicted(turn, observation) &&
      !context.isDismissed(observation.signal.since) &&
      context.holdsAgainst(observation, turn.eventTime)
    )
      return observation;
  }
  return null;
};

/**
 * So long the screen may tell how a turn ended whose event is not sure of it: longer than a reading from before the event needs
 * to contradict it, by one more look.
 */
const unsureMs = ({ timing }: ResolveContext): number => 3 * timing.contest_ms + 100;

/** When it is decided how the turn ended; null where that is decided: the event is sure, or the screen agrees or is not read. */
const unsureUntil = (turn: ActivityEvidence, context: ResolveContext): number | null => {
  const { at, liveness, facts, timing } = context;
  const until = turn.eventTime + unsureMs(context);
  if (turn.signal.confidence === "high" || !liveness.screenReadable || at >= until) return null;
  const shown = facts.observations.get("poller");
  if (shown === undefined) return until;
  // One picture of its end may follow another: what counts is that the end is still shown a while after the event. An end that
  // speaks against the event is still to hold as long.
  const isEndShown = isTurnOver(shown.signal.status) && !isContradicted(turn, shown);
  return isEndShown && context.readUntil(shown) - turn.eventTime >= timing.contest_ms ? null : until;
};

const judge = (base: Candidate, turn: ActivityEvidence, context: ResolveContext): Candidate => {
  const { status } = base;
  const { boundary, facts } = context;
  const key = orderKeyOf(turn);
  if (boundary !== null && compareByTime(key, orderKeyOf(boundary)) < 0)
    return { ...base, outcome: "retired", rule: "a later turn began or ended" };
  if (status.state === "error" && context.isDismissed(turn.eventTime))
    return {
      ...base,
      ...context.freshness(AT_ITS_PROMPT, turn.eventTime, turn.ingestedAt),
      rule: "the error was dismissed",
    };
  if (status.state === "running" && facts.settled !== null && compareByTime(facts.settled, key) > 0) {
    const { eventTime, ingestedAt } = facts.settled;
    return {
      ...base,
      since: eventTime,
      ...context.freshness(AT_ITS_PROMPT, eventTime, ingestedAt),
      rule: "the agent said that it sits at its prompt",
    };
  }
  const against = contestant(turn, context);
  if (against !== null)
    return {
      ...base,
      outcome: "contested",
      rule: `the ${against.source} has shown ${against.signal.status.state} since`,
    };
  if (isTurnOver(status) && context.wasRunningAfter(turn))
    return { ...base, outcome: "retired", rule: "a later turn was seen on the screen" };
  if (context.goneDialogAt !== null && turn.eventTime <= context.goneDialogAt)
    return { ...base, outcome: "stale", rule: "what followed the dialog that has gone is not known" };
  return { ...base, ...context.freshness(status, turn.eventTime, turn.ingestedAt) };
};

export const turnCandidates = (context: ResolveContext): Candidate[] =>
  [...context.facts.turns.values()].flatMap((turn) => {
    const { status, confidence } = turn.signal;
    if (status === null) return [];
    const base: Candidate = {
      evidence: turn,
      lane: "turn",
      status,
      confidence,
      since: startOf(turn, status, context),
      request: null,
      requestId: null,
      outcome: "survives",
      rule: "",
      changesAt: null,
    };
    const judged = judge(base, turn, context);
    const until =
      judged.outcome === "survives" && isTurnOver(judged.status) ? unsureUntil(turn, context) : null;
    if (until === null) return [judged];
    return [
      { ...judged, outcome: "unconfirmed", rule: "this event does not say how its turn ended" },
      { ...base, status: THINKING, rule: "the screen has to say how the turn ended", changesAt: until },
    ];
  });
