// The context that the process itself gives a verb: its streams, environment, signals, and the way to its daemon. Of the CLI,
// only this file and the two that begin a run read global process state.
import { homedir } from "node:os";
import { runtimePaths, resolveHome } from "../core/rpc/paths.ts";
import type { CliContext } from "./context.ts";
import { DAEMON_ENVIRONMENT, DAEMON_NODE_FLAGS } from "./daemonStart.ts";
import type { Outcome } from "./grammar/options.ts";
import { createPaint, hasColour } from "./render/paint.ts";
import { findInstallation } from "./root.ts";

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
      const { connectCurrent, connectSocket } = await import("../core/rpc/socketClient.ts");
      const options = { paths: paths(), version, helloTimeoutMs: HELLO_TIMEOUT_MS };
      if (!start || !checkVersion) return connectSocket({ ...options, checkVersion });
      const client = await connectCurrent(options);
      if (client !== null) return client;
      // Loaded only now, because the code that starts a process takes 10 ms to load.
      const { connectOrStart } = await import("../core/rpc/connect.ts");
      return connectOrStart({
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
