// A candidate for the state of a runtime, and what every rule needs to know of it: the facts, what was verified, and the time.
// Pure; made again for each resolution.
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
export const AT_ITS_PROMPT: Status = { state: "idle", reasonCode: "demoted" };

// What every rule needs to know: the facts, what was verified, and the time. Pure; made again for each resolution.

export interface ResolveInput {
  facts: Facts;
  liveness: Liveness;
  /** Instant of evaluation, epoch ms. */
  at: number;
  timing: Timing;
  /** What is asked, to the letter, as far as this life of the daemon was told it; absent: only what is stored is known. */
  asked?: Asked;
}

/** By the event that opened a request, and as the screen was read last. */
interface Asked {
  byEvent: ReadonlyMap<string, PromptRequest>;
  poller?: PromptRequest | null;
}

/** A dialog that two looks so far apart do not find is gone: one of them may have met a frame that was half drawn. */
const DIALOG_GONE_MS = 300;

/** The turn ended, one way or the other. */
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
export const isContradicted = (turn: ActivityEvidence, observation: ObservationEvidence): boolean => {
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
   * True when a reading has held since `pivot`. One that began before it may be an undrawn screen: it must hold for twice as long,
   * which is when it retires an event too (`wasRunningAfter`), so that the one follows the other without a moment of `unknown`.
   */
  holdsAgainst(observation: ObservationEvidence, pivot: number): boolean {
    const { since } = observation.signal;
    const readUntil = this.readUntil(observation);
    const { contest_ms } = this.timing;
    return since > pivot ? readUntil - since >= contest_ms : readUntil - pivot > 2 * contest_ms;
  }

  /** True when the screen kept showing a turn in progress after `turn`: that event is no longer the present. */
  wasRunningAfter(turn: ActivityEvidence): boolean {
    return this.facts.runningSeenAt > turn.eventTime + 2 * this.timing.contest_ms;
  }

  /**
   * When the screen last showed the dialog that later looks do not find, nor anything else that is known; null where the last
   * known picture is no dialog, or may still be there.
   */
  get goneDialogAt(): number | null {
    const { unrecognisedSince, unrecognisedReadAt } = this.liveness;
    const shown = this.facts.observations.get("poller");
    if (shown === undefined || !isWaiting(shown.signal.status.state)) return null;
    const seenAt = this.readUntil(shown);
    if (unrecognisedSince === null || unrecognisedReadAt === null || unrecognisedSince <= seenAt) return null;
    return unrecognisedReadAt - unrecognisedSince >= DIALOG_GONE_MS ? seenAt : null;
  }

  /** True while the screen shows the end of a turn which the agent's own event has going on, and has not shown it long enough. */
  private get isEndDoubted(): boolean {
    const shown = this.facts.observations.get("poller");
    const turn = this.newestTurn;
    if (shown === undefined || turn === null || !isTurnOver(shown.signal.status)) return false;
    return isContradicted(turn, shown) && !this.holdsAgainst(shown, turn.eventTime);
  }

  /**
   * When the screen last showed the dialog that two later looks do not find, whatever they found instead; null if it may still be
   * there. Where they show that the turn is over, the dialog ends with the turn: otherwise it would run once more in between.
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
