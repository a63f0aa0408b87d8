// When several requests are open, the one whose dialog is on the screen is asked now: the text of another one must never be
// shown above its keys.
import { isWaiting } from "../../model/state.ts";
import type { PromptRequest } from "../../model/request.ts";
import { mayBeSamePrompt } from "../samePrompt.ts";
import type { Candidate } from "./candidate.ts";
import type { ResolveContext } from "./resolveContext.ts";

const isLane = ({ evidence, outcome }: Candidate): boolean =>
  outcome === "survives" && evidence.signal.kind === "request";

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

/** When the request that this dialog draws was answered; null where none of those that were answered is it. */
const answeredAt = (candidates: readonly Candidate[], seen: PromptRequest): number | null => {
  const times = candidates.flatMap(({ answeredAt: at = null, request }) =>
    at !== null && request !== null && mayBeSamePrompt(request, seen) ? [at] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
};

/** A dialog that was answered stands in the last reading until the screen is read again: it is not asked again. */
const withoutAnswered = (candidates: readonly Candidate[], context: ResolveContext): Candidate[] => {
  const dialog = dialogOf(candidates);
  if (dialog?.evidence.signal.kind !== "observation" || dialog.request === null) return [...candidates];
  const { signal } = dialog.evidence;
  const at = answeredAt(candidates, dialog.request);
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
 * An open request loses to the dialog on the screen when that dialog belongs to another request, or was not announced by any.
 */
export const chooseShown = (all: readonly Candidate[], context: ResolveContext): Candidate[] => {
  const candidates = withoutAnswered(all, context);
  const dialog = dialogOf(candidates);
  const seen = dialog?.request ?? null;
  if (dialog === null || seen === null || dialog.evidence.signal.kind !== "observation") return candidates;
  const { signal } = dialog.evidence;
  const readAt = context.readUntil({ ...dialog.evidence, signal });
  const fits = (one: Candidate): boolean => one.request !== null && mayBeSamePrompt(one.request, seen);
  const isShown = candidates.some((one) => isLane(one) && fits(one));
  return candidates.map((one): Candidate =>
    !isLane(one) || fits(one) || (!isShown && isUndrawn(one, readAt))
      ? one
      : { ...one, outcome: "lost", rule: "another dialog is on the screen" },
  );
};
