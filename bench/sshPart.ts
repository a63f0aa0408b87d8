// The part `ssh`, `npm run bench:ssh`: latency, lists and rest over both transports, and the cost to the remote side. Long, so only by name.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { loadRecording } from "../adapters/testkit/recordings.ts";
import { drawFrame } from "../test/player/frames.ts";
import { familyCpuOf, processFamily, residentMbOf, threadCpuOf } from "./processCost.ts";
import { atMost, type BenchOptions, type Check, type Measured } from "./report/model.ts";
import { digits, mb, percent, SPREAD_HEAD, spreadCells } from "./report/words.ts";
import { createSshHarness, type SshHarness, type Transport, untilHealth } from "./sshHarness.ts";
import { benchSshIdle, type SshIdle } from "./sshIdle.ts";
import { benchSshLatency, type SshLatency } from "./sshLatency.ts";
import { benchSshLists, type SshLists } from "./sshLists.ts";

// What watching costs the watched machine: the CPU of everything that the daemon's SSH sessions run there, and how much more
// its tmux server uses than without us, with agents at rest and with agents that redraw.

interface SshRemoteCost {
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

const benchSshRemoteCost = async (transport: Transport, seconds: number): Promise<SshRemoteCost> => {
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

interface Figures {
  transport: Transport;
  latency: SshLatency;
  lists: SshLists;
  idle: SshIdle;
  remote: SshRemoteCost;
}

const TRANSPORTS: readonly Transport[] = ["openssh", "ssh2"];
const ROUNDS = 40;
const LIST_SECONDS = 20;
const REMOTE_SECONDS = 30;

const checksOf = ({ transport, latency, lists, idle }: Figures): Check[] => [
  atMost(`hook → feed over ${transport}, p95`, latency.hookToFeed.p95, 400, "ms"),
  atMost(`wait by its screen → feed over ${transport}, p95`, latency.screenToFeed.p95, 2_000, "ms"),
  atMost(`list with targets in trouble, ${transport}, p95`, lists.list.p95, 50, "ms"),
  atMost(`on the wire while idle, ${transport}`, idle.wireBytesPerSecond / 1_000, 2, "kB/s"),
  ...(idle.processStartsPerMinute === null
    ? []
    : [atMost(`programs started over there, ${transport}`, idle.processStartsPerMinute, 20, "/min")]),
];

const toMeasured = (all: readonly Figures[]): Measured => ({
  name: "ssh",
  title: "Targets behind SSH",
  how: "A real sshd behind a proxy that adds 50 ms of round trip, 50 panes over there, both transports. The remote side's cost is measured without the added delay: the sshd processes that serve the daemon with everything they started, and what the remote tmux server uses more than without it.",
  tables: [
    {
      caption: "Latency to the client's feed",
      head: ["transport", "path", ...SPREAD_HEAD],
      rows: all.flatMap(({ transport, latency, lists }) => [
        [transport, "event dropped by the remote hook", ...spreadCells(latency.hookToFeed)],
        [transport, "first frame of a dialog that no event tells of", ...spreadCells(latency.screenToFeed)],
        [
          transport,
          "list of all panes, with one target frozen and one with a changed key",
          ...spreadCells(lists.list),
        ],
      ]),
    },
    {
      caption: "While nothing happens",
      head: ["transport", "on the wire", "packets/s", "channels", "programs started/min"],
      rows: all.map(({ transport, idle }) => [
        transport,
        `${digits(idle.wireBytesPerSecond / 1_000)} kB/s`,
        idle.packetsPerSecond.toFixed(1),
        String(idle.channels),
        idle.processStartsPerMinute?.toFixed(1) ?? "not measured: no PID namespace",
      ]),
    },
    {
      caption: "Percent of a core of the remote side",
      head: [
        "transport",
        "sessions, agents idle",
        "tmux, idle",
        "sessions, five agents redraw",
        "tmux, busy",
        "resident",
      ],
      rows: all.map(({ transport, remote }) => [
        transport,
        percent(remote.idle.sessionPercent),
        percent(remote.idle.tmuxPercent),
        percent(remote.busy.sessionPercent),
        percent(remote.busy.tmuxPercent),
        mb(remote.sessionMb),
      ]),
    },
  ],
  checks: all.flatMap(checksOf),
  notes: all.map(({ transport, latency, lists }) => {
    const targets = lists.targets.map(
      ({ target, health, reason }) => `${target} ${health}${reason === null ? "" : ` (${reason})`}`,
    );
    return `${transport}: measured round trip ${latency.rttMs} ms; targets at the end of the lists: ${targets.join("; ")}.`;
  }),
  figures: all,
});

export const benchSsh = async ({ isQuick, seconds }: BenchOptions): Promise<Measured> => {
  const all: Figures[] = [];
  for (const transport of TRANSPORTS)
    all.push({
      transport,
      remote: await benchSshRemoteCost(transport, isQuick ? 3 : REMOTE_SECONDS),
      latency: await benchSshLatency(transport, isQuick ? 4 : ROUNDS),
      lists: await benchSshLists(transport, isQuick ? 2 : LIST_SECONDS),
      idle: await benchSshIdle(transport, isQuick ? 3 : seconds),
    });
  return toMeasured(all);
};
