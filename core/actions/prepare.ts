// The one gate before every action on a pane: resolve, write a snapshot, and compare it with the present at the moment of
// acting. It fails closed, and by type: code that acts takes a `VerifiedAction`, which only `verify` can make.
import { judgeSnapshot, type SubjectNow } from "../engine/guard.ts";
import { resolveRef, type RefSubject } from "../engine/ref.ts";
import type { Timing } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { PaneKey } from "../model/runtime.ts";
import { backgroundIdOf } from "../model/shortRef.ts";
import { actionGuardsSchema, type ActionGuards, type ActionSnapshot } from "../model/action.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";

/** What a reference can resolve to: what references name, the key that the store and tmux use, and the canonical reference. */
export interface ActionSubject extends RefSubject {
  key: PaneKey;
  paneRef: string;
}

/** What the gate asks of panes. Both answer from memory, as of now. */
interface SubjectLookup {
  /** Every pane that a reference may name, ended runtimes that are still listed included. */
  subjects(): Iterable<ActionSubject>;
  /** The pane as it is now; null when it is gone. */
  current(key: PaneKey): SubjectNow | null;
}

/** @throws AgtmuxError E_UNSUPPORTED for a session that no pane shows: it has no screen, and takes no keys from here. */
export const requireScreen = ({ paneId }: PaneKey, paneRef: string): void => {
  const id = backgroundIdOf(paneId);
  if (id !== null)
    throw new AgtmuxError("E_UNSUPPORTED", `${paneRef} runs in the background: no pane shows it`, {
      remedy: `Open it with 'agtmux attach bg-${id}', and do it there.`,
    });
};

declare const seal: unique symbol;

/** A resolved reference with its stored snapshot: enough to show what would happen, not enough to act. */
export interface PreparedAction {
  readonly [seal]: "prepared";
  readonly snapshot: ActionSnapshot;
  readonly subject: ActionSubject;
  readonly guards: ActionGuards;
  readonly surface: string;
}

/** Permission to act on `subject` right now. Do not keep it over an await that may take time: verify again instead. */
export interface VerifiedAction {
  readonly [seal]: "verified";
  readonly snapshot: ActionSnapshot;
  readonly subject: ActionSubject;
  readonly surface: string;
}

export interface Gate {
  /**
   * Resolves `ref` and stores a snapshot of what is there. `bindsPrompt`: the action answers the prompt that is open now,
   * so another prompt will refuse it.
   * @throws AgtmuxError E_REF_INVALID, E_REF_NOT_FOUND, E_REF_AMBIGUOUS (with the candidates), E_STALE_SNAPSHOT when the
   *   pane went away or there is no prompt to bind to.
   */
  prepare(
    ref: string,
    guards: ActionGuards,
    surface: string,
    options?: { bindsPrompt: boolean },
  ): PreparedAction;
  /**
   * Compares with the present; call it directly before acting.
   * @throws AgtmuxError E_STALE_SNAPSHOT whose details say what changed.
   */
  verify(action: PreparedAction): VerifiedAction;
  /**
   * For the next step of an action that has begun: the first step may have changed the state, so that only the pane, the
   * runtime, its process and the bound prompt must still be the same.
   * @throws AgtmuxError E_STALE_SNAPSHOT whose details say what changed.
   */
  renew(action: VerifiedAction): VerifiedAction;
}

const stale = (subject: ActionSubject, changes: readonly [string, ...string[]]): AgtmuxError =>
  new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was done to ${subject.paneRef}: ${changes.join("; ")}.`, {
    details: changes,
  });

// The only two places where the seal is set: it exists for the type checker alone.
const sealPrepared = (action: Omit<PreparedAction, typeof seal>): PreparedAction =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  action as PreparedAction;
const sealVerified = (action: Omit<VerifiedAction, typeof seal>): VerifiedAction =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  action as VerifiedAction;

export const createGate = ({
  store,
  clock,
  ids,
  lookup,
  timing,
}: {
  store: Store;
  clock: Clock;
  ids: IdSource;
  lookup: SubjectLookup;
  timing: () => Timing;
}): Gate => ({
  prepare: (ref, guards, surface, options = { bindsPrompt: false }) => {
    const subject = resolveRef(ref, lookup.subjects());
    const current = lookup.current(subject.key);
    if (current === null) throw stale(subject, ["the pane is gone"]);
    if (options.bindsPrompt && current.fingerprint === null) {
      requireScreen(subject.key, subject.paneRef);
      throw stale(subject, ["the screen shows no open prompt, or another prompt than the announced one"]);
    }
    const observedAt = clock.now();
    const snapshot: ActionSnapshot = {
      snapshotId: ids.next("snap"),
      targetId: subject.key.targetId,
      server: subject.key.server,
      paneId: subject.key.paneId,
      // From the reference, not from the present: `runtime:r1` must not become whatever runs there now.
      runtimeId: subject.runtimeId,
      stateVersion: current.stateVersion,
      observedAt,
      expiresAt: observedAt + timing().snapshot_ttl_ms,
      nonce: ids.nonce(),
      promptFingerprint: options.bindsPrompt ? current.fingerprint : null,
    };
    store.insertSnapshot(snapshot);
    return sealPrepared({ snapshot, subject, guards, surface });
  },

  verify: ({ snapshot, subject, guards, surface }) => {
    // What was stored is compared: an action without its record, or with another's, does not happen.
    const stored = store.getSnapshot(snapshot.snapshotId);
    if (stored === null || stored.nonce !== snapshot.nonce) {
      throw stale(subject, ["its snapshot is not on record"]);
    }
    const verdict = judgeSnapshot({
      snapshot: stored,
      guards,
      current: lookup.current(subject.key),
      now: clock.now(),
    });
    if (!verdict.ok) throw stale(subject, verdict.changes);
    return sealVerified({ snapshot: stored, subject, surface });
  },

  renew: (action) => {
    const { snapshot, subject } = action;
    const guards = actionGuardsSchema.parse({ forceStale: true });
    const verdict = judgeSnapshot({
      snapshot,
      guards,
      current: lookup.current(subject.key),
      now: clock.now(),
    });
    if (!verdict.ok) throw stale(subject, verdict.changes);
    return action;
  },
});
