// What watching costs the watched machine: the CPU of everything that the daemon's SSH sessions run there, and how much more
// its tmux server uses than without us, with agents at rest and with agents that redraw.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { loadRecording } from "../adapters/testkit/recordings.ts";
import { drawFrame } from "../test/player/frames.ts";
import { familyCpuOf, processFamily, residentMbOf, threadCpuOf } from "./processCost.ts";
import { createSshHarness, untilHealth, type SshHarness, type Transport } from "./sshHarness.ts";

export interface SshRemoteCost {
  transport: Transport;
  panes: number;
  seconds: number;
  /** Percent of a core: the sshd processes that serve us with all that they started, and the remote tmux server's increase. */
  idle: { sessionPercent: number; tmuxPercent: number };
  busy: { sessionPercent: number; tmuxPercent: number };
  sessionMb: number;
}

const PANES = 50;
const AGENTS = 5;
const REDRAW_SECONDS = 0.25;
const SETTLE_MS = 12_000;
const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const AGENT_SCRIPT = fileURLToPath(new URL("agent.sh", import.meta.url));

/** Opens the remote panes; returns a function that gives every agent a command. */
const openRemotePanes = async ({ server, remote }: SshHarness): Promise<(line: string) => void> => {
  const at = (...path: string[]): string => join(server.folder, ...path);
  mkdirSync(at("frames"));
  mkdirSync(at("agent"));
  for (const name of ["idle_fresh", "running", "tool_running"])
    writeFileSync(at("frames", name), drawFrame(loadRecording(RECORDINGS, name)));
  const bash = execFileSync("sh", ["-c", "command -v bash"], { encoding: "utf8" }).trim();
  symlinkSync(bash, at("agent", "claude"));
  const fifos = Array.from({ length: AGENTS }, (_, index) => at(`fifo-${index}`));
  execFileSync("mkfifo", fifos);
  await remote.run("new-session", "-d", "-s", "s", "-x", "120", "-y", "40", "exec sleep 100000");
  for (let pane = 1; pane < PANES; pane += 1) {
    const fifo = fifos[pane - 1];
    const agent = `exec env LC_ALL=C '${at("agent", "claude")}' '${AGENT_SCRIPT}' '${fifo}' '${at("frames")}'`;
    await remote.run("new-window", "-d", "-t", "s:", fifo === undefined ? "exec sleep 100000" : agent);
  }
  const tell = (line: string): void => {
    for (const fifo of fifos) writeFileSync(fifo, `${line}\n`);
  };
  tell("frame idle_fresh");
  return tell;
};

export const benchSshRemoteCost = async (transport: Transport, seconds: number): Promise<SshRemoteCost> => {
  const harness = await createSshHarness(transport);
  const { server, remote } = harness;
  try {
    const tell = await openRemotePanes(harness);
    const tmuxPid = await remote.serverPid();
    const tmuxAlone = async (): Promise<number> => {
      const before = threadCpuOf(tmuxPid);
      await wait((seconds / 3) * 1_000);
      return ((threadCpuOf(tmuxPid) - before) / (seconds / 3)) * 100;
    };
    const sessionSeconds = (): number =>
      server
        .connectionPids()
        .map(familyCpuOf)
        .reduce((sum, { own, children }) => sum + own + children, 0);
    const measure = async (alone: number) => {
      const before = { session: sessionSeconds(), tmux: threadCpuOf(tmuxPid) };
      await wait(seconds * 1_000);
      return {
        sessionPercent: ((sessionSeconds() - before.session) / seconds) * 100,
        tmuxPercent: ((threadCpuOf(tmuxPid) - before.tmux) / seconds) * 100 - alone,
      };
    };
    const idleAlone = await tmuxAlone();
    tell(`busy ${REDRAW_SECONDS}`);
    await wait(1_000);
    const busyAlone = await tmuxAlone();
    tell("rest");
    tell("frame idle_fresh");
    const client = await harness.startDaemon([harness.settingsOf("vm1", server.alias)]);
    await untilHealth(client, "vm1", "ok");
    await wait(SETTLE_MS);
    const idle = await measure(idleAlone);
    tell(`busy ${REDRAW_SECONDS}`);
    await wait(2_000);
    const busy = await measure(busyAlone);
    const sessionMb = server
      .connectionPids()
      .flatMap(processFamily)
      .reduce((sum, pid) => sum + residentMbOf(pid), 0);
    return { transport, panes: PANES, seconds, idle, busy, sessionMb };
  } finally {
    await harness.close();
  }
};
