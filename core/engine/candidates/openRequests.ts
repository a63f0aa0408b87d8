// Candidates from open requests: permission dialogs and questions, each until it is answered, contested or too old.
import type { RequestEvidence } from "../facts.ts";
import { isWaiting } from "../../model/state.ts";
import { requestLanes } from "../requests.ts";
import type { Candidate } from "./candidate.ts";
import type { ResolveContext } from "./resolveContext.ts";

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

const judge = (
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
  const confirmedAt = Math.max(Math.min(open.eventTime, open.ingestedAt), isConfirmed ? dialogAt : 0);
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
    ...lane.unanswered.map((open) => judge(toCandidate(lane.name, open), open, dialogAt, context)),
  ]);
};
