// What a soak runs on: real tmux servers, the real daemon process with its probe, an agent of every kind that stays, and
// where sshd is there, two targets behind it. It also counts what is held from outside of the process.
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runtimePaths, type RuntimePaths } from "../../core/rpc/paths.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { connectOnceUp, connectTo } from "../harness/daemonProcess.ts";
import { AGENTS, framesOf, type PlayedAgent } from "../chain/chainHarness.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { createSshServer } from "../ssh/sshServer.ts";
import type { Held } from "./judge.ts";
import type { HeapSample, LightSample, Numbered, ProbeAnswer, ProbeQuestion } from "./probe.ts";

// The real daemon process with the probe beside it: started as a person's would be, but with a collector that can be
// called and a channel over which it tells what it holds.

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const PROBE = new URL("probe.ts", import.meta.url).href;
const START_LIMIT_MS = 30_000;

const startProbedDaemon = async (options: { paths: RuntimePaths; env: Readonly<Record<string, string>> }) => {
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
  (await connectOnceUp(paths.home, START_LIMIT_MS)).close();
  const pid = child.pid ?? 0;
  return {
    pid,
    connect: (): Promise<DaemonClient> => connectTo(paths.home, 10_000),
    lightSample: async (): Promise<LightSample> => {
      const answer = await ask({ ask: "light" });
      if (answer.ask !== "light") throw new Error(`the probe answered ${JSON.stringify(answer)}`);
      return answer.sample;
    },
    heapSample: async (): Promise<HeapSample> => {
      const answer = await ask({ ask: "heap" });
      if (answer.ask !== "heap") throw new Error(`the probe answered ${JSON.stringify(answer)}`);
      return answer.sample;
    },
    /** Makes it hold one more of everything, eight timers and emitters, 5,000 objects, and so many bytes. */
    leak: async (bytes: number): Promise<void> => void (await ask({ ask: "leak", bytes })),
    /** Living children. Linux only. */
    children: (): number =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).length,
    /** What it wrote to stderr: its log. */
    log: (): string => log,
    stop: async (): Promise<void> => {
      child.kill("SIGTERM");
      await gone;
    },
  };
};

/** Several looks per sample, of which the least counts: what is in flight at one of them is not held. */
const LOOKS = 5;
/** Apart: what is in flight lives for less than a second. */
const LOOK_APART_MS = 200;

export interface Keeper {
  agent: PlayedAgent;
  player: Player;
}

const countFiles = (folder: string): number =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;

/** Of each number the least of several looks. */
const leastOf = async <T extends Partial<Held>>(look: () => Promise<T>): Promise<T> => {
  const least = await look();
  for (let index = 1; index < LOOKS; index += 1) {
    await wait(LOOK_APART_MS);
    const next = await look();
    for (const name of Object.keys(least) as (keyof T)[])
      if (next[name] < least[name]) least[name] = next[name];
  }
  return least;
};

/** What people change so that minutes are enough: everything that is kept for a while only. */
const SHORT_WAITS = { pending_bind_local_ms: 3_000, pending_bind_ssh_ms: 3_000 };

const remoteTarget = (transport: "ssh2" | "openssh", socketPath: string) => ({
  name: transport,
  ssh_target: "vm1",
  transport,
  tmux_servers: [{ name: "far", socket_path: socketPath }],
});

export const openSoakHarness = async (options: { agents?: readonly PlayedAgent[]; hasTargets: boolean }) => {
  const { agents = AGENTS } = options;
  const root = mkdtempSync(join(tmpdir(), "agtmux-s-"));
  const home = join(root, "home");
  const temp = join(root, "t");
  const paths = runtimePaths(join(root, "a"));
  for (const folder of [home, temp, paths.home]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const closers: (() => Promise<unknown>)[] = [
    () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const close = async (): Promise<void> => {
    for (const one of closers.splice(0).toReversed()) await one();
  };
  try {
    const tmux = createPrivateTmux();
    closers.push(() => tmux.close());
    const secondTmux = createPrivateTmux();
    closers.push(() => secondTmux.close());
    await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40");
    const ssh = options.hasTargets ? await createSshServer() : null;
    if (ssh !== null) closers.push(() => ssh.close());
    const targets =
      ssh === null ? [] : (["ssh2", "openssh"] as const).map((one) => remoteTarget(one, tmux.socketPath));
    writeFileSync(paths.config, JSON.stringify({ timing: SHORT_WAITS, targets }));
    const daemon = await startProbedDaemon({
      paths,
      env: {
        HOME: home,
        TMPDIR: temp,
        AGTMUX_TMUX_SOCKETS: [tmux.socketPath, secondTmux.socketPath].join(","),
        ...(ssh === null ? {} : { AGTMUX_SSH_CONFIG: ssh.configFile }),
      },
    });
    closers.push(() => daemon.stop());
    const client = await daemon.connect();
    closers.push(() => Promise.resolve(client.close()));
    for (const agent of agents)
      await client.call((api) => api.integrationChange.mutate({ agent, action: "install", dryRun: false }));
    const play = (agent: PlayedAgent, session = "player"): Promise<Player> =>
      createPlayer({
        tmux: { socketArgs: tmux.socketArgs, session },
        home,
        recordingsDir: framesOf(agent),
        agent,
      });
    const keepers: Keeper[] = [];
    closers.push(async () => {
      for (const { player } of keepers) await player.close();
    });
    for (const agent of agents) keepers.push({ agent, player: await play(agent) });

    const look = async () => ({
      ...(await daemon.lightSample()),
      children: daemon.children(),
      spoolFiles: countFiles(paths.spoolNew) + countFiles(paths.spoolTmp),
      tempFiles: countFiles(temp),
      homeFiles: countFiles(paths.home),
      rows: (await client.call((api) => api.panes.query({ all: true }))).items.length,
    });
    return {
      paths,
      tmux,
      /** Comes and goes. */
      secondTmux,
      daemon,
      client,
      keepers,
      /** Null where no target is part of it. */
      ssh,
      play,
      measure: async (): Promise<Held> => ({
        ...(await leastOf(look)),
        ...(await daemon.heapSample()),
      }),
      databaseBytes: (): number =>
        [paths.stateDb, `${paths.stateDb}-wal`].reduce(
          (sum, path) => sum + (existsSync(path) ? statSync(path).size : 0),
          0,
        ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

export type SoakHarness = Awaited<ReturnType<typeof openSoakHarness>>;
