// Results of actions, and the keys under which an action is done once: whoever repeats one gets the result of the first. A
// key is free again when nothing was sent under it.
import { actionResultSchema, type ActionOutcome, type ActionResult } from "../model/actionView.ts";
import { SCHEMA_VERSION } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { ActionTurn } from "./audit.ts";

type Action = ActionResult["action"];
type TurnSubject = Pick<ActionTurn, "actionId" | "prepared">;

interface Report {
  outcome: ActionOutcome;
  detail: string;
  notes?: string[];
}

export const toResult = (
  action: Action,
  { actionId, prepared: { subject, snapshot } }: TurnSubject,
  { outcome, detail, notes = [] }: Report,
  isRepeat = false,
): ActionResult => ({
  schema_version: SCHEMA_VERSION,
  action_id: actionId,
  action,
  pane_ref: subject.paneRef,
  runtime_id: snapshot.runtimeId,
  snapshot_id: snapshot.snapshotId,
  outcome,
  detail,
  notes,
  is_repeat: isRepeat,
});

/** `scope`: what the key is about; `key` null: it may be done as often as it is asked for. */
export interface IdempotencyKey {
  scope: string;
  key: string | null;
}

/** Told by the action, so that a failure before its first key leaves the key free. */
export interface KeyPresses {
  onFirstKey(): void;
  onNothingSent(): void;
}

export interface Idempotency {
  run(
    action: Action,
    turn: TurnSubject,
    once: IdempotencyKey,
    work: (presses: KeyPresses) => Promise<Report>,
  ): Promise<ActionResult>;
  /** The result of an action that has ended under this key; null where there is none. */
  earlier(once: IdempotencyKey): ActionResult | null;
}

export interface IdempotencyDeps {
  store: Pick<Store, "claimKey" | "settleKey" | "releaseKey">;
  clock: Pick<Clock, "now">;
}

const repeated = (result: string): ActionResult => ({
  ...actionResultSchema.parse(JSON.parse(result)),
  is_repeat: true,
});

export const createIdempotency = ({ store, clock }: IdempotencyDeps): Idempotency => {
  const claim = (action: Action, turn: TurnSubject, scope: string, key: string): ActionResult | null => {
    const used = store.claimKey({ scope, key, actionId: turn.actionId, at: clock.now() });
    if (used === null) return null;
    if (used.result !== null) return repeated(used.result);
    const detail = "An action with the same key was begun before, and how it ended is not known.";
    return toResult(action, { ...turn, actionId: used.actionId }, { outcome: "unverified", detail }, true);
  };

  return {
    run: async (action, turn, { scope, key }, work) => {
      const before = key === null ? null : claim(action, turn, scope, key);
      if (before !== null) return before;
      let hasPressed = false;
      try {
        const report = await work({
          onFirstKey: () => {
            hasPressed = true;
          },
          onNothingSent: () => {
            hasPressed = false;
          },
        });
        const result = toResult(action, turn, report);
        if (key !== null) store.settleKey(scope, key, JSON.stringify(result));
        return result;
      } catch (error) {
        if (key !== null && !hasPressed) store.releaseKey(scope, key);
        throw error;
      }
    },
    earlier: ({ scope, key }) => {
      if (key === null) return null;
      const used = store.claimKey({ scope, key, actionId: "none", at: clock.now() });
      // The key was only looked up: it was free, and is free again.
      if (used === null) store.releaseKey(scope, key);
      return used === null || used.result === null ? null : repeated(used.result);
    },
  };
};
