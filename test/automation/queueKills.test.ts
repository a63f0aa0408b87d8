// The daemon as a process of its own, killed at any moment while it works a queue off on real tmux: what it was armed with is sent
// once, or said to be unverified. AGTMUX_KILLS=1000 makes it a night's run.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { AgtmuxError } from "../../core/model/errors.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { connectSocket, type DaemonClient } from "../../core/rpc/socketClient.ts";
import { bundleDaemon } from "../faults/bundledDaemon.ts";
import { startDaemonProcess, type DaemonProcess } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";

const KILLS = Number(process.env["AGTMUX_KILLS"] ?? 6);
/** From the moment in which a text is armed to well after it was sent. */
const LATEST_KILL_MS = 3_000;
const PER_KILL_MS = 12_000;
const REST_MS = 120_000;
const SCRIPT = fileURLToPath(new URL("../actions/boxAgent.mjs", import.meta.url));
const jobsSchema = z.object({ items: z.array(z.object({ job_id: z.string(), state: z.string() })) });
const detailSchema = z.object({ told: z.array(z.object({ outcome: z.string() })) });

let root: string;
let tmux: PrivateTmux;
let daemon: DaemonProcess | null = null;
let client: DaemonClient | null = null;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-queuekills-"));
  tmux = createPrivateTmux();
});
afterEach(async () => {
  client?.close();
  await daemon?.stop("SIGKILL");
  await tmux.close();
  rmSync(root, { recursive: true, force: true });
});

/** An agent that takes its time for each text. */
const openAgent = async (): Promise<() => string[]> => {
  const script = join(root, "@anthropic-ai", "claude-code", "cli.mjs");
  const log = join(root, "received");
  mkdirSync(dirname(script), { recursive: true });
  copyFileSync(SCRIPT, script);
  const command = `exec '${process.execPath}' '${script}' '${log}' '{"turnMs":2500}'`;
  await tmux.run("new-session", "-d", "-s", "work", "-x", "120", "-y", "40", command);
  return () =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => String(JSON.parse(line)))
      : [];
};

const launch = async (main: string): Promise<DaemonClient> => {
  const paths = runtimePaths(join(root, "a"));
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  const env = { HOME: root, AGTMUX_TMUX_SOCKETS: tmux.socketPath };
  daemon = startDaemonProcess({ home: paths.home, main, env });
  let connected: DaemonClient | null = null;
  await until(
    async () => {
      try {
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
    30_000,
  );
  if (connected === null) throw new Error("the daemon does not answer");
  return (client = connected);
};

const runtimeOf = async (asked: DaemonClient): Promise<string> => {
  let found: string | null = null;
  await until(
    async () => {
      const { items } = await asked.call((api) => api.panes.query({}));
      found = items[0]?.identity.runtime_id ?? null;
      return found !== null;
    },
    "the agent is listed",
    30_000,
  );
  return found ?? "";
};

it(
  `${KILLS} killed daemons lose and double nothing of the queue`,
  { timeout: REST_MS + KILLS * PER_KILL_MS },
  async () => {
    const main = await bundleDaemon();
    const received = await openAgent();
    const armed = new Map<string, string>();
    for (let round = 0; round < KILLS; round += 1) {
      const asked = await launch(main);
      const runtimeId = await runtimeOf(asked);
      const text = `text ${round}`;
      const input = { runtimeId, trigger: { kind: "ready" }, text, expiresMs: 3_600_000, surface: "test" };
      const job = z.object({ job_id: z.string() }).safeParse(
        // Ten may wait: then this round only kills.
        await asked.forward("automation.send", "mutation", input).catch(() => null),
      );
      if (job.success) armed.set(job.data.job_id, text);
      await wait(Math.random() * LATEST_KILL_MS);
      asked.close();
      await daemon?.stop("SIGKILL");
    }
    const asked = await launch(main);
    const jobs = async () => jobsSchema.parse(await asked.forward("automation.jobs", "query", {})).items;
    await until(
      async () => (await jobs()).every(({ state }) => state === "done" || state === "stopped"),
      "nothing waits any more",
      REST_MS,
    );
    const texts = received();
    expect(new Set(texts).size, "no text arrived twice").toBe(texts.length);
    expect(armed.size).toBeGreaterThan(0);
    for (const { job_id, state } of await jobs()) {
      const { told } = detailSchema.parse(await asked.forward("automation.job", "query", { id: job_id }));
      const hasArrived = texts.includes(armed.get(job_id) ?? "");
      const outcome = told[0]?.outcome ?? "";
      // Done: it arrived. Stopped: nobody knows, and it is said.
      expect([state, state === "done" ? hasArrived : outcome.startsWith("unverified")], outcome).toEqual([
        state,
        true,
      ]);
    }
  },
);
