// The real daemon process with the probe beside it: started as a person's would be, but with a collector that can be
// called and a channel over which it tells what it holds.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import { connectSocket, type DaemonClient } from "../../core/rpc/socketClient.ts";
import type { HeapSample, LightSample, Numbered, ProbeAnswer, ProbeQuestion } from "./probe.ts";

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const PROBE = new URL("probe.ts", import.meta.url).href;
const START_LIMIT_MS = 30_000;

export interface ProbedDaemon {
  readonly pid: number;
  connect(): Promise<DaemonClient>;
  lightSample(): Promise<LightSample>;
  heapSample(): Promise<HeapSample>;
  /** Makes it hold one more of everything, eight timers and emitters, 5,000 objects, and so many bytes. */
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
  child.on("message", ({ id, ...answer }: Numbered<ProbeAnswer>) => {
    open.get(id)?.(answer);
    open.delete(id);
  });
  let asked = 0;
  const ask = (question: ProbeQuestion): Promise<ProbeAnswer> => {
    const id = (asked += 1);
    const answered = new Promise<ProbeAnswer>((resolve) => open.set(id, resolve));
    child.send({ id, ...question } satisfies Numbered<ProbeQuestion>);
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
    lightSample: async () => {
      const answer = await ask({ ask: "light" });
      if (answer.ask !== "light") throw new Error(`the probe answered ${JSON.stringify(answer)}`);
      return answer.sample;
    },
    heapSample: async () => {
      const answer = await ask({ ask: "heap" });
      if (answer.ask !== "heap") throw new Error(`the probe answered ${JSON.stringify(answer)}`);
      return answer.sample;
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
