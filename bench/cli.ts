// `npm run bench:cli`: what `agtmux list panes --json` costs with a thousand panes, the daemon's share of it, and the whole
// command beside an empty Node, in turns; and how long the daemon's own looks hold its loop. Real tmux with one process per
// pane that counts as an agent and shows nothing, which is read more often than one at rest; the built command line and
// daemon through bin/agtmux as they are installed: without sources to compare ages with. `--panes N`, `--runs N`, `--turns N`
// of asking, `--settle MS`, `--quiet SECONDS` in which the loop is watched (0); `--json` prints the figures as JSON.
import { describeMachine } from "./machine.ts";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runtimePaths, type RuntimePaths } from "../core/rpc/paths.ts";
import { agentFile } from "../test/harness/agentFile.ts";
import { connectOnceUp } from "../test/harness/daemonProcess.ts";
import { createPrivateTmux } from "../test/harness/privateTmux.ts";
import { installCommand } from "./benchHarness.ts";
import { spreadOf, type Spread } from "./statistics.ts";

const SESSIONS = 20;
const SEEN_LIMIT_MS = 120_000;
/** After this time, in milliseconds, a thousand panes have been read for the first time. */
const SETTLE_MS = 5_000;
const LOOP_PROBE = fileURLToPath(new URL("loopProbe.mjs", import.meta.url));
const SERVER_TURNS = 300;
const SERVER_PAUSE_MS = 37;

type Stretches = Spread & { p99: number; over8PerSecond: number };

/** Milliseconds and bytes of one answer, unparsed. */
const ask = (socketPath: string): Promise<{ ms: number; bytes: number }> =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    let bytes = 0;
    const outgoing = request({ socketPath, path: "/panes?input=%7B%7D", headers: { host: "agtmux" } });
    outgoing.once("response", (response) => {
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.once("end", () => resolve({ ms: performance.now() - from, bytes }));
    });
    outgoing.once("error", reject);
    outgoing.end();
  });

const seenBy = async (paths: RuntimePaths, panes: number): Promise<void> => {
  const client = await connectOnceUp(paths.home);
  try {
    const deadline = performance.now() + SEEN_LIMIT_MS;
    for (;;) {
      const { items } = await client.call((api) => api.panes.query({}));
      if (items.length >= panes) return;
      if (performance.now() > deadline)
        throw new Error(`bench cli: only ${items.length} of ${panes} panes were seen`);
      await wait(250);
    }
  } finally {
    client.close();
  }
};

interface DaemonHarness {
  paths: RuntimePaths;
  panes: number;
  settleMs: number;
  env: NodeJS.ProcessEnv;
}

/** Starts the installed daemon, and resolves when it has read all panes for the first time. */
const startDaemon = async (
  agtmux: string,
  { paths, panes, settleMs, env }: DaemonHarness,
): Promise<{ pid: number; stop(): Promise<void> }> => {
  const child = spawn(agtmux, ["daemon", "run", "--foreground"], { env, stdio: "ignore" });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = (): Promise<void> => {
    child.kill("SIGTERM");
    return gone;
  };
  try {
    await seenBy(paths, panes);
    await wait(settleMs);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, stop };
};

/** Uses its own daemon, because measuring costs time. */
const measureStretches = async (
  agtmux: string,
  harness: DaemonHarness,
  seconds: number,
): Promise<Stretches> => {
  const out = join(harness.paths.home, "stretches.json");
  const env = { ...harness.env, NODE_OPTIONS: `--import=${LOOP_PROBE}`, AGTMUX_LOOP_PROBE: out };
  const daemon = await startDaemon(agtmux, { ...harness, env });
  const written = async (): Promise<number[]> => {
    rmSync(out, { force: true });
    process.kill(daemon.pid, "SIGUSR2");
    while (!existsSync(out)) await wait(20);
    return z.array(z.number()).parse(JSON.parse(readFileSync(out, "utf8")));
  };
  try {
    // The time of the start does not count.
    await written();
    await wait(seconds * 1_000);
    const stretches = await written();
    const sorted = stretches.toSorted((x, y) => x - y);
    return {
      ...spreadOf(stretches),
      p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
      over8PerSecond: stretches.filter((ms) => ms > 8).length / seconds,
    };
  } finally {
    await daemon.stop();
  }
};

const timeOf = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): number => {
  const from = performance.now();
  const { status, stderr } = spawnSync(program, args, { env, maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`bench cli: ${program} ${args.join(" ")} failed: ${String(stderr)}`);
  return performance.now() - from;
};

const measure = async (options: {
  panes: number;
  runs: number;
  turns: number;
  settleMs: number;
  quietSeconds: number;
}) => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-bc-"));
  const tmux = createPrivateTmux();
  const closers: (() => Promise<void>)[] = [() => tmux.close()];
  try {
    const agent = agentFile(root);
    copyFileSync(execFileSync("sh", ["-c", "command -v cat"], { encoding: "utf8" }).trim(), agent);
    for (let index = 0; index < options.panes; index += 1) {
      const session = `s${index % SESSIONS}`;
      if (index < SESSIONS) await tmux.newSession(session, `exec ${agent}`);
      else await tmux.run("new-window", "-d", "-t", `${session}:`, `exec ${agent}`);
    }
    const paths = runtimePaths(join(root, "a"));
    mkdirSync(paths.home, { mode: 0o700 });
    const env = { ...process.env, HOME: root, AGTMUX_HOME: paths.home, AGTMUX_NO_START: "1" };
    const agtmux = installCommand(join(root, "installed"));
    const harness: DaemonHarness = {
      paths,
      panes: options.panes,
      settleMs: options.settleMs,
      env: { ...env, AGTMUX_TMUX_SOCKETS: tmux.socketPath },
    };
    const stretches =
      options.quietSeconds === 0 ? null : await measureStretches(agtmux, harness, options.quietSeconds);
    const daemon = await startDaemon(agtmux, harness);
    closers.push(() => daemon.stop());
    const samples = { server: [], command: [], typed: [], version: [], node: [], shell: [] } as Record<
      string,
      number[]
    >;
    let bytes = 0;
    // Measured apart from the commands: what they leave running for a moment is not part of the daemon's answer.
    for (let turn = -10; turn < options.turns; turn += 1) {
      const answer = await ask(paths.socket);
      bytes = answer.bytes;
      if (turn >= 0) samples["server"]?.push(answer.ms);
      // An odd pause, so that the asking does not fall into step with the daemon's own looks.
      await wait(SERVER_PAUSE_MS);
    }
    for (let run = -2; run < options.runs; run += 1) {
      const round = {
        command: timeOf(agtmux, ["list", "panes", "--json"], env),
        typed: timeOf(agtmux, ["list", "panes", "--json", "--sort", "target"], env),
        version: timeOf(agtmux, ["--version"], env),
        node: timeOf(process.execPath, ["-e", "0"], env),
        shell: timeOf("sh", ["-c", ":"], env),
      };
      // The first two rounds fill caches.
      if (run >= 0) for (const [name, ms] of Object.entries(round)) samples[name]?.push(ms);
    }
    const spread = (name: string): Spread => spreadOf(samples[name] ?? []);
    const [command, emptyNode] = [spread("command"), spread("node")];
    return {
      machine: { ...describeMachine(), load: loadavg()[0] ?? 0 },
      panes: options.panes,
      documentKb: bytes / 1_024,
      /** The time from the request to the last byte of the answer, on an open connection, in ms. */
      server: spread("server"),
      /** Uninterruptible stretches of computing above 0.25 ms while nobody asks, in ms of the main thread. Null: not measured. */
      stretches,
      command,
      /** The same by the typed client, because it sorts: what `core/rpc/queryDocument.ts` saves, in ms. */
      typed: spread("typed"),
      version: spread("version"),
      emptyNode,
      emptyShell: spread("shell"),
      /** Ratio of the medians: the whole command divided by an empty Node. */
      ratio: command.median / emptyNode.median,
    };
  } finally {
    for (const close of closers.toReversed()) await close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
};

type Figures = Awaited<ReturnType<typeof measure>>;

const row = (name: string, { median, p95, max, count }: Spread): string =>
  `| ${name} | ${median.toFixed(1)} | ${p95.toFixed(1)} | ${max.toFixed(1)} | ${count} |`;

const toMarkdown = (figures: Figures): string => {
  const { machine: m, stretches } = figures;
  return [
    `# agtmux list panes --json, ${figures.panes} panes (${figures.documentKb.toFixed(0)} kB)`,
    "",
    `${m.cpu}, ${m.cores} cores, load ${m.load.toFixed(1)}, ${m.system}, Node ${m.node}, ${m.tmux}`,
    "",
    "| ms | median | p95 | max | n |",
    "|---|---|---|---|---|",
    row("the daemon's answer, request to last byte", figures.server),
    row("the whole command", figures.command),
    row("the same, sorted by the typed client", figures.typed),
    row("agtmux --version", figures.version),
    row("node -e 0", figures.emptyNode),
    row("sh -c :", figures.emptyShell),
    ...(stretches === null ? [] : [row("stretch of the daemon's loop while nobody asks", stretches)]),
    "",
    ...(stretches === null
      ? []
      : [
          `Of those stretches, p99 ${stretches.p99.toFixed(1)} ms; longer than 8 ms: ${stretches.over8PerSecond.toFixed(2)} in a second.`,
        ]),
    `The whole command is ${figures.ratio.toFixed(2)} × an empty Node (medians of the same run).`,
  ].join("\n");
};

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    panes: { type: "string", default: "1000" },
    runs: { type: "string", default: "60" },
    quiet: { type: "string", default: "0" },
    turns: { type: "string", default: String(SERVER_TURNS) },
    settle: { type: "string", default: String(SETTLE_MS) },
  },
});
const figures = await measure({
  panes: Number(values.panes),
  runs: Number(values.runs),
  turns: Number(values.turns),
  settleMs: Number(values.settle),
  quietSeconds: Number(values.quiet),
});
console.log(values.json ? JSON.stringify(figures, null, 2) : toMarkdown(figures));
