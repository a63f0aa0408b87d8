// From facts to one state: supersession, then freshness, then precedence (docs/architecture.md). Pure: the instant of
// evaluation and what was verified by then (the liveness) are arguments. Every candidate leaves a verdict with the rule that
// decided on it, which is what `explain` prints. The rules themselves are in candidates.ts.
import { isWaiting, precedenceOf, specificityOf, type Status } from "../model/state.ts";
import type { PromptRequest } from "../model/request.ts";
import { likenessOf, type Likeness } from "./dialogOwner.ts";
import {
  type Candidate,
  ResolveContext,
  type ResolveInput,
  observationCandidates,
  requestCandidates,
  turnCandidates,
} from "./candidates.ts";
import type { Liveness, Resolution, Verdict } from "../model/evidence.ts";
import { compareByTime, orderKeyOf } from "./facts.ts";

// Requests: of several that are open, the one whose dialog is on the screen is asked now. The text of another one must never be
// shown above its keys.

const isLane = ({ evidence, outcome }: Candidate): boolean =>
  outcome === "survives" && evidence.signal.kind === "request";

const hasKey = ({ evidence: { signal } }: Candidate): boolean =>
  signal.kind === "request" && signal.requestKey !== null;

/** A reading of a dialog that says something about its text. */
const dialogOf = (candidates: readonly Candidate[]): Candidate | null =>
  candidates.find(
    ({ evidence, outcome, status, request }) =>
      outcome === "survives" &&
      evidence.source === "poller" &&
      isWaiting(status.state) &&
      request !== null &&
      (request.body !== null || request.options.length > 0),
  ) ?? null;

/** The dialog may not have been drawn yet when the screen was read last. */
const isUndrawn = ({ evidence }: Candidate, readAt: number): boolean =>
  evidence.signal.kind === "request" && evidence.eventTime + evidence.signal.dialogGraceMs > readAt;

/** What it asks, to the letter where that is known. */
const requestOf = ({ evidence, request }: Candidate, { asked }: ResolveContext): PromptRequest | null =>
  asked.byEvent.get(evidence.eventId) ?? request;

/** The same of the dialog on the screen. */
const drawnBy = ({ request }: Candidate, { asked }: ResolveContext): PromptRequest | null =>
  request === null ? null : (asked.poller ?? request);

/** How surely a request is the one that is drawn. */
const SURE: Readonly<Record<Likeness, number>> = { none: 0, bare: 1, likely: 2, letter: 3 };
const sureness = (one: Candidate, seen: PromptRequest, context: ResolveContext): number => {
  const request = requestOf(one, context);
  return request === null ? SURE.none : SURE[likenessOf(request, seen)];
};

/** When the request that this dialog draws was answered; null where none of those that were answered is it. */
const answeredAt = (
  candidates: readonly Candidate[],
  seen: PromptRequest,
  context: ResolveContext,
): number | null => {
  const times = candidates.flatMap((one) => {
    const { answeredAt: at = null } = one;
    return at !== null && sureness(one, seen, context) > SURE.none ? [at] : [];
  });
  return times.length === 0 ? null : Math.max(...times);
};

/** A dialog that was answered is in the last reading until the screen is read again: it is not asked again. */
const withoutAnswered = (candidates: readonly Candidate[], context: ResolveContext): Candidate[] => {
  const dialog = dialogOf(candidates);
  const seen = dialog === null ? null : drawnBy(dialog, context);
  if (dialog?.evidence.signal.kind !== "observation" || seen === null) return [...candidates];
  const { signal } = dialog.evidence;
  const at = answeredAt(candidates, seen, context);
  const goneBy = (at ?? 0) + context.timing.contest_ms;
  if (at === null || context.readUntil({ ...dialog.evidence, signal }) > goneBy) return [...candidates];
  const answered = {
    outcome: "retired",
    rule: "it was answered a moment ago",
    changesAt: goneBy + 1,
  } as const;
  return candidates.map((one) => (one === dialog ? { ...one, ...answered } : one));
};

/**
 * An open request loses to the dialog on the screen when that dialog belongs more surely to another request, or to none that was
 * announced.
 */
const chooseShown = (all: readonly Candidate[], context: ResolveContext): Candidate[] => {
  const candidates = withoutAnswered(all, context);
  const dialog = dialogOf(candidates);
  const seen = dialog === null ? null : drawnBy(dialog, context);
  if (dialog === null || seen === null || dialog.evidence.signal.kind !== "observation") return candidates;
  const { signal } = dialog.evidence;
  const readAt = context.readUntil({ ...dialog.evidence, signal });
  const lanes = new Map(
    candidates.filter(isLane).map((one) => {
      const sure = sureness(one, seen, context);
      // What repeats a request says less of it.
      return [one, sure === SURE.none || !hasKey(one) ? sure : sure + 0.5];
    }),
  );
  const most = Math.max(SURE.none, ...lanes.values());
  const isShown = (one: Candidate): boolean =>
    most === SURE.none ? isUndrawn(one, readAt) : lanes.get(one) === most;
  return candidates.map((one): Candidate =>
    !isLane(one) || isShown(one) ? one : { ...one, outcome: "lost", rule: "another dialog is on the screen" },
  );
};

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
 * Resolves the state of one live runtime at an instant. A target that is down and a suspended process short-circuit to `unknown`.
 * The winner is the most urgent candidate that survives supersession, contests, confirmation and freshness; none means `unknown`.
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
