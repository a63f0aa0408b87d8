// The audit: an action runs behind the gate and is written down, whatever comes of it, and the list of what was done is read from
// there. Also the results of actions, kept under idempotency keys. What an action does is its own business.
import type { Gate, PreparedAction, VerifiedAction } from "./prepare.ts";
import {
  type AuditList,
  type ActionGuards,
  actionResultSchema,
  type ActionOutcome,
  type ActionResult,
} from "../model/action.ts";
import { AgtmuxError } from "../model/errors.ts";
import { SCHEMA_VERSION } from "../model/view.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Aftermath, AuditEntry, Store } from "../ports/store.ts";

export interface ActionInput {
  ref: string;
  guards: ActionGuards;
  surface: string;
}

/** What an action gets: the permission of this moment, and the prepared action for asking again after a wait. */
export interface ActionTurn {
  actionId: string;
  verified: VerifiedAction;
  prepared: PreparedAction;
}

export interface ActionAudit {
  /** Puts something on record that did not go through the gate. */
  note(action: string, input: ActionInput, entry: Partial<AuditEntry>): void;
  /**
   * Gate first, then the act; both outcomes are on record. `outcomeOf` names the outcome of an act that did not throw;
   * "delivered" without it. `bindsPrompt`: the act is about the prompt that is open now, whose fingerprint goes on record.
   */
  throughGate<T>(
    action: string,
    input: ActionInput,
    act: (turn: ActionTurn) => Promise<T>,
    options?: { outcomeOf?: (result: T) => string; textLength?: number; bindsPrompt?: boolean },
  ): Promise<T>;
  /** How many actions are between gate and record at this moment, a person's and those that nobody watches; looks do not count. */
  readonly underWay: number;
  /** Resolves once those that are under way have ended, in whatever way. */
  ended(): Promise<void>;
}

/** By then the effect of an action was seen: the visible lag that is promised. */
const FOLLOWS_MS = 2_000;
/** A live preview captures all the time: one entry stands for all views of a pane by one surface within this time. */
const SAME_LOOK_MS = 60_000;
const MAX_LOOKS = 500;

/** They read the pane, go there, or keep something about its row: nothing follows from them. */
const LOOKS: ReadonlySet<string> = new Set(["attach", "view-output", "mute", "rename"]);

export const createActionAudit = (deps: {
  gate: Gate;
  store: Store;
  /** Marks what is learned of a runtime from now on as following an action (see Ingest.beginAction). */
  beginAction: (runtimeId: string, actionId: string) => (followsForMs: number) => void;
  clock: Clock;
  ids: IdSource;
}): ActionAudit => {
  const { gate, store, clock, ids } = deps;
  const note: ActionAudit["note"] = (action, { ref, surface }, entry) =>
    store.appendAudit({
      actionId: ids.next("act"),
      at: clock.now(),
      surface,
      action,
      ref,
      runtimeId: null,
      snapshotId: null,
      outcome: "delivered",
      promptFingerprint: null,
      textLength: null,
      ...entry,
    });
  const looks = new Map<string, number>();
  /** Whether the same view was put on record a moment ago. */
  const isRepeatedLook = (
    action: string,
    { ref, surface }: ActionInput,
    runtimeId: string | null,
  ): boolean => {
    if (action !== "view-output") return false;
    const key = JSON.stringify([surface, ref, runtimeId]);
    const at = looks.get(key);
    if (at !== undefined && clock.now() - at < SAME_LOOK_MS) return true;
    if (looks.size >= MAX_LOOKS) looks.clear();
    looks.set(key, clock.now());
    return false;
  };
  const underWay = new Set<Promise<unknown>>();
  const throughGate: ActionAudit["throughGate"] = async (
    action,
    input,
    act,
    { outcomeOf, textLength, bindsPrompt = false } = {},
  ) => {
    const prepared = gate.prepare(input.ref, input.guards, input.surface, { bindsPrompt });
    const actionId = ids.next("act");
    const { runtimeId, snapshotId, promptFingerprint } = prepared.snapshot;
    const about = { actionId, runtimeId, snapshotId, promptFingerprint, textLength: textLength ?? null };
    let closeWindow: ((followsForMs: number) => void) | null = null;
    try {
      const verified = gate.verify(prepared);
      if (runtimeId !== null && !LOOKS.has(action)) closeWindow = deps.beginAction(runtimeId, actionId);
      const result = await act({ actionId, prepared, verified });
      closeWindow?.(FOLLOWS_MS);
      if (!isRepeatedLook(action, input, runtimeId))
        note(action, input, { ...about, outcome: outcomeOf?.(result) ?? "delivered" });
      return result;
    } catch (error) {
      // A refused action changed nothing. When tmux does not answer, nobody knows.
      const isRefusal = error instanceof AgtmuxError && error.code !== "E_TARGET_UNREACHABLE";
      closeWindow?.(isRefusal ? 0 : FOLLOWS_MS);
      note(action, input, { ...about, outcome: error instanceof AgtmuxError ? error.code : "failed" });
      throw error;
    }
  };
  return {
    note,
    throughGate: (action, input, act, options) => {
      const work = throughGate(action, input, act, options);
      if (LOOKS.has(action)) return work;
      underWay.add(work);
      const leave = (): void => void underWay.delete(work);
      work.then(leave, leave);
      return work;
    },
    get underWay() {
      return underWay.size;
    },
    ended: async () => {
      await Promise.allSettled(underWay);
    },
  };
};

const toIso = (at: number): string => new Date(at).toISOString();

const toFollower = ({ kind, at, version, what, why }: Aftermath) => ({
  kind,
  at: toIso(at),
  state_version: version,
  what,
  why,
});

/** The audit as clients see it: each action with what followed it. The newest `limit` actions, newest first. */
export const auditList = (store: Store, limit: number, now: number): AuditList => {
  const entries = store.listAudit(limit);
  const aftermath = Map.groupBy(
    store.listAftermath(entries.map(({ actionId }) => actionId)),
    ({ actionId }) => actionId,
  );
  return {
    schema_version: SCHEMA_VERSION,
    generated_at: toIso(now),
    items: entries.map((entry) => ({
      action_id: entry.actionId,
      at: toIso(entry.at),
      surface: entry.surface,
      action: entry.action,
      ref: entry.ref,
      runtime_id: entry.runtimeId,
      snapshot_id: entry.snapshotId,
      outcome: entry.outcome,
      prompt_fingerprint: entry.promptFingerprint,
      text_length: entry.textLength,
      followed_by: (aftermath.get(entry.actionId) ?? []).map(toFollower),
    })),
  };
};

// Idempotency: keys under which an action is done once. Whoever repeats one gets the result of the first. A key is free again when
// nothing was sent under it.

type Action = ActionResult["action"];

interface Report {
  outcome: ActionOutcome;
  detail: string;
  notes?: string[];
}

export const toResult = (
  action: Action,
  { actionId, prepared: { subject, snapshot } }: ActionTurn,
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
interface IdempotencyKey {
  scope: string;
  key: string | null;
}

/** Reported by the action, so that a failure before its first key leaves the key free. */
export interface KeyPresses {
  onFirstKey(): void;
  onNothingSent(): void;
}

const repeated = (result: string): ActionResult => ({
  ...actionResultSchema.parse(JSON.parse(result)),
  is_repeat: true,
});

export const createIdempotency = ({ store, clock }: { store: Store; clock: Clock }) => {
  const claim = (action: Action, turn: ActionTurn, scope: string, key: string): ActionResult | null => {
    const used = store.claimKey({ scope, key, actionId: turn.actionId, at: clock.now() });
    if (used === null) return null;
    if (used.result !== null) return repeated(used.result);
    const detail = "An action with the same key was started before; its outcome is unknown.";
    return toResult(action, { ...turn, actionId: used.actionId }, { outcome: "unverified", detail }, true);
  };

  return {
    run: async (
      action: Action,
      turn: ActionTurn,
      { scope, key }: IdempotencyKey,
      work: (presses: KeyPresses) => Promise<Report>,
    ): Promise<ActionResult> => {
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
    /** The result of an action that has ended under this key; null where there is none. */
    earlier: ({ scope, key }: IdempotencyKey): ActionResult | null => {
      if (key === null) return null;
      const used = store.claimKey({ scope, key, actionId: "none", at: clock.now() });
      // The key was only looked up: it was free, and is free again.
      if (used === null) store.releaseKey(scope, key);
      return used === null || used.result === null ? null : repeated(used.result);
    },
  };
};
