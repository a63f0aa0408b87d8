// Sessions of Claude Code that no pane shows: what twenty of them cost while they rest, and how soon a wait is in the feed, by
// their files alone and by an event.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { dropEvent, eventText } from "../test/harness/eventFile.ts";
import { createHarness, type Harness } from "./benchHarness.ts";
import { FeedWatch } from "./feedWatch.ts";
import { familyCpuOf } from "./processCost.ts";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { percent, SPREAD_HEAD, spreadCells } from "./report/words.ts";
import { spreadOf } from "./statistics.ts";

const SESSIONS = 20;
const QUIET_MS = 6_000;
/** By then files of sessions that rest are read once a minute. */
const RESTED_MS = 45_000;
const STRETCH_MS = 30_000;
/** Files of a session that just began count as those of its process. */
const BEGAN_MS = 200;

interface Session {
  readonly id: string;
  readonly sessionId: string;
  readonly worker: ChildProcess;
}

const begin = (index: number): Session => {
  const id = (0x1000_0000 + index).toString(16);
  return { id, sessionId: `${id}-0000-4000-8000-000000000000`, worker: spawn("sleep", ["100000"]) };
};

/** Writes both files as the agent does; gives the time just before. */
const write = ({ home }: Harness, { id, sessionId, worker }: Session, isWaiting: boolean): number => {
  const claude = join(home, ".claude");
  const at = performance.now();
  const status = isWaiting ? { status: "waiting", waitingFor: "permission prompt" } : { status: "idle" };
  const job = isWaiting
    ? { state: "working", tempo: "blocked", needs: "approve Bash: make" }
    : { state: "working", tempo: "idle", detail: "done" };
  mkdirSync(join(claude, "sessions"), { recursive: true });
  mkdirSync(join(claude, "jobs", id), { recursive: true });
  const file = { pid: worker.pid, startedAt: Date.now(), version: "2.1.329", kind: "bg", jobId: id };
  const path = join(claude, "sessions", `${worker.pid}.json`);
  writeFileSync(path, JSON.stringify({ ...file, sessionId, ...status }));
  writeFileSync(join(claude, "jobs", id, "state.json"), JSON.stringify({ ...job, intent: `task ${id}` }));
  return at;
};

const cpuPercent = async (pid: number, stretchMs: number): Promise<number> => {
  const [before, from] = [familyCpuOf(pid), performance.now()];
  await wait(stretchMs);
  const after = familyCpuOf(pid);
  const seconds = after.own + after.children - before.own - before.children;
  return (seconds / ((performance.now() - from) / 1_000)) * 100;
};

const measure = async (harness: Harness, sessions: readonly Session[], stretchMs: number) => {
  const daemon = await harness.startDaemon();
  const feed = new FeedWatch(daemon.client);
  const arrival = (session: Session, state: string): Promise<number> =>
    feed.next((pane) => pane.background?.id === session.id && pane.state === state);
  await wait(QUIET_MS);
  const without = await cpuPercent(daemon.pid, stretchMs);
  const known = sessions.map((session) => arrival(session, "idle"));
  await wait(BEGAN_MS);
  for (const session of sessions) write(harness, session, false);
  await Promise.all(known);
  await wait(stretchMs < STRETCH_MS ? QUIET_MS : RESTED_MS);
  const idle = await cpuPercent(daemon.pid, stretchMs);
  const byFile: number[] = [];
  const byEvent: number[] = [];
  for (const [index, session] of sessions.entries()) {
    await wait(137 * (1 + (index % 7)));
    const arrived = arrival(session, "waiting_approval");
    const payload = { tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: `toolu_${index}` };
    const text = eventText({ event: "PermissionRequest", sessionId: session.sessionId, payload });
    if (index % 2 === 0) {
      byFile.push(-write(harness, session, true) + (await arrived));
    } else {
      const at = dropEvent(harness.paths.spool, `8${String(index).padStart(8, "0")}-0`, text);
      byEvent.push((await arrived) - at);
    }
  }
  await feed.close();
  await daemon.stop();
  return { without, idle, byFile: spreadOf(byFile), byEvent: spreadOf(byEvent) };
};

export const benchBackground = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const harness = await createHarness({ panes: 20, agents: 2 });
  const sessions = Array.from({ length: isQuick ? 2 : SESSIONS }, (_, index) => begin(index));
  try {
    const figures = await measure(harness, sessions, isQuick ? 500 : STRETCH_MS);
    const { without, idle, byFile, byEvent } = figures;
    return {
      name: "background",
      title: "Sessions that no pane shows",
      how: `${sessions.length} background sessions of Claude Code, each a process with the files that 2.1.329 writes, beside 20 panes with two agents. CPU of the daemon and its children is read over stretches of ${STRETCH_MS / 1_000} s in one run.`,
      tables: [
        {
          caption: "Percent of a core while nothing happens",
          head: ["without them", "with them", "more"],
          rows: [[percent(without), percent(idle), percent(idle - without)]],
        },
        {
          caption: "From → to the client's feed",
          head: ["path", ...SPREAD_HEAD],
          rows: [
            ["its files say that it waits", ...spreadCells(byFile)],
            ["an event of its hook says so", ...spreadCells(byEvent)],
          ],
        },
      ],
      checks: [
        atMost("idle CPU for them", idle - without, 0.1, "% of a core"),
        atMost("a wait by files alone → feed, p95", byFile.p95, 1_000, "ms"),
        atMost("a wait by its hook → feed, p95", byEvent.p95, 300, "ms"),
      ],
      notes: [],
      figures,
    };
  } finally {
    for (const { worker } of sessions) worker.kill("SIGKILL");
    await harness.close();
  }
};
