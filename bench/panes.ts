// What watching costs as panes grow, idle and busy, with everything that it causes: children, the tmux server's CPU compared
// with the same panes without the daemon, memory, processes. The naive way is measured beside it in the same scene.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { PaneView } from "../core/model/view.ts";
import { createHarness, type Harness } from "./benchHarness.ts";
import { FeedWatch } from "./feedWatch.ts";
import { countChildren, familyCpuOf, processFamily, residentMbOf, threadCpuOf } from "./processCost.ts";
import type { BenchOptions } from "./report/model.ts";
import { type Spread, spreadOf } from "./statistics.ts";

// The baseline in the same setup: a script that looks at every pane every two seconds, and tmux's own listing.

const SCRIPT = fileURLToPath(new URL("baseline/naive.sh", import.meta.url));
/** At a thousand panes on a busy machine a round alone may take a minute. */
const ROUNDS_LIMIT_MS = 400_000;
/** A round starts one process for the listing, one for the pause and one for each pane. */
const PROCESSES_BESIDE_PANES = 2;

interface Watched {
  rounds: number;
  panes: number;
  seen: Map<string, number>;
}

const startScript = (harness: Harness, pauseSeconds: number) => {
  const child = spawn(SCRIPT, [harness.tmux.socketPath, String(pauseSeconds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise<void>((done) => child.once("exit", () => done()));
  const watched: Watched = { rounds: 0, panes: 0, seen: new Map() };
  createInterface({ input: child.stdout }).on("line", (text) => {
    const [word, what = ""] = text.split(" ");
    if (word === "waiting" && !watched.seen.has(what)) watched.seen.set(what, performance.now());
    if (word === "round") {
      watched.rounds += 1;
      watched.panes += Number(what);
    }
  });
  return {
    pid: child.pid ?? 0,
    watched,
    stop: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
};

/** Draws one dialog after the other at odd moments within `spreadMs`; gives the moment of each. */
const drawDialogs = async (
  harness: Harness,
  count: number,
  spreadMs: number,
): Promise<Map<string, number>> => {
  const drawn = new Map<string, number>();
  for (const agent of harness.agents.slice(0, count)) {
    await wait((spreadMs / count) * (0.5 + Math.random()));
    drawn.set(agent.paneId, agent.frame("waiting_approval"));
  }
  return drawn;
};

const untilDone = async (isDone: () => boolean): Promise<void> => {
  const deadline = performance.now() + ROUNDS_LIMIT_MS;
  while (!isDone()) {
    if (performance.now() > deadline) throw new Error("bench naive: the script did not see every dialog");
    await wait(20);
  }
};

/** Percent of a core that the tmux server uses while nobody but its panes keeps it busy. */
const measureTmuxAlone = async (harness: Harness, seconds: number): Promise<number> => {
  const before = threadCpuOf(harness.tmuxPid);
  await wait(seconds * 1_000);
  return ((threadCpuOf(harness.tmuxPid) - before) / seconds) * 100;
};

/** At least `seconds`, two whole rounds, and until each of that many `dialogs` was seen. */
const measureNaive = async (
  harness: Harness,
  options: { seconds: number; dialogs: number; pauseSeconds: number },
) => {
  const tmuxAlone = await measureTmuxAlone(harness, options.seconds / 3);
  const script = startScript(harness, options.pauseSeconds);
  try {
    await untilDone(() => script.watched.rounds >= 1);
    const before = { ...script.watched, cpu: familyCpuOf(script.pid), tmux: threadCpuOf(harness.tmuxPid) };
    const from = performance.now();
    const drawn = await drawDialogs(harness, options.dialogs, options.seconds * 1_000);
    await untilDone(
      () =>
        [...drawn.keys()].every((pane) => script.watched.seen.has(pane)) &&
        script.watched.rounds >= before.rounds + 2,
    );
    const seconds = (performance.now() - from) / 1_000;
    const cpu = familyCpuOf(script.pid);
    const used = cpu.own + cpu.children - before.cpu.own - before.cpu.children;
    const tmux = threadCpuOf(harness.tmuxPid) - before.tmux;
    const rounds = script.watched.rounds - before.rounds;
    const started = script.watched.panes - before.panes + rounds * PROCESSES_BESIDE_PANES;
    return {
      seconds,
      /** Percent of a core: the script with its children, plus what the tmux server uses more than without the script. */
      cpuPercent: (used / seconds) * 100,
      tmuxPercent: (tmux / seconds) * 100 - tmuxAlone,
      processesPerMinute: (started / seconds) * 60,
      /** The time from the first frame of a dialog until the script reports it. */
      waitSeen: spreadOf([...drawn].map(([pane, at]) => (script.watched.seen.get(pane) ?? Number.NaN) - at)),
    };
  } finally {
    await script.stop();
    for (const agent of harness.agents) agent.frame("idle_fresh");
  }
};

type NaiveCost = Awaited<ReturnType<typeof measureNaive>>;

/** Milliseconds of one `tmux list-panes -a -F …` as a process of its own. */
const measureListPanes = async (harness: Harness, runs: number): Promise<Spread> => {
  const sample: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const from = performance.now();
    await harness.tmux.run("list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_title} #{session_name}");
    sample.push(performance.now() - from);
  }
  return spreadOf(sample);
};

export interface WatchCost {
  seconds: number;
  /** Percent of a core. `tmuxPercent`: what the server uses more than without the daemon. */
  daemonPercent: number;
  childrenPercent: number;
  tmuxPercent: number;
  residentMb: number;
  childrenMb: number;
  processesPerMinute: number;
  hookToFeed: Spread;
}

export interface PanesFigures {
  panes: number;
  agents: number;
  firstAnswerMs: number | null;
  idle: WatchCost | null;
  busy: (WatchCost & { eventsPerSecond: number; redrawsPerSecond: number }) | null;
  /** Without any hook, from the first frame of a dialog to the feed, agents at rest before. */
  waitSeen: Spread | null;
  naive: NaiveCost | null;
  listPanes: Spread;
}

/** One pane in ten has an agent. */
const PANES_PER_AGENT = 10;
const REDRAW_SECONDS = 0.25;
const EVENT_EVERY_SECONDS = 2;
/** By then the start, and Node's first compiling, are over. */
const SETTLE_MS = 11_000;
const TARGET_PANES = 200;
/** How many times shorter a stretch without the daemon (before and after) is than the one with it. */
const ALONE_SHARE = 8;
const LIMIT_DIALOGS = 12;
const HOOKS = 60;
const NAIVE_PAUSE = 2;

export type Daemon = Awaited<ReturnType<Harness["startDaemon"]>>;

const isState = (paneId: string, state: string) => (pane: PaneView) =>
  pane.identity.pane_id === paneId && pane.state === state;

/** Percent of a core over a stretch. */
export const measureCpu = async (harness: Harness, daemon: Daemon, seconds: number) => {
  const before = { cpu: familyCpuOf(daemon.pid), tmux: threadCpuOf(harness.tmuxPid), at: performance.now() };
  await wait(seconds * 1_000);
  const cpu = familyCpuOf(daemon.pid);
  const took = (performance.now() - before.at) / 1_000;
  return {
    daemon: ((cpu.own - before.cpu.own) / took) * 100,
    children: ((cpu.children - before.cpu.children) / took) * 100,
    tmux: ((threadCpuOf(harness.tmuxPid) - before.tmux) / took) * 100,
  };
};

/** Measured apart from the CPU, because counting itself takes CPU. */
const countStarts = async (daemon: Daemon, seconds: number): Promise<number> => {
  const stop = countChildren(daemon.pid);
  await wait(seconds * 1_000);
  return (stop() / seconds) * 60;
};

export const measureHooks = async (harness: Harness, feed: FeedWatch, events: number): Promise<Spread> => {
  const sample: number[] = [];
  for (let index = 0; index < events; index += 1) {
    const agent = harness.agents[index % Math.min(10, harness.agents.length)];
    if (agent === undefined) break;
    const turn = Math.floor(index / Math.min(10, harness.agents.length));
    const [event, state] = turn % 2 === 0 ? ["UserPromptSubmit", "running"] : ["Stop", "completed"];
    const arrived = feed.next(isState(agent.paneId, state));
    const at = harness.drop(agent, event, { background_tasks: [] });
    sample.push((await arrived) - at);
    await wait(37);
  }
  return spreadOf(sample);
};

/** Screens only: each dialog is drawn at an odd moment over an agent that has been at rest. */
const measureDialogs = async (harness: Harness, feed: FeedWatch, dialogs: number): Promise<Spread> => {
  const sample: number[] = [];
  for (const agent of harness.agents.slice(0, dialogs)) {
    await wait(100 + Math.random() * 700);
    const arrived = feed.next(isState(agent.paneId, "waiting_approval"));
    const at = agent.frame("waiting_approval");
    sample.push((await arrived) - at);
  }
  for (const agent of harness.agents) agent.frame("idle_fresh");
  return spreadOf(sample);
};

const memoryOf = (daemon: Daemon) => ({
  residentMb: residentMbOf(daemon.pid),
  childrenMb: processFamily(daemon.pid)
    .filter((pid) => pid !== daemon.pid)
    .reduce((sum, pid) => sum + residentMbOf(pid), 0),
});

/** A quiet stretch with the daemon between two without it; its start belongs to none of them. */
const measureIdle = async (
  harness: Harness,
  options: { seconds: number; settleMs: number; hooks: number },
): Promise<{ idle: WatchCost; waitSeen: Spread; firstAnswerMs: number }> => {
  const { seconds } = options;
  const before = await measureTmuxAlone(harness, seconds / ALONE_SHARE);
  const from = performance.now();
  const daemon = await harness.startDaemon();
  await daemon.client.call((api) => api.panes.query({}));
  const firstAnswerMs = performance.now() - from;
  await wait(options.settleMs);
  const cpu = await measureCpu(harness, daemon, seconds);
  const processesPerMinute = await countStarts(daemon, seconds / 6);
  const memory = memoryOf(daemon);
  const feed = new FeedWatch(daemon.client);
  const waitSeen = await measureDialogs(harness, feed, LIMIT_DIALOGS);
  const hookToFeed = await measureHooks(harness, feed, options.hooks);
  await feed.close();
  await daemon.stop();
  const after = await measureTmuxAlone(harness, seconds / ALONE_SHARE);
  const idle = {
    seconds,
    daemonPercent: cpu.daemon,
    childrenPercent: cpu.children,
    tmuxPercent: cpu.tmux - (before + after) / 2,
    ...memory,
    processesPerMinute,
    hookToFeed,
  };
  return { idle, waitSeen, firstAnswerMs };
};

/**
 * Fires hooks of one agent after the other, which begin and end tool calls in turns. Returns the number so far, and a function
 * that stops it.
 */
export const fireHooks = (harness: Harness): { count(): number; stop(): void } => {
  let fired = 0;
  const timer = setInterval(
    () => {
      const agent = harness.agents[fired % harness.agents.length];
      const event = Math.floor(fired / harness.agents.length) % 2 === 0 ? "PreToolUse" : "PostToolUse";
      if (agent !== undefined)
        harness.drop(agent, event, { tool_name: "Bash", tool_input: { command: "npm test" } });
      fired += 1;
    },
    (EVENT_EVERY_SECONDS * 1_000) / harness.agents.length,
  );
  return { count: () => fired, stop: () => clearInterval(timer) };
};

/** Every agent redraws whole frames and has a hook fire every two seconds: a turn with one tool call after the other. */
const measureBusy = async (
  harness: Harness,
  options: { seconds: number; settleMs: number; hooks: number },
): Promise<NonNullable<PanesFigures["busy"]>> => {
  const { seconds } = options;
  for (const agent of harness.agents) agent.busy(REDRAW_SECONDS);
  await wait(1_000);
  const before = await measureTmuxAlone(harness, seconds / ALONE_SHARE);
  const daemon = await harness.startDaemon();
  for (const agent of harness.agents) harness.drop(agent, "UserPromptSubmit");
  const hooks = fireHooks(harness);
  try {
    await wait(options.settleMs);
    const from = { fired: hooks.count(), at: performance.now() };
    const cpu = await measureCpu(harness, daemon, seconds);
    const eventsPerSecond = ((hooks.count() - from.fired) / (performance.now() - from.at)) * 1_000;
    const processesPerMinute = await countStarts(daemon, seconds / 6);
    const memory = memoryOf(daemon);
    hooks.stop();
    const feed = new FeedWatch(daemon.client);
    for (const agent of harness.agents) harness.drop(agent, "Stop", { background_tasks: [] });
    await wait(500);
    const hookToFeed = await measureHooks(harness, feed, options.hooks);
    await feed.close();
    await daemon.stop();
    const after = await measureTmuxAlone(harness, seconds / ALONE_SHARE);
    return {
      seconds,
      daemonPercent: cpu.daemon,
      childrenPercent: cpu.children,
      tmuxPercent: cpu.tmux - (before + after) / 2,
      ...memory,
      processesPerMinute,
      hookToFeed,
      eventsPerSecond,
      redrawsPerSecond: harness.agents.length / REDRAW_SECONDS,
    };
  } finally {
    hooks.stop();
    for (const agent of harness.agents) {
      agent.rest();
      agent.frame("idle_fresh");
    }
  }
};

/** One size. `wants` names what is asked for: idle, busy, naive. */
export const benchPanes = async (
  panes: number,
  wants: ReadonlySet<string>,
  { seconds: full, isQuick }: BenchOptions,
): Promise<PanesFigures> => {
  const agents = Math.max(2, Math.round(panes / PANES_PER_AGENT));
  const harness = await createHarness({ panes, agents });
  const settleMs = isQuick ? 300 : SETTLE_MS;
  // Some looks come every 30 s and some every 60. A stretch includes all of the first, and where there is a target, all of
  // both.
  const seconds = panes === TARGET_PANES ? full : full / 2;
  const short = full / 4;
  const hooks = isQuick ? 4 : HOOKS;
  try {
    await wait(settleMs / 3);
    const listPanes = await measureListPanes(harness, isQuick ? 2 : 20);
    const quiet = wants.has("idle") ? await measureIdle(harness, { seconds, settleMs, hooks }) : null;
    const busy = wants.has("busy") ? await measureBusy(harness, { seconds: short, settleMs, hooks }) : null;
    const dialogs = Math.min(agents, LIMIT_DIALOGS);
    const naive = wants.has("naive")
      ? await measureNaive(harness, { seconds: short, dialogs, pauseSeconds: isQuick ? 0.1 : NAIVE_PAUSE })
      : null;
    return {
      panes,
      agents,
      firstAnswerMs: quiet?.firstAnswerMs ?? null,
      idle: quiet?.idle ?? null,
      busy,
      waitSeen: quiet?.waitSeen ?? null,
      naive,
      listPanes,
    };
  } finally {
    await harness.close();
  }
};
