// The real daemon process with the probe beside it: started as a person's would be, but with a collector that can be
// called and a channel over which it tells what it holds.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import { connectSocket, type DaemonClient } from "../../core/rpc/socketClient.ts";
import type { ProbeAnswer, ProbeQuestion, ProbeSample } from "./probe.ts";

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const PROBE = new URL("probe.ts", import.meta.url).href;
const START_LIMIT_MS = 30_000;

export interface ProbedDaemon {
  readonly pid: number;
  connect(): Promise<DaemonClient>;
  sample(): Promise<ProbeSample>;
  /** Makes it hold one more of everything, and an array of so many characters. */
  leak(bytes: number): Promise<void>;
  /** Living children. Linux only. */
  children(): number;
  /** What it wrote to stderr: its log. */
  log(): string;
  stop(): Promise<void>;
}

export const startProbedDaemon = async (options: {
  paths: RuntimePaths;
  env: Readonly<Record<string, string>>;
}): Promise<ProbedDaemon> => {
  const { paths } = options;
  const child = spawn(
    process.execPath,
    ["--expose-gc", "--import", PROBE, MAIN, "daemon", "run", "--foreground"],
    {
      env: { ...process.env, ...options.env, AGTMUX_HOME: paths.home, AGTMUX_LOG_LEVEL: "warn" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    },
  );
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-20_000)));
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const open = new Map<number, (answer: ProbeAnswer) => void>();
  child.on("message", (answer: ProbeAnswer) => {
    open.get(answer.id)?.(answer);
    open.delete(answer.id);
  });
  let asked = 0;
  const ask = (question: { ask: "sample" } | { ask: "leak"; bytes: number }): Promise<ProbeAnswer> => {
    const id = (asked += 1);
    const answered = new Promise<ProbeAnswer>((resolve) => open.set(id, resolve));
    child.send({ id, ...question } satisfies ProbeQuestion);
    return Promise.race([
      answered,
      gone.then(() => {
        throw new Error(`the daemon ended: ${log.slice(-2_000)}`);
      }),
    ]);
  };
  const connect = (): Promise<DaemonClient> =>
    connectSocket({ paths, version: "soak", checkVersion: false, helloTimeoutMs: 10_000 });

  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      (await connect()).close();
      break;
    } catch (error) {
      if (!(error instanceof AgtmuxError) || performance.now() > deadline) throw error;
      await wait(20);
    }
  }
  const pid = child.pid ?? 0;
  return {
    pid,
    connect,
    sample: async () => {
      const { sample } = await ask({ ask: "sample" });
      if (sample === null) throw new Error(`the probe gave no sample: ${log.slice(-2_000)}`);
      return sample;
    },
    leak: async (bytes) => void (await ask({ ask: "leak", bytes })),
    children: () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).length,
    log: () => log,
    stop: async () => {
      child.kill("SIGTERM");
      await gone;
    },
  };
};
