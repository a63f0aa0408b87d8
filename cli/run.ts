// One run of the command line: builds the context from the process, runs the verb, and turns its result into output and an exit
// status. Only this file of the CLI reads global process state.
import { homedir } from "node:os";
import { CommanderError } from "commander";
import { runtimePaths, resolveHome } from "../core/rpc/paths.ts";
import type { CliContext } from "./context.ts";
import { DAEMON_ENVIRONMENT, DAEMON_NODE_FLAGS } from "./daemonStart.ts";
import { exitCodeOf, renderFailure, toFailure } from "./failure.ts";
import { agentDocExitCode, AS_AGENT_DOC, fromAgentDoc } from "./grammar/doc.ts";
import type { Outcome } from "./grammar/options.ts";
import type { Verb } from "./grammar/verb.ts";
import { createProgram, fromCommander, pointToHelp } from "./program.ts";
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

const createContext = (outcome: Outcome): CliContext => {
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

/** Runs the arguments (without `node` and the script) and sets the process's exit status. */
export const runCli = async (given: readonly string[]): Promise<void> => {
  const isAgentDoc = given[0] === AS_AGENT_DOC;
  const args = isAgentDoc ? fromAgentDoc(given.slice(1)) : given;
  // `agtmux list --json | head -1` is not a failure: the reader has what it wanted.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const outcome: Outcome = { exitCode: 0 };
  // Without a verb: in a terminal the picker, in a script what there is.
  const words = args.length > 0 ? args : [process.stdin.isTTY && process.stdout.isTTY ? "pick" : "help"];
  let program: Verb | null = null;
  try {
    program = createProgram(createContext(outcome), outcome, words[0]);
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    const found =
      program !== null && error instanceof CommanderError
        ? fromCommander(error, program, args)
        : toFailure(error);
    if (found !== null) {
      const failure = program === null ? found : pointToHelp(found, program, args);
      process.stderr.write(renderFailure(failure, args.includes("--json"), Date.now()));
      outcome.exitCode = exitCodeOf(failure);
    }
  }
  process.exitCode = isAgentDoc ? agentDocExitCode(outcome.exitCode) : outcome.exitCode;
};
