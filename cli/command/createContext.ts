// The context that the process itself gives a verb: its streams, environment, signals, and the way to its daemon. Also where the
// installation is, and how a daemon's process is started and kept small.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCodeOf } from "../../core/model/errors.ts";
import { parseManifest, type Manifest } from "../../core/model/manifest.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { homedir } from "node:os";
import { runtimePaths, resolveHome } from "../../core/rpc/paths.ts";
import type { DaemonRouter } from "../../features/index.ts";
import type { CliContext, Outcome } from "./context.ts";
import { createPaint, hasColour } from "../render/table.ts";

// The installation: its place and version, from source (`cli/`) as well as bundled (`dist/cli/`).

interface Installation extends Manifest {
  /** The folder with package.json, without a final slash. */
  readonly root: string;
}

/** The nearest folder above this file whose package.json is ours. */
export const findInstallation = (): Installation => {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const manifest = parseManifest(readFileSync(join(folder, "package.json"), "utf8"));
      if (manifest !== null) return { root: folder, ...manifest };
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
    }
    if (folder === dirname(folder))
      throw new Error("the installation of agtmux is incomplete: no package.json");
  }
};

// The daemon's process: it stays small, and idle costs little. bin/agtmux, which also starts one, has the same in sh;
// cli/bin.test.ts checks that both agree.

/**
 * Its heap is small, so parallel collection costs more than it saves; and the space for short-lived objects does not grow to
 * 50 MB with a thousand panes. V8's optimising compilers save a sixth of a busy daemon's time, and their code alone is 7 MB
 * that stay resident; one thread is enough for the one that is left. `returnMemory` below collects by itself.
 */
export const DAEMON_NODE_FLAGS: readonly string[] = [
  "--single-threaded-gc",
  "--min-semi-space-size=1",
  "--max-semi-space-size=8",
  "--no-turbofan",
  "--v8-pool-size=1",
  "--no-maglev",
  "--expose-gc",
];

/**
 * For glibc: blocks larger than this go back to the system when they are freed. Otherwise 10 MB and more that compiling leaves
 * behind would stay resident as long as the daemon runs.
 */
export const DAEMON_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_MMAP_THRESHOLD_: "32768" };

/** It is for the daemon only: its children must not inherit it. */
export const dropDaemonEnvironment = (env: NodeJS.ProcessEnv): void => {
  for (const name of Object.keys(DAEMON_ENVIRONMENT)) delete env[name];
};

/** After the start and what it reads, and once more when all that runs again and again has run. */
const FIRST_AFTER_MS = [5_000, 60_000];
const EVERY_MS = 15 * 60_000;
/** A collection of a heap of this size takes 150 ms, in which nothing else is done; a larger one is left to V8. */
const MAX_HEAP_BYTES = 40 * 1024 * 1024;

/**
 * What the start of a daemon leaves behind goes back to the system. Left alone, V8 keeps it until the heap is full again, which
 * in a daemon that rests takes hours: 80 MB resident instead of 69. Returns how to end it.
 */
export const returnMemory = (clock: Clock): (() => void) => {
  const { gc } = globalThis;
  if (gc === undefined) return () => {};
  const collect = (): void => {
    if (process.memoryUsage().heapUsed <= MAX_HEAP_BYTES)
      gc({ type: "major", flavor: "last-resort", execution: "sync" });
  };
  let cancel: () => void;
  const next = ([delayMs = EVERY_MS, ...later]: readonly number[]): void => {
    cancel = clock.setTimer(delayMs, () => {
      collect();
      next(later);
    });
  };
  next(FIRST_AFTER_MS);
  return () => cancel();
};

// The context.

/** How long a daemon may take to start, with a first start and a migration, in milliseconds. */
const START_TIMEOUT_MS = 20_000;
const HELLO_TIMEOUT_MS = 5_000;
const SIGINT_EXIT_CODE = 130;

/** Takes SIGINT and SIGTERM over when a verb first uses the signal; a second one ends the process at once. */
const createSignal = (outcome: Outcome): (() => AbortSignal) => {
  let aborter: AbortController | null = null;
  return () => {
    if (aborter !== null) return aborter.signal;
    const created = new AbortController();
    aborter = created;
    const onSignal = (name: NodeJS.Signals) => {
      if (created.signal.aborted) process.exit(SIGINT_EXIT_CODE);
      if (name === "SIGINT") outcome.exitCode = SIGINT_EXIT_CODE;
      created.abort();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
    return created.signal;
  };
};

/**
 * In the packaged app this variable makes the app's own binary run as Node. Only a daemon that is started gets it: in a
 * terminal, a browser or tmux it would turn every other Electron app that is started there into Node.
 */
const takeRunAsNode = (): Readonly<Record<string, string>> => {
  const value = process.env["ELECTRON_RUN_AS_NODE"];
  delete process.env["ELECTRON_RUN_AS_NODE"];
  return value === undefined ? {} : { ELECTRON_RUN_AS_NODE: value };
};

export const createContext = (outcome: Outcome): CliContext => {
  const runAsNode = takeRunAsNode();
  const { env, stdout, stderr } = process;
  const { root, version } = findInstallation();
  const paths = () => runtimePaths(resolveHome(env, homedir()));
  const getSignal = createSignal(outcome);
  const [node, script] = [process.execPath, process.argv[1] ?? ""];
  return {
    env,
    version,
    root,
    stdout,
    stderr,
    get stdin() {
      return process.stdin;
    },
    paint: createPaint(hasColour(env, stdout.isTTY)),
    get width() {
      return stdout.isTTY ? stdout.columns : null;
    },
    now: () => Date.now(),
    get signal() {
      return getSignal();
    },
    paths,
    connect: async ({ start = env["AGTMUX_NO_START"] !== "1", checkVersion = true } = {}) => {
      const { connectCurrent, connectSocket } = await import("../../core/rpc/socketClient.ts");
      const options = { paths: paths(), version, helloTimeoutMs: HELLO_TIMEOUT_MS };
      if (!start || !checkVersion) return connectSocket<DaemonRouter>({ ...options, checkVersion });
      const client = await connectCurrent<DaemonRouter>(options);
      if (client !== null) return client;
      // Loaded only now, because the code that starts a process takes 10 ms to load.
      const { connectOrStart } = await import("../../core/rpc/connect.ts");
      return connectOrStart<DaemonRouter>({
        paths: paths(),
        version,
        startCommand: [node, ...DAEMON_NODE_FLAGS, script, "daemon", "run", "--on-demand"],
        env: { ...env, ...DAEMON_ENVIRONMENT, ...runAsNode },
        timeoutMs: START_TIMEOUT_MS,
      });
    },
    print: (text) => void stdout.write(text),
  };
};
