// Whether what an action saw still holds at the moment of acting. Pure: the caller brings the present and the time.
// Every difference is a refusal; `forceStale` relaxes the snapshot's own version and expiry and nothing else.
import type { ActionGuards, ActionSnapshot } from "../model/action.ts";
import type { CanonicalState } from "../model/state.ts";

/**
 * The pane as it is now. `runtimeId` null: no agent lives there; then `state` is null, `stateVersion` 0 and `processAlive`
 * false. `confirmedAt`: last evidence that confirmed the state, epoch ms. `fingerprint`: of the prompt that is open.
 */
export interface SubjectNow {
  runtimeId: string | null;
  stateVersion: number;
  state: CanonicalState | null;
  fingerprint: string | null;
  confirmedAt: number | null;
  processAlive: boolean;
}

/** `changes`: one sentence per difference, for the person; never empty in a refusal. */
export type SnapshotVerdict = { ok: true } | { ok: false; changes: [string, ...string[]] };

interface JudgeInput {
  snapshot: ActionSnapshot;
  guards: ActionGuards;
  /** Null: the pane is gone. */
  current: SubjectNow | null;
  now: number;
}

/** Target identity, runtime, whether the process runs, and the prompt that the action is bound to: nothing relaxes these. */
const judgeIdentity = ({ snapshot }: JudgeInput, current: SubjectNow): string[] => {
  const changes: string[] = [];
  if (current.runtimeId !== snapshot.runtimeId) {
    changes.push(
      snapshot.runtimeId === null
        ? `an agent has started in the pane (runtime ${current.runtimeId})`
        : `the agent of runtime ${snapshot.runtimeId} is no longer in the pane`,
    );
  } else if (current.runtimeId !== null && !current.processAlive) {
    changes.push(`the process of runtime ${current.runtimeId} has ended`);
  }
  if (snapshot.promptFingerprint !== null && current.fingerprint !== snapshot.promptFingerprint) {
    changes.push("the prompt is no longer the one that was shown");
  }
  return changes;
};

/** The snapshot's own age: what `--force-stale` is for. */
const judgeAge = ({ snapshot, guards, now }: JudgeInput, current: SubjectNow): string[] => {
  if (guards.forceStale) return [];
  const changes: string[] = [];
  if (current.stateVersion !== snapshot.stateVersion) {
    changes.push(
      `the state has changed to ${current.state ?? "no agent"} (version ${snapshot.stateVersion} to ${current.stateVersion})`,
    );
  }
  if (now >= snapshot.expiresAt)
    changes.push(`the snapshot expired ${Math.floor(now - snapshot.expiresAt)} ms ago`);
  return changes;
};

/** What the caller asked for explicitly. A guard about an agent fails where there is none. */
const judgeGuards = ({ guards, now }: JudgeInput, current: SubjectNow): string[] => {
  const changes: string[] = [];
  if (guards.ifRuntime !== null && current.runtimeId !== guards.ifRuntime) {
    changes.push(`the runtime is ${current.runtimeId ?? "none"}, not ${guards.ifRuntime}`);
  }
  if (guards.ifState !== null && current.state !== guards.ifState) {
    changes.push(`the state is ${current.state ?? "none"}, not ${guards.ifState}`);
  }
  if (guards.ifVersion !== null && current.stateVersion !== guards.ifVersion) {
    changes.push(`the state version is ${current.stateVersion}, not ${guards.ifVersion}`);
  }
  if (guards.ifPrompt !== null && current.fingerprint !== guards.ifPrompt) {
    changes.push(`the prompt is ${current.fingerprint ?? "none"}, not ${guards.ifPrompt}`);
  }
  if (guards.ifUpdatedWithinMs !== null) {
    const age = current.confirmedAt === null ? null : now - current.confirmedAt;
    // Written so that an age that is not a number is refused.
    if (age === null || !(age <= guards.ifUpdatedWithinMs)) {
      changes.push(
        `the state was last confirmed ${age === null ? "never" : `${Math.ceil(age)} ms ago`}, not within ${guards.ifUpdatedWithinMs} ms`,
      );
    }
  }
  return changes;
};

/**
 * Compares a snapshot and the caller's guards with the present. Fails closed: a pane
 * that is gone is refused whatever the guards say. All times in epoch ms on the daemon's clock.
 */
export const judgeSnapshot = (input: JudgeInput): SnapshotVerdict => {
  const { current } = input;
  if (current === null) return { ok: false, changes: ["the pane is gone"] };
  const [first, ...rest] = [
    ...judgeIdentity(input, current),
    ...judgeAge(input, current),
    ...judgeGuards(input, current),
  ];
  return first === undefined ? { ok: true } : { ok: false, changes: [first, ...rest] };
};
