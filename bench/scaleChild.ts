// One size of `bench/scale.ts`, in a process of its own with --expose-gc: the real collectors, engine, store and lists over
// simulated tmux servers. Arguments: targets, panes in all, simulated seconds, events. Prints its figures as JSON.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAdapterRegistry } from "../adapters/index.ts";
import { type ListingInput, listPanes, listSessions } from "../core/api/listing.ts";
import { Accounts } from "../core/collect/accounts.ts";
import { Collector } from "../core/collect/collector.ts";
import type { WatchedServer } from "../core/collect/sink.ts";
import { DEFAULT_TIMING } from "../core/model/config.ts";
import type { Pane, ProcessInfo } from "../core/model/runtime.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import type { TargetExecutor } from "../core/ports/targetExecutor.ts";
import { createDocumentWriter } from "../core/rpc/socketServer.ts";
import type { ScaleFigure } from "./report/scaleFigure.ts";
import { createRig, type Rig, type RigAgent } from "./rig.ts";

// The lists of `bench/scale.ts`: what one costs from the rows to the bytes that are sent, asked again and again.

/** The same number of rows is listed for each size, so that the code is equally compiled; the first third does not count. */
const LISTED_ROWS = 600_000;
const MAX_LISTS = 600;

interface ListCost {
  cpuMs: number;
  bytes: number;
}

interface ListCosts {
  /** Asked again, with what happens in between. */
  again: ListCost;
  /** With no row's text known. */
  anew: ListCost;
  sessions: ListCost;
}

const cpuMsOf = async (work: () => Promise<void> | void): Promise<number> => {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
};

/**
 * Average CPU of a list. Small lists trigger garbage collection seldom and large ones each time, so a median would count it
 * only for the large ones. CPU and not time: the longer a list, the more often it is interrupted.
 */
const costOf = async (
  panes: number,
  list: () => number,
  between: (turn: number) => Promise<void>,
): Promise<ListCost> => {
  const lists = Math.min(MAX_LISTS, Math.ceil(LISTED_ROWS / panes));
  const warm = Math.ceil(lists / 3);
  let cpuMs = 0;
  let bytes = 0;
  for (let turn = 0; turn < lists; turn += 1) {
    await between(turn);
    const took = await cpuMsOf(() => {
      bytes = list();
    });
    if (turn >= warm) cpuMs += took;
  }
  return { cpuMs: cpuMs / (lists - warm), bytes };
};

const bytesOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);

/** Lists as the daemon answers them. The first is made here; the lists hold what is kept of it for the next one. */
const createLists = (rig: Rig, panes: number) => {
  const write = createDocumentWriter();
  const input = (): ListingInput => ({
    rows: rig.ingest.rows(true),
    targets: rig.ingest.targets(),
    now: rig.clock.now(),
    agents: () => ["claude"],
  });
  const again = (): number => bytesOf(write(listPanes(input(), { all: true })));
  const anew = (): number => bytesOf(createDocumentWriter()(listPanes(input(), { all: true })));
  const sessions = (): number => bytesOf(createDocumentWriter()(listSessions(input(), { all: true })));
  const nothing = (): Promise<void> => Promise.resolve();
  again();
  return {
    measure: async (between: (turn: number) => Promise<void>): Promise<ListCosts> => ({
      again: await costOf(panes, again, between),
      anew: await costOf(panes, anew, nothing),
      sessions: await costOf(panes, sessions, nothing),
    }),
  };
};

const PANES_PER_AGENT = 10;
const EVENT_BATCH = 100;
/** One agent in this many changes its state between two lists. */
const AGENTS_PER_CHANGE = 10;
const SCREEN = readFileSync(
  fileURLToPath(new URL("../test/fixtures/recordings/claude/idle_fresh.txt", import.meta.url)),
  "utf8",
).split("\n");

/** A machine on which every file is missing and nothing is run. */
const bareMachine = (targetId: string): TargetExecutor => {
  const nothing = () => Promise.resolve(null);
  const refuse = (): never => {
    throw new Error(`bench scale: ${targetId} is simulated`);
  };
  return {
    targetId,
    kind: "ssh",
    homeDir: () => Promise.resolve("/home/someone"),
    run: () => Promise.resolve({ exitCode: 0, stdout: "", stderr: "", timedOut: false }),
    runTmux: refuse,
    tmuxForTerminal: refuse,
    files: {
      readText: nothing,
      readTail: nothing,
      readLink: nothing,
      list: () => Promise.resolve([]),
      stat: nothing,
      writeText: refuse,
      remove: refuse,
    },
    close: () => Promise.resolve(),
  };
};

const simulatedServer = (rig: Rig, targetId: string, panes: readonly Pane[]): WatchedServer => ({
  server: "default",
  socketPath: rig.instanceOf(targetId).socketPath,
  // Like the real one while nothing changes: panes that did not change stay the same objects.
  list: () =>
    Promise.resolve({
      status: "ok",
      mode: "direct",
      problem: null,
      instance: rig.instanceOf(targetId),
      panes,
    }),
  pauseMs: (usualMs) => usualMs,
  expectChange: () => {},
  capture: (paneIds) => Promise.resolve(new Map(paneIds.map((paneId) => [paneId, SCREEN]))),
  look: () => Promise.resolve(new Map()),
  currentPath: () => Promise.resolve(null),
  clients: () => Promise.resolve([]),
  close: () => Promise.resolve(),
});

const processOf = (pid: number, comm: string): ProcessInfo => ({
  pid,
  ppid: 1,
  comm,
  args: comm,
  startedAt: 1,
});

const startCollector = async (
  rig: Rig,
  targetId: string,
  panes: readonly Pane[],
  agents: readonly RigAgent[],
) => {
  const agentPids = new Set(agents.map(({ pid }) => pid));
  const adapters = createAdapterRegistry();
  const collector = new Collector({
    targetId,
    servers: [simulatedServer(rig, targetId, panes)],
    processes: {
      ofPanes: (pids) =>
        Promise.resolve(
          new Map(pids.map((pid) => [pid, [processOf(pid, agentPids.has(pid) ? "claude" : "sleep")]])),
        ),
      lifeOf: () => Promise.resolve("running" as const),
      isGone: () => false,
    },
    executor: bareMachine(targetId),
    sink: rig.ingest,
    adapters,
    accounts: new Accounts({
      targetId,
      executor: bareMachine(targetId),
      memory: { list: () => Promise.resolve([]), add: () => Promise.resolve() },
      named: () => [],
      clock: rig.clock,
      logger: SILENT_LOGGER,
    }),
    timing: () => DEFAULT_TIMING,
    clock: rig.clock,
    logger: SILENT_LOGGER,
  });
  await collector.start();
  return collector;
};

/** The heap and the bytes beside it. */
const heldMb = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
};

/** Events of agents in turns, each of which changes its state; `from`: how many these agents had before. */
const applyEvents = (rig: Rig, agents: readonly RigAgent[], count: number, from = 0): void => {
  for (let made = from; made < from + count; made += EVENT_BATCH) {
    const byTarget = new Map<string, ReturnType<Rig["envelope"]>[]>();
    for (let index = made; index < Math.min(from + count, made + EVENT_BATCH); index += 1) {
      const agent = agents[index % agents.length];
      if (agent === undefined) break;
      rig.clock.skip(1);
      const turn = Math.floor(index / agents.length);
      const envelope = rig.envelope(agent, turn % 2 === 0 ? "UserPromptSubmit" : "Stop", {});
      byTarget.set(agent.targetId, [...(byTarget.get(agent.targetId) ?? []), envelope]);
    }
    for (const [targetId, envelopes] of byTarget) rig.ingest.applyEnvelopes(targetId, envelopes);
  }
};

const measure = async (
  targets: number,
  panes: number,
  seconds: number,
  eventCount: number,
): Promise<ScaleFigure> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-bench-scale-"));
  const rig = createRig(join(folder, "state.db"));
  try {
    const before = heldMb();
    const agents: RigAgent[] = [];
    const collectors: Collector[] = [];
    for (let target = 0; target < targets; target += 1) {
      const name = `vm${target}`;
      const perTarget = Math.round(panes / targets);
      // With few panes on a target, not every target has an agent: the share stays the same.
      const hasAgents = target % Math.max(1, Math.round(PANES_PER_AGENT / perTarget)) === 0;
      const added = rig.addTarget(name, perTarget, hasAgents ? Math.min(PANES_PER_AGENT, perTarget) : 0);
      agents.push(...added.agents);
      collectors.push(await startCollector(rig, name, added.panes, added.agents));
    }
    const second = async (): Promise<void> => {
      await rig.clock.advance(1_000);
      rig.ingest.tick();
    };
    for (let warm = 0; warm < 10; warm += 1) await second();
    const watching = await cpuMsOf(async () => {
      for (let turn = 0; turn < seconds; turn += 1) await second();
    });
    applyEvents(rig, agents.slice(0, 10), eventCount);
    const events = await cpuMsOf(() => applyEvents(rig, agents, eventCount));
    const someChange = async (turn: number): Promise<void> => {
      const some = agents.filter((_, index) => index % AGENTS_PER_CHANGE === turn % AGENTS_PER_CHANGE);
      applyEvents(rig, some, some.length, Math.floor(turn / AGENTS_PER_CHANGE) * some.length);
      await second();
    };
    const lists = createLists(rig, panes);
    const memoryMb = heldMb() - before;
    const { again, anew, sessions } = await lists.measure(someChange);
    return {
      targets,
      panes,
      agents: agents.length,
      cpuMsPerSecond: watching / seconds,
      cpuMsPerEvent: events / eventCount,
      cpuMsPerList: again.cpuMs,
      cpuMsPerListAnew: anew.cpuMs,
      cpuMsPerSessions: sessions.cpuMs,
      listBytes: again.bytes,
      memoryMb,
      residentMb: process.memoryUsage().rss / 1e6,
    };
  } finally {
    rig.store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const [targets = 1, panes = 10, seconds = 1, eventCount = 100] = process.argv.slice(2).map(Number);
const figure = await measure(targets, panes, seconds, eventCount);
console.log(JSON.stringify(figure));
process.exit(0);
