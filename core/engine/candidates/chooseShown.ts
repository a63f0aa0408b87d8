// When several requests are open, the one whose dialog is on the screen is asked now: the text of another one must never be
// shown above its keys.
import { isWaiting } from "../../model/state.ts";
import type { PromptRequest } from "../../model/request.ts";
import { likenessOf, type Likeness } from "../dialogOwner.ts";
import type { Candidate } from "./candidate.ts";
import type { ResolveContext } from "./resolveContext.ts";

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

/** A dialog that was answered stands in the last reading until the screen is read again: it is not asked again. */
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
 * An open request loses to the dialog on the screen when that dialog belongs more surely to another request, or was not announced by
 * any.
 */
export const chooseShown = (all: readonly Candidate[], context: ResolveContext): Candidate[] => {
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
