// The daemon's own ingest over a real database, without tmux: panes and agents are reported to it as a collector would do, and
// time is moved by hand. For the parts that need a day in seconds or ten thousand panes on two cores.
import { createAdapterRegistry } from "../adapters/index.ts";
import { createIdSource } from "../core/daemon/systemClock.ts";
import type { Ingest } from "../core/ingest/ingest.ts";
import type { Envelope } from "../core/model/envelope.ts";
import type { Pane, ServerInstance } from "../core/model/runtime.ts";
import type { Clock } from "../core/ports/clock.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import type { Store } from "../core/ports/store.ts";
import { openStore } from "../core/store/openStore.ts";
import { addTarget as addTargetTo, buildIngest, listPanes, somePane } from "../test/factories/ingest.ts";

const SERVER = "default";
const SERVER_PID = 99;
/** Pids of agents start here, so that they belong to no real process. */
const FIRST_PID = 1_000_000;

/** Time that moves only on request; timers that become due run in their order. */
export class SimulatedClock implements Clock {
  private time: number;
  private timers: { at: number; callback: () => void }[] = [];

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.time + delayMs, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }

  /** Moves on; the work that a timer begins gets its turns before the next timer runs. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const next = this.timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.timers = this.timers.filter((one) => one !== next);
      this.time = Math.max(this.time, next.at);
      next.callback();
      await new Promise((done) => setImmediate(done));
    }
    this.time = end;
  }

  /** Moves on without running anything. */
  skip(ms: number): void {
    this.time += ms;
  }
}

export interface RigAgent {
  targetId: string;
  paneId: string;
  pid: number;
  sessionId: string;
}

export interface Rig {
  readonly ingest: Ingest;
  readonly store: Store;
  readonly clock: SimulatedClock;
  /** Makes a target with that many panes; every `agentEvery`-th has a Claude, none for 0. */
  addTarget(targetId: string, panes: number, agentEvery: number): { panes: Pane[]; agents: RigAgent[] };
  instanceOf(targetId: string): ServerInstance;
  /** An event of the agent as the drain reads it, at the rig's time. */
  envelope(agent: RigAgent, eventName: string, payload: Record<string, unknown>): Envelope;
}

const socketOf = (targetId: string): string => `/tmp/tmux-${targetId}/default`;

export const createRig = (path: string): Rig => {
  const clock = new SimulatedClock(Date.now());
  const store = openStore({ path, logger: SILENT_LOGGER });
  const adapters = createAdapterRegistry();
  const ingest = buildIngest({
    store,
    clock,
    ids: createIdSource(() => clock.now()),
    adapterOf: (agentType) => adapters.byAgentType(agentType),
  });
  const startedAt = Math.floor(clock.now() / 1_000) - 10_000;
  const instanceOf = (targetId: string): ServerInstance => ({
    server: SERVER,
    socketPath: socketOf(targetId),
    pid: SERVER_PID,
    startedAt,
  });
  let pid = FIRST_PID;
  let dropped = 0;

  const addTarget: Rig["addTarget"] = (targetId, count, agentEvery) => {
    const now = clock.now();
    addTargetTo(ingest, targetId, now);
    const panes = Array.from({ length: count }, (_, index) =>
      somePane(`%${index}`, {
        targetId,
        sessionId: `$${Math.floor(index / 10)}`,
        sessionName: `session-${Math.floor(index / 10)}`,
        windowId: `@${index}`,
        windowIndex: index % 10,
        panePid: (pid += 1),
        updatedAt: now,
      }),
    );
    listPanes(ingest, targetId, instanceOf(targetId), panes);
    const agents = panes
      .filter((_, index) => index % agentEvery === 0)
      .map((pane): RigAgent => {
        const process = {
          pid: pane.panePid,
          ppid: 1,
          comm: "claude",
          args: "claude",
          startedAt: now - 60_000,
        };
        ingest.applyRecognised(pane, { agentType: "claude", process });
        return { targetId, paneId: pane.paneId, pid: pane.panePid, sessionId: crypto.randomUUID() };
      });
    return { panes, agents };
  };

  return {
    ingest,
    store,
    clock,
    addTarget,
    instanceOf,
    envelope: (agent, eventName, payload) => ({
      spoolName: `${Math.floor(clock.now())}-${(dropped += 1)}`,
      agentType: "claude",
      eventName,
      tmuxSocket: socketOf(agent.targetId),
      tmuxServerPid: SERVER_PID,
      paneId: agent.paneId,
      parentPid: agent.pid,
      eventTime: clock.now(),
      payload: { session_id: agent.sessionId, hook_event_name: eventName, ...payload },
      payloadProblem: null,
    }),
  };
};
