// Starts one program of this machine and waits for its end. All of `core/targets` that runs a program to its end goes through it;
// what keeps running (a master of OpenSSH, a channel) is spawned by its owner.
import { execa } from "execa";
import type { RunResult } from "../ports/targetExecutor.ts";

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** After its time limit a child is asked to end, and after this long it is ended. */
const FORCE_KILL_AFTER_MS = 500;

/**
 * Output beyond `maxBytes` (8 MB per stream) ends the child, which shows as exit code null. @throws Error when the program cannot
 * be started.
 */
export const runProgram = async (
  argv: readonly string[],
  options: {
    /** The whole environment. */
    env: NodeJS.ProcessEnv;
    timeoutMs: number;
    stdin?: string;
    maxBytes?: number;
    /** An open file that the program gets as its file descriptor 3. */
    file?: number | null;
    signal?: AbortSignal;
  },
): Promise<RunResult> => {
  const [program = "", ...args] = argv;
  const { env, timeoutMs, stdin, maxBytes = MAX_OUTPUT_BYTES, file = null, signal } = options;
  const running = execa(program, args, {
    env,
    extendEnv: false,
    reject: false,
    timeout: timeoutMs,
    forceKillAfterDelay: FORCE_KILL_AFTER_MS,
    maxBuffer: maxBytes,
    stripFinalNewline: false,
    stdio: [
      stdin === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an open file is passed on; execa's types leave it out
      ...(file === null ? [] : [file as unknown as "ignore"]),
    ],
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    ...(stdin === undefined ? {} : { input: stdin }),
  });
  let isOutputHeld = false;
  // What it started may outlive it and keep its output open.
  const letGo = setTimeout(
    () => {
      isOutputHeld = true;
      running.stdout?.destroy();
      running.stderr?.destroy();
    },
    timeoutMs + 2 * FORCE_KILL_AFTER_MS,
  );
  const result = await running.finally(() => clearTimeout(letGo));
  const isStarted = result.exitCode !== undefined || result.signal !== undefined;
  if (!isStarted && !result.timedOut && !isOutputHeld && !result.isMaxBuffer && !result.isCanceled)
    throw new Error(`run ${program}: could not start`, { cause: result.cause });
  return {
    exitCode: result.isMaxBuffer || isOutputHeld ? null : (result.exitCode ?? null),
    stdout: result.stdout,
    stderr: result.stderr,
    timedOut: result.timedOut || isOutputHeld,
  };
};
