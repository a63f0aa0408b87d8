// The real gate and the real actions over a world, modelled or real: what a daemon does whose view lags behind it.
import { createGate, type PreparedAction, type VerifiedAction } from "../../core/actions/prepare.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import { createActionAudit } from "../../core/actions/audit.ts";
import type { ConnectedTargets } from "../../core/connections/connectedTarget.ts";
import { createPaneActions, type UnattendedActions } from "../../core/actions/paneActions.ts";
import type { Pane } from "../../core/model/runtime.ts";
import type { ActionSnapshot } from "../../core/model/action.ts";
import type { Clock, IdSource } from "../../core/ports/clock.ts";
import type { TargetExecutor } from "../../core/ports/targetExecutor.ts";
import type { AuditEntry, Store } from "../../core/ports/store.ts";
import type { TmuxCalls } from "../../core/tmux/tmuxCalls.ts";
import type { LaggingEngine } from "./model/laggingEngine.ts";
import { DEFAULT_TIMING } from "../../core/model/config.ts";

/** What the gate took for the thing that was named, when it was asked. */
export interface Named {
  snapshot: ActionSnapshot;
  panePid: number;
}

export interface RaceDaemon {
  actions: Pick<DaemonService, "send" | "answer" | "interrupt" | "kill">;
  unattended: UnattendedActions;
  named: Named[];
  audit: AuditEntry[];
}

const memoryStore = (audit: AuditEntry[]): Store => {
  const snapshots = new Map<string, ActionSnapshot>();
  const keys = new Map<string, { actionId: string; at: number; result: string | null }>();
  return {
    insertSnapshot: (snapshot: ActionSnapshot) => void snapshots.set(snapshot.snapshotId, { ...snapshot }),
    getSnapshot: (id: string) => snapshots.get(id) ?? null,
    appendAudit: (entry: AuditEntry) => void audit.push(entry),
    claimKey: ({ scope, key, actionId, at }: Parameters<Store["claimKey"]>[0]) => {
      const used = keys.get(`${scope} ${key}`);
      if (used === undefined) keys.set(`${scope} ${key}`, { actionId, at, result: null });
      return used ?? null;
    },
    settleKey: (scope: string, key: string, result: string) => {
      const used = keys.get(`${scope} ${key}`);
      if (used !== undefined) used.result = result;
    },
    releaseKey: (scope: string, key: string) => void keys.delete(`${scope} ${key}`),
  } as unknown as Store;
};

const createIds = (): IdSource => {
  let ids = 0;
  const next = (): number => (ids += 1);
  return { next: (prefix) => `${prefix}_${next()}`, nonce: () => next().toString(16).padStart(32, "0") };
};

export interface RaceWorld {
  engine: LaggingEngine;
  executor: Pick<TargetExecutor, "run">;
  tmux: Pick<TmuxCalls, "run">;
  clock: Clock;
  verifyProcess(pid: number, startedAt: number): Promise<boolean>;
  hasAgent(pane: Pane): Promise<boolean>;
  /** Leaves what memory knows out of the gate. */
  isForgetful: boolean;
}

export const createRaceDaemon = (world: RaceWorld): RaceDaemon => {
  const { engine, executor, clock, tmux } = world;
  const audit: AuditEntry[] = [];
  const named: Named[] = [];
  const store = memoryStore(audit);
  const ids = createIds();
  const realGate = createGate({
    store,
    clock,
    ids,
    lookup: { subjects: () => engine.subjects(), current: (key) => engine.current(key) },
    timing: () => ({ ...DEFAULT_TIMING, snapshot_ttl_ms: 5_000 }),
  });
  const prepare = (...args: Parameters<typeof realGate.prepare>): PreparedAction => {
    const prepared = realGate.prepare(...args);
    named.push({
      snapshot: prepared.snapshot,
      panePid: engine.paneOf(prepared.subject.key)?.panePid ?? 0,
    });
    return prepared;
  };
  const pass = ({ snapshot, subject, surface }: PreparedAction): VerifiedAction =>
    ({ snapshot, subject, surface }) as VerifiedAction;
  const gate = world.isForgetful
    ? { prepare, verify: pass, renew: (action: VerifiedAction) => action }
    : { ...realGate, prepare };
  const connected = {
    executor,
    tmuxOf: () => tmux,
    hasAgent: (pane: Pane) => world.hasAgent(pane),
    processes: { verify: (pid: number, startedAt: number) => world.verifyProcess(pid, startedAt) },
  };
  const { calls, unattended } = createPaneActions({
    ingest: engine.asIngest(),
    gate,
    audit: createActionAudit({ gate, store, beginAction: () => () => {}, clock, ids }),
    connectedTargets: { get: () => connected } as unknown as ConnectedTargets,
    screenFolder: "",
    store,
    clock,
    ids,
  });
  return { actions: calls, unattended, named, audit };
};
