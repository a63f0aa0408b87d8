// The daemon as a process of its own, killed at any moment while it works the queues of several agents off on real tmux, and what has
// become of every text afterwards: it is sent once, or said to be unverified.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { runtimePaths } from "../../../core/rpc/paths.ts";
import { connectSocket, type DaemonClient } from "../../../core/rpc/socketClient.ts";
import { startDaemonProcess, type DaemonProcess } from "../../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../../harness/privateTmux.ts";
import { until } from "../../setup/realClock.ts";

/** From the moment in which texts are armed to well after the first was sent. */
const LATEST_KILL_MS = 3_000;
const START_MS = 30_000;
const REST_MS = 120_000;
/** More of them would only be waited for at the end. */
const MAX_WAITING = 3;
/** Long enough to be seen by the screen alone. */
const TURN_MS = 1_800;
const SCRIPT = fileURLToPath(new URL("../../actions/boxAgent.mjs", import.meta.url));
const jobsSchema = z.object({
  items: z.array(
    z.object({
      job_id: z.string(),
      state: z.string(),
      runtime_id: z.string().nullable(),
      waits_for: z.string().nullable(),
    }),
  ),
});
const detailSchema = z.object({ told: z.array(z.object({ outcome: z.string() })) });
const armedSchema = z.object({ job_id: z.string() });

export interface KillReport {
  kills: number;
  armed: number;
  /** Arrived, once. */
  sent: number;
  /** Nobody knows, and it is said. */
  unverified: number;
  faults: string[];
}

interface Scene {
  readonly root: string;
  readonly tmux: PrivateTmux;
  readonly agents: number;
  readonly main: string;
}

const openAgents = async ({ root, tmux, agents }: Scene): Promise<() => string[]> => {
  const logs = Array.from({ length: agents }, (_, index) => join(root, `received-${index}`));
  for (const [index, log] of logs.entries()) {
    const script = join(root, String(index), "@anthropic-ai", "claude-code", "cli.mjs");
    mkdirSync(dirname(script), { recursive: true });
    copyFileSync(SCRIPT, script);
    const command = `exec '${process.execPath}' '${script}' '${log}' '{"turnMs":${TURN_MS}}'`;
    const place = index === 0 ? ["new-session", "-s", "work"] : ["new-window", "-t", "work:"];
    const size = index === 0 ? ["-x", "120", "-y", "40"] : [];
    await tmux.run(...place, "-d", ...size, command);
  }
  return () =>
    logs.filter(existsSync).flatMap((log) =>
      readFileSync(log, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => String(JSON.parse(line))),
    );
};

interface Launched {
  readonly client: DaemonClient;
  kill(): Promise<void>;
}

const connect = async (home: string): Promise<DaemonClient> => {
  let connected: DaemonClient | null = null;
  await until(
    async () => {
      try {
        const paths = runtimePaths(home);
        connected = await connectSocket({
          paths,
          version: "test",
          checkVersion: false,
          helloTimeoutMs: 10_000,
        });
      } catch (error) {
        // It has not bound its socket yet.
        if (!(error instanceof AgtmuxError)) throw error;
      }
      return connected !== null;
    },
    "the daemon answers",
    START_MS,
  );
  if (connected === null) throw new Error("the daemon does not answer");
  return connected;
};

const launch = async ({ root, tmux, main }: Scene): Promise<Launched> => {
  const home = join(root, "a");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const env = { HOME: root, AGTMUX_TMUX_SOCKETS: tmux.socketPath };
  const daemon: DaemonProcess = startDaemonProcess({ home, main, env });
  let client: DaemonClient | null = null;
  const kill = async (): Promise<void> => {
    client?.close();
    await daemon.stop("SIGKILL");
  };
  try {
    client = await connect(home);
    return { client, kill };
  } catch (error) {
    await kill();
    throw error;
  }
};

const runtimesOf = async (client: DaemonClient, count: number): Promise<string[]> => {
  let found: string[] = [];
  await until(
    async () => {
      const { items } = await client.call((api) => api.panes.query({}));
      found = items.flatMap(({ identity }) => identity.runtime_id ?? []);
      return found.length === count;
    },
    "the agents are listed",
    START_MS,
  );
  return found;
};

const jobsOf = async (client: DaemonClient) =>
  jobsSchema.parse(await client.forward("automation.jobs", "query", { limit: 1_000 })).items;
const isOver = ({ state }: { state: string }): boolean => state === "done" || state === "stopped";

/**
 * A daemon that was killed between a text and its Enter leaves it in the box, and what comes after it waits for the person, who sends
 * it here.
 */
const sendDrafts = async ({ tmux }: Scene, client: DaemonClient): Promise<void> => {
  const waiting = (await jobsOf(client)).filter((job) => job.waits_for?.includes("has a draft") === true);
  const { items } = await client.call((api) => api.panes.query({}));
  for (const { identity } of items)
    if (waiting.some((job) => job.runtime_id === identity.runtime_id))
      await tmux.run("send-keys", "-t", identity.pane_id ?? "", "Enter");
};

/** Arms a text for each agent that does not have enough of them. */
const arm = async (
  client: DaemonClient,
  runtimes: readonly string[],
  armed: Map<string, string>,
): Promise<void> => {
  const open = (await jobsOf(client)).filter((job) => !isOver(job));
  for (const runtimeId of runtimes) {
    if (open.filter((job) => job.runtime_id === runtimeId).length >= MAX_WAITING) continue;
    const text = `text ${armed.size}`;
    const input = { runtimeId, trigger: { kind: "ready" }, text, expiresMs: 3_600_000, surface: "test" };
    const { job_id: jobId } = armedSchema.parse(await client.forward("automation.send", "mutation", input));
    armed.set(jobId, text);
  }
};

const outcomeOf = async (client: DaemonClient, id: string): Promise<string> =>
  detailSchema.parse(await client.forward("automation.job", "query", { id })).told[0]?.outcome ?? "";

/** What became of every text, once nothing waits any more. */
const judge = async (
  client: DaemonClient,
  armed: ReadonlyMap<string, string>,
  received: readonly string[],
): Promise<Omit<KillReport, "kills">> => {
  const jobs = new Map((await jobsOf(client)).map((job) => [job.job_id, job.state]));
  const report: Omit<KillReport, "kills"> = { armed: armed.size, sent: 0, unverified: 0, faults: [] };
  for (const [jobId, text] of armed) {
    const times = received.filter((one) => one === text).length;
    const state = jobs.get(jobId) ?? "lost";
    const outcome = state === "lost" ? "" : await outcomeOf(client, jobId);
    if (times > 1) report.faults.push(`${text} arrived ${times} times`);
    else if (state === "done" && times === 1) report.sent += 1;
    else if (state === "stopped" && outcome.startsWith("unverified")) report.unverified += 1;
    else report.faults.push(`${text} is ${state} (${outcome}) and arrived ${times} times`);
  }
  const own = new Set(armed.values());
  for (const text of received) if (!own.has(text)) report.faults.push(`nobody armed '${text}'`);
  return report;
};

/** One tmux server and one home: the agents go on, the daemon is killed again and again. */
export const killQueue = async (options: {
  main: string;
  kills: number;
  agents: number;
}): Promise<KillReport> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-queuekills-"));
  const scene: Scene = { ...options, root, tmux: createPrivateTmux() };
  let launched: Launched | null = null;
  try {
    const received = await openAgents(scene);
    const armed = new Map<string, string>();
    for (let round = 0; round < options.kills; round += 1) {
      launched = await launch(scene);
      await arm(launched.client, await runtimesOf(launched.client, options.agents), armed);
      await wait(Math.random() * LATEST_KILL_MS);
      await launched.kill();
    }
    launched = await launch(scene);
    const { client } = launched;
    await until(
      async () => {
        await sendDrafts(scene, client);
        return (await jobsOf(client)).every(isOver);
      },
      "nothing waits any more",
      REST_MS,
    );
    return { kills: options.kills, ...(await judge(client, armed, received())) };
  } finally {
    await launched?.kill();
    await scene.tmux.close();
    rmSync(root, { recursive: true, force: true });
  }
};
