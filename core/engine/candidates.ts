// The candidates for the state of a runtime, each with its verdict: what every rule needs (`ResolveContext`), then candidates from
// the newest events of a turn, from open requests, and from sampled readings. Pure; made again for each resolution. Which
// candidate wins is decided in resolve.ts.
import type { PromptRequest } from "../model/request.ts";
import { type Verdict, ROOT_AGENT, type Liveness } from "../model/evidence.ts";
import { type Confidence, type Status, isWaiting } from "../model/state.ts";
import {
  type ActivityEvidence,
  type ObservationEvidence,
  type RequestEvidence,
  type Facts,
  compareByTime,
  orderKeyOf,
} from "./facts.ts";
import type { Timing } from "../model/config.ts";
import { requestLanes } from "./requests.ts";

export interface Candidate {
  evidence: ActivityEvidence | RequestEvidence | ObservationEvidence;
  lane: string;
  status: Status;
  confidence: Confidence;
  since: number;
  request: PromptRequest | null;
  requestId: string | null;
  /** Of a request: when it was answered, epoch ms; absent where that is not known. */
  answeredAt?: number | null;
  outcome: Verdict["outcome"] | "survives";
  rule: string;
  /** When time alone will change this candidate, or null. */
  changesAt: number | null;
}

/** What the person should see of a finished turn that is no longer fresh, and of an error that was dismissed. */
const AT_ITS_PROMPT: Status = { state: "idle", reasonCode: "demoted" };

export interface ResolveInput {
  facts: Facts;
  liveness: Liveness;
  /** Instant of evaluation, epoch ms. */
  at: number;
  timing: Timing;
  /** What is asked, to the letter, as far as this run of the daemon has heard it; absent: only what is stored is known. */
  asked?: Asked;
}

/** By the event that opened a request, and as the screen was read last. */
interface Asked {
  byEvent: ReadonlyMap<string, PromptRequest>;
  poller?: PromptRequest | null;
}

/** A dialog is gone when two captures this far apart do not show it: a single one may be of a half-drawn frame. */
const DIALOG_GONE_MS = 300;

export const isTurnOver = (status: Status): boolean =>
  status.state === "completed" || status.state === "idle" || status.state === "error";

/**
 * Some events are not sure how their turn ended (medium confidence: the same event follows an answer, an interrupt and a cut
 * stream). A reading that positively shows a failure or an interrupt overrules such an event.
 */
const knowsTheEnd = (shown: ObservationEvidence["signal"], told: ActivityEvidence["signal"]): boolean =>
  told.confidence !== "high" &&
  shown.confidence === "high" &&
  (shown.status.state === "error" || shown.status.reasonCode === "interrupted") &&
  shown.status.state !== told.status?.state;

/**
 * Whether a reading contradicts the event about the turn: one says that it runs and the other that it is over, or the
 * reading says more about how it ended.
 */
const isContradicted = (turn: ActivityEvidence, observation: ObservationEvidence): boolean => {
  const [told, shown] = [turn.signal, observation.signal];
  if (told.status === null) return false;
  return isTurnOver(told.status)
    ? shown.status.state === "running" || knowsTheEnd(shown, told)
    : isTurnOver(shown.status);
};

export class ResolveContext {
  readonly facts: Facts;
  readonly liveness: Liveness;
  readonly at: number;
  readonly timing: Timing;
  readonly asked: Asked;
  /** When the root agent's newest turn or session began or ended; null before the first. */
  readonly boundary: ActivityEvidence | null;
  /** Newest activity with a status, of any source. */
  readonly newestTurn: ActivityEvidence | null;

  constructor({ facts, liveness, at, timing, asked = { byEvent: new Map() } }: ResolveInput) {
    this.facts = facts;
    this.liveness = liveness;
    this.at = at;
    this.timing = timing;
    this.asked = asked;
    this.boundary = facts.boundaries.get(ROOT_AGENT) ?? null;
    let newest: ActivityEvidence | null = null;
    for (const turn of facts.turns.values())
      if (newest === null || compareByTime(orderKeyOf(turn), orderKeyOf(newest)) > 0) newest = turn;
    this.newestTurn = newest;
  }

  get isProcessFresh(): boolean {
    const { processVerifiedAt } = this.liveness;
    return processVerifiedAt !== null && this.at - processVerifiedAt <= this.timing.process_verified_ttl_ms;
  }

  private get processStaleAt(): number | null {
    const { processVerifiedAt } = this.liveness;
    return processVerifiedAt === null ? null : processVerifiedAt + this.timing.process_verified_ttl_ms + 1;
  }

  /** The latest read that equals this observation. */
  readUntil(observation: ObservationEvidence): number {
    const { source } = observation;
    const read = source === "poller" || source === "transcript" ? this.liveness.observedAt[source] : null;
    return Math.max(observation.eventTime, read ?? 0);
  }

  /**
   * True when a reading has held since `pivot`. One that began before it may be an old screen, not drawn again yet: it must hold
   * for twice as long. `wasRunningAfter` retires an event after the same time, so that no moment of `unknown` lies in between.
   */
  holdsAgainst(observation: ObservationEvidence, pivot: number): boolean {
    const { since } = observation.signal;
    const readUntil = this.readUntil(observation);
    const { contest_ms } = this.timing;
    return since > pivot ? readUntil - since >= contest_ms : readUntil - pivot > 2 * contest_ms;
  }

  /** True when the screen kept showing a turn in progress after `turn`: that event is outdated. */
  wasRunningAfter(turn: ActivityEvidence): boolean {
    return this.facts.runningSeenAt > turn.eventTime + 2 * this.timing.contest_ms;
  }

  /**
   * When the screen last showed a dialog, where later captures show neither it nor anything else that is known; null where the
   * last known picture is no dialog, or may still be there.
   */
  get goneDialogAt(): number | null {
    const { unrecognisedSince, unrecognisedReadAt } = this.liveness;
    const shown = this.facts.observations.get("poller");
    if (shown === undefined || !isWaiting(shown.signal.status.state)) return null;
    const seenAt = this.readUntil(shown);
    if (unrecognisedSince === null || unrecognisedReadAt === null || unrecognisedSince <= seenAt) return null;
    return unrecognisedReadAt - unrecognisedSince >= DIALOG_GONE_MS ? seenAt : null;
  }

  /** True while the screen shows the end of a turn that still runs by the agent's own event, but has not shown it long enough. */
  private get isEndDoubted(): boolean {
    const shown = this.facts.observations.get("poller");
    const turn = this.newestTurn;
    if (shown === undefined || turn === null || !isTurnOver(shown.signal.status)) return false;
    return isContradicted(turn, shown) && !this.holdsAgainst(shown, turn.eventTime);
  }

  /**
   * When the screen last showed the dialog that two later captures do not show, whatever they show instead; null if it may still
   * be there. Where they show that the turn is over, the dialog ends with the turn: otherwise it would run once more in between.
   */
  get dialogLeftAt(): number | null {
    const { dialogLeft } = this.liveness;
    if (dialogLeft === null) return null;
    const goneFor = dialogLeft.readAt - dialogLeft.since;
    const isDoubted = goneFor <= 2 * this.timing.contest_ms && this.isEndDoubted;
    return goneFor >= DIALOG_GONE_MS && !isDoubted ? dialogLeft.seenAt : null;
  }

  /** True when a person dismissed the row after this began. */
  isDismissed(beganAt: number): boolean {
    return this.facts.dismissed !== null && beganAt <= this.facts.dismissed.eventTime;
  }

  /** Freshness of a status that began at `startedAt` and was learned at `ingestedAt`. */
  freshness(
    status: Status,
    startedAt: number,
    ingestedAt: number,
  ): Pick<Candidate, "status" | "outcome" | "rule" | "changesAt"> {
    const { at, timing } = this;
    if (status.state === "running") {
      const keepAliveAt = Math.max(this.facts.keepAliveAt, this.liveness.keepAliveAt ?? 0);
      const staleAt = keepAliveAt + timing.running_ttl_ms;
      return at > staleAt
        ? { status, outcome: "stale", rule: "no sign of life within the running time-out", changesAt: null }
        : { status, outcome: "survives", rule: "a turn is in progress", changesAt: staleAt + 1 };
    }
    if (!this.isProcessFresh)
      return {
        status,
        outcome: "stale",
        rule: "the agent's process was not verified lately",
        changesAt: null,
      };
    if (status.state === "completed") {
      const demotesAt = Math.min(startedAt, ingestedAt) + timing.completed_demotion_ms;
      return at >= demotesAt
        ? {
            status: AT_ITS_PROMPT,
            outcome: "survives",
            rule: "the finished turn is no longer fresh",
            changesAt: this.processStaleAt,
          }
        : {
            status,
            outcome: "survives",
            rule: "the last turn ended",
            changesAt: Math.min(demotesAt, this.processStaleAt ?? demotesAt),
          };
    }
    return {
      status,
      outcome: "survives",
      rule: "the process lives, and nothing has changed since",
      changesAt: this.processStaleAt,
    };
  }
}

// Turns: candidates from the newest events, and how long the screen may say how a turn ended.

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
 * How long the screen may say how a turn ended whose event is not sure of it: what a reading from before the event needs to
 * contradict it, and one more capture.
 */
const unsureMs = ({ timing }: ResolveContext): number => 3 * timing.contest_ms + 100;

/** When it will be decided how the turn ended; null where it is: the event is sure, or the screen agrees or is not read. */
const unsureUntil = (turn: ActivityEvidence, context: ResolveContext): number | null => {
  const { at, liveness, facts, timing } = context;
  const until = turn.eventTime + unsureMs(context);
  if (turn.signal.confidence === "high" || !liveness.screenReadable || at >= until) return null;
  const shown = facts.observations.get("poller");
  if (shown === undefined) return until;
  // One picture of the end may follow another: what counts is that an end is still shown a while after the event. One that
  // contradicts the event has still to hold.
  const isEndShown = isTurnOver(shown.signal.status) && !isContradicted(turn, shown);
  return isEndShown && context.readUntil(shown) - turn.eventTime >= timing.contest_ms ? null : until;
};

const judgeTurn = (base: Candidate, turn: ActivityEvidence, context: ResolveContext): Candidate => {
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
    const judged = judgeTurn(base, turn, context);
    const until =
      judged.outcome === "survives" && isTurnOver(judged.status) ? unsureUntil(turn, context) : null;
    if (until === null) return [judged];
    return [
      { ...judged, outcome: "unconfirmed", rule: "this event does not say how its turn ended" },
      { ...base, status: THINKING, rule: "the screen has to say how the turn ended", changesAt: until },
    ];
  });

// Open requests: permission dialogs and questions, each until it is answered, contested or too old.

/** The latest read that showed a dialog, and the latest of a reading that has held and shows none. */
const lastReads = (context: ResolveContext): { dialogAt: number; noDialogAt: number } => {
  let dialogAt = context.facts.waitingSeenAt;
  let noDialogAt = 0;
  for (const observation of context.facts.observations.values()) {
    const readAt = context.readUntil(observation);
    if (isWaiting(observation.signal.status.state)) dialogAt = Math.max(dialogAt, readAt);
    else if (readAt - observation.signal.since >= context.timing.contest_ms)
      noDialogAt = Math.max(noDialogAt, readAt);
  }
  return { dialogAt, noDialogAt };
};

const toCandidate = (lane: string, open: RequestEvidence): Candidate => ({
  evidence: open,
  lane,
  status: open.signal.status,
  confidence: open.signal.confidence,
  since: open.eventTime,
  request: open.signal.request,
  requestId: `${lane}@${open.eventId}`,
  outcome: "survives",
  rule: "the agent asked and nothing has answered yet",
  changesAt: null,
});

const judgeRequest = (
  base: Candidate,
  open: RequestEvidence,
  dialogAt: number,
  context: ResolveContext,
): Candidate => {
  const { at, liveness, timing } = context;
  const isConfirmed = dialogAt >= open.eventTime;
  const graceEndsAt = open.eventTime + open.signal.dialogGraceMs;
  if (open.signal.needsConfirmation && !isConfirmed && (liveness.screenReadable || at < graceEndsAt))
    return {
      ...base,
      outcome: "unconfirmed",
      rule: "this event over-fires and the dialog was not seen",
      changesAt: graceEndsAt,
    };
  if (context.dialogLeftAt !== null && open.eventTime <= context.dialogLeftAt)
    return { ...base, outcome: "contested", rule: "the screen does not show the dialog any more" };
  if (liveness.processVerifiedAt === null)
    return { ...base, outcome: "stale", rule: "the agent's process was not verified yet" };
  // As long as the agent's own file has no result of a call, nobody has answered, or what was allowed goes on.
  const confirmedAt = Math.max(
    Math.min(open.eventTime, open.ingestedAt),
    isConfirmed ? dialogAt : 0,
    liveness.undecidedAt ?? 0,
  );
  const staleAt = confirmedAt + timing.waiting_unconfirmed_ttl_ms;
  if (at > staleAt)
    return { ...base, outcome: "stale", rule: "the dialog was neither seen nor answered for too long" };
  const weakensAt = confirmedAt + timing.process_verified_ttl_ms;
  if (at <= weakensAt) return { ...base, changesAt: weakensAt + 1 };
  return {
    ...base,
    confidence: base.confidence === "high" ? "medium" : base.confidence,
    changesAt: staleAt + 1,
  };
};

export const requestCandidates = (context: ResolveContext): Candidate[] => {
  const { dialogAt, noDialogAt } = lastReads(context);
  return requestLanes(context.facts, noDialogAt).flatMap((lane): Candidate[] => [
    ...lane.contested.map((open): Candidate => ({
      ...toCandidate(lane.name, open),
      outcome: "contested",
      rule: "the screen positively shows something else",
    })),
    ...lane.answered.map((open): Candidate => ({
      ...toCandidate(lane.name, open),
      answeredAt: lane.answeredAt,
      outcome: "retired",
      rule: "it was answered",
    })),
    ...lane.unanswered.map((open) => judgeRequest(toCandidate(lane.name, open), open, dialogAt, context)),
  ]);
};

// Sampled readings: what a screen or a state file positively shows.

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
    rule:
      observation.source === "poller"
        ? "the dialog is on the screen"
        : "the agent's own file says that it waits",
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

/** Another source, read since, which knows that the person stopped the turn that this one takes for finished. */
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
  const { unrecognisedSince, unrecognisedReadAt, view, undecidedAt } = liveness;
  if (observation.source === "transcript" && undecidedAt !== null && undecidedAt > readAt)
    return { ...base, outcome: "stale", rule: "the agent's own file does not tell it any more" };
  const isLeft = unrecognisedSince !== null && unrecognisedSince > readAt;
  if (observation.source === "poller" && isLeft && view !== null)
    return { ...base, outcome: "stale", rule: "a view of the agent's own covers it" };
  // An idle prompt may be over as soon as the screen does not show it. A turn shows no sign of itself while its text arrives.
  const isRestLeft =
    isLeft && isTurnOver(status) && (unrecognisedReadAt ?? 0) - unrecognisedSince >= 2 * timing.contest_ms;
  const isLongLeft = isLeft && at - unrecognisedSince > timing.process_verified_ttl_ms;
  if (observation.source === "poller" && (isRestLeft || isLongLeft))
    return { ...base, outcome: "stale", rule: "the screen changed into something unknown" };
  const claimed: Status = status.state === "completed" && onset === "unknown" ? AT_ITS_PROMPT : status;
  return { ...base, ...context.freshness(claimed, since, since) };
};

const judgeObservation = (
  base: Candidate,
  observation: ObservationEvidence,
  context: ResolveContext,
): Candidate => {
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
    return judgeObservation(base, observation, context);
  });
