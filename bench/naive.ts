// The baseline in the same setup: a script that looks at every pane every two seconds, and tmux's own listing.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { familyCpuOf, threadCpuOf } from "./processCost.ts";
import type { Harness } from "./benchHarness.ts";
import { spreadOf, type Spread } from "./statistics.ts";

const SCRIPT = fileURLToPath(new URL("baseline/naive.sh", import.meta.url));
/** At a thousand panes on a busy machine a round alone may take a minute. */
const ROUNDS_LIMIT_MS = 400_000;
/** A round starts one process for the listing, one for the pause and one for each pane. */
const PROCESSES_BESIDE_PANES = 2;

export interface NaiveCost {
  seconds: number;
  /** Percent of a core: the script with its children, plus what the tmux server uses more than without the script. */
  cpuPercent: number;
  tmuxPercent: number;
  processesPerMinute: number;
  /** The time from the first frame of a dialog until the script reports it. */
  waitSeen: Spread;
}

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
export const measureTmuxAlone = async (harness: Harness, seconds: number): Promise<number> => {
  const before = threadCpuOf(harness.tmuxPid);
  await wait(seconds * 1_000);
  return ((threadCpuOf(harness.tmuxPid) - before) / seconds) * 100;
};

/** At least `seconds`, two whole rounds, and until each of that many `dialogs` was seen. */
export const measureNaive = async (
  harness: Harness,
  options: { seconds: number; dialogs: number; pauseSeconds: number },
): Promise<NaiveCost> => {
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
      cpuPercent: (used / seconds) * 100,
      tmuxPercent: (tmux / seconds) * 100 - tmuxAlone,
      processesPerMinute: (started / seconds) * 60,
      waitSeen: spreadOf([...drawn].map(([pane, at]) => (script.watched.seen.get(pane) ?? Number.NaN) - at)),
    };
  } finally {
    await script.stop();
    for (const agent of harness.agents) agent.frame("idle_fresh");
  }
};

/** Milliseconds of one `tmux list-panes -a -F …` as a process of its own. */
export const measureListPanes = async (harness: Harness, runs: number): Promise<Spread> => {
  const sample: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const from = performance.now();
    await harness.tmux.run("list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_title} #{session_name}");
    sample.push(performance.now() - from);
  }
  return spreadOf(sample);
};
