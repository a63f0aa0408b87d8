// From facts to one state: supersession, then freshness, then precedence (docs/architecture.md). Pure: the instant of
// evaluation and what was verified by then (the liveness) are arguments. Every candidate leaves a verdict with the rule that
// decided on it, which is what `explain` prints. The rules themselves are in candidates/.
import { isWaiting, precedenceOf, specificityOf, type Status } from "../model/state.ts";
import type { Liveness, Resolution, Verdict } from "../model/resolution.ts";
import { compareByTime, orderKeyOf } from "./order.ts";
import type { Candidate } from "./candidates/candidate.ts";
import { chooseShown } from "./candidates/chooseShown.ts";
import { observationCandidates } from "./candidates/observations.ts";
import { requestCandidates } from "./candidates/openRequests.ts";
import { ResolveContext, type ResolveInput } from "./candidates/resolveContext.ts";
import { turnCandidates } from "./candidates/turns.ts";

/** Trust between sources that say the same: the agent's own event first. */
const SOURCE_RANK = ["hook", "notify", "wrapper", "transcript", "poller", "reconciler"];

/** A total order, so that the answer does not depend on the order in which the candidates became known. */
const byTrust = (a: Candidate, b: Candidate): number =>
  precedenceOf(a.status.state) - precedenceOf(b.status.state) ||
  SOURCE_RANK.indexOf(a.evidence.source) - SOURCE_RANK.indexOf(b.evidence.source) ||
  compareByTime(orderKeyOf(a.evidence), orderKeyOf(b.evidence));

/** True when `a` says the same state as `b`, but more precisely and not earlier. */
const refines = (a: Candidate, b: Candidate): boolean =>
  a.status.state === b.status.state &&
  specificityOf(a.status) > specificityOf(b.status) &&
  a.evidence.eventTime >= b.evidence.eventTime;

/**
 * Among equals by precedence: the most trusted source, of one source the older fact (it waited longer); then whatever
 * refines it.
 */
const best = (candidates: readonly Candidate[]): Candidate | null => {
  const [first = null, ...others] = candidates.toSorted(byTrust);
  let top = first;
  for (const other of others) if (top !== null && refines(other, top)) top = other;
  return top;
};

/**
 * The candidate that knows what is asked: the winner, or, if the winner only knows that something is asked, another one that
 * sees the text.
 */
const askedBy = (winner: Candidate, eligible: readonly Candidate[]): Candidate => {
  if (winner.request !== null || !isWaiting(winner.status.state)) return winner;
  const seen = eligible.filter(
    ({ status, request }) => request !== null && status.state === winner.status.state,
  );
  return best(seen) ?? winner;
};

const toVerdict = (candidate: Candidate, winner: Candidate | null): Verdict => ({
  eventId: candidate.evidence.eventId,
  source: candidate.evidence.source,
  eventType: candidate.evidence.eventType,
  lane: candidate.lane,
  status: candidate.status,
  confidence: candidate.confidence,
  eventTime: candidate.evidence.eventTime,
  outcome: candidate === winner ? "won" : candidate.outcome === "survives" ? "lost" : candidate.outcome,
  rule:
    candidate === winner || candidate.outcome !== "survives"
      ? candidate.rule
      : "a more urgent or more specific signal took priority",
  matched: candidate.evidence.signal.kind === "observation" ? candidate.evidence.signal.matched : null,
});

/** A dialog that one observing source shows while another one positively shows none. */
const isDisputedDialog = ({ outcome, status, evidence }: Candidate): boolean =>
  outcome === "unconfirmed" && isWaiting(status.state) && evidence.signal.kind === "observation";

const unknownReason = (
  candidates: readonly Candidate[],
  liveness: Liveness,
): {
  reasonCode: Extract<Status, { state: "unknown" }>["reasonCode"];
  rule: string;
} => {
  if (liveness.targetHealth === "down")
    return { reasonCode: "target_unreachable", rule: "the target is down" };
  if (liveness.isSuspended)
    return { reasonCode: "suspended", rule: "the agent's process is suspended: type fg in its pane" };
  if (candidates.some(isDisputedDialog))
    return { reasonCode: "conflicting_signals", rule: "two sources positively show different things" };
  if (liveness.view !== null)
    return { reasonCode: "in_menu", rule: `a view of the agent's own is open: ${liveness.view}` };
  if (liveness.unrecognisedSince !== null)
    return { reasonCode: "unsupported_signal", rule: "the screen shows nothing that the adapter knows" };
  if (candidates.some((candidate) => candidate.outcome === "stale"))
    return { reasonCode: "stale_signal", rule: "every candidate is stale" };
  return { reasonCode: "no_signal", rule: "no signal has told the state yet" };
};

/**
 * Resolves the state of one live runtime at an instant. A target that is down, and a suspended process, short-circuit to unknown. The winner is the
 * most urgent of the candidates that survive supersession, contests, confirmation and freshness; none means `unknown`.
 */
export const resolve = (input: ResolveInput): Resolution => {
  const context = new ResolveContext(input);
  const candidates = chooseShown(
    [...turnCandidates(context), ...observationCandidates(context), ...requestCandidates(context)],
    context,
  );
  const { targetHealth, isSuspended } = input.liveness;
  const isDown = targetHealth === "down";
  const survivors = candidates.filter((candidate) => candidate.outcome === "survives");
  // It is disputed whether a dialog is open: then only another open dialog is certain.
  const eligible = candidates.some(isDisputedDialog)
    ? survivors.filter((candidate) => isWaiting(candidate.status.state))
    : survivors;
  const winner = isDown || isSuspended ? null : best(eligible);
  const changes = candidates.flatMap((candidate) =>
    candidate.changesAt === null ? [] : [candidate.changesAt],
  );
  const nextCheckAt = changes.length === 0 ? null : Math.min(...changes);
  const verdicts = candidates.toSorted(byTrust).map((candidate) => toVerdict(candidate, winner));
  if (winner === null) {
    const { reasonCode, rule } = unknownReason(candidates, input.liveness);
    const newest = Math.max(0, ...candidates.map((candidate) => candidate.evidence.eventTime));
    return {
      status: { state: "unknown", reasonCode },
      confidence: "low",
      since: newest === 0 ? input.at : newest,
      requestId: null,
      request: null,
      rule,
      verdicts,
      nextCheckAt,
    };
  }
  const { requestId, request } = askedBy(winner, eligible);
  return {
    status: winner.status,
    confidence: winner.confidence,
    since: winner.since,
    requestId,
    request,
    rule: winner.rule,
    verdicts,
    nextCheckAt,
  };
};
