// What remains of an action on a pane once it ended: its result, a refusal, or that nobody knows. The same on every surface.
import type { ActionResult } from "../../core/model/actionView.ts";
import type { ActionKind, ActionStatus, Failure } from "./actionStatus.ts";

/** Codes after which it is not known whether the action took place. */
const OPEN_ENDED: ReadonlySet<string | null> = new Set([
  null,
  "E_INTERNAL",
  "E_DAEMON_UNAVAILABLE",
  "E_TARGET_UNREACHABLE",
]);
/** These can be repeated without harm, so an unknown outcome counts as a failure. */
const HARMLESS: ReadonlySet<ActionKind> = new Set(["attach", "dismiss"]);

/** What an action did; null for actions that show nothing when they succeed. */
export type ActionCall = () => Promise<ShownResult | null>;
export type ShownResult = Pick<ActionResult, "outcome" | "detail" | "notes">;

/** Makes the call; never rejects. Null: there is nothing to show. */
export const settleAction = async (
  action: ActionKind,
  call: ActionCall,
  toFailure: (error: unknown) => Failure,
): Promise<ActionStatus | null> => {
  try {
    const result = await call();
    if (result === null) return null;
    return { kind: "done", action, outcome: result.outcome, detail: result.detail, notes: result.notes };
  } catch (error) {
    const failure = toFailure(error);
    const isKnown = HARMLESS.has(action) || !OPEN_ENDED.has(failure.code);
    return { kind: isKnown ? "refused" : "lost", action, failure };
  }
};
