// The one wrapper around `child_process.spawn` for children that live long: output line by line, bounded, with an end
// that is reported once. It does not restart anything; its owner decides what an end means.
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { LineProcess } from "../../ports/targetExecutor.ts";

/** Longer lines are cut at this many UTF-16 units and end with `LINE_CUT_MARK`. */
export const MAX_LINE_LENGTH = 1024 * 1024;
export const LINE_CUT_MARK = "…[cut]";

/** A child that ignores its closed stdin and SIGTERM for this long is killed. */
const KILL_AFTER_MS = 500;
const STDERR_KEPT = 500;
/** How long output may still arrive after the child's exit before a grandchild that holds the pipe is given up. */
const DRAIN_MS = 100;

/** Splits a stream of text into lines without ever holding more than one bounded line; `onTooLong` hears of each that is cut. */
export const createLineSplitter = (
  onLine: (line: string) => void,
  maxLength = MAX_LINE_LENGTH,
  onTooLong: () => void = () => {},
) => {
  let held = "";
  let isCut = false;
  const add = (part: string): void => {
    if (isCut) return;
    held += part;
    if (held.length <= maxLength) return;
    held = held.slice(0, maxLength) + LINE_CUT_MARK;
    isCut = true;
    onTooLong();
  };
  const flush = (): void => {
    const line = held;
    held = "";
    isCut = false;
    onLine(line);
  };
  return {
    push: (text: string): void => {
      let from = 0;
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
        add(text.slice(from, at));
        flush();
        from = at + 1;
      }
      add(text.slice(from));
    },
    /** Hands over a last line that had no newline. */
    end: (): void => {
      if (held !== "") flush();
    },
  };
};

/**
 * Starts `argv` (never through a shell). Lines that arrive before a listener is set are kept for it. When this process
 * dies, however it dies, the child's stdin closes; a clean end also signals it (see localExecutor).
 */
export const startLineProcess = (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  onGone: () => void = () => {},
): LineProcess => {
  const [file = "", ...args] = argv;
  const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  let lineListener: ((line: string) => void) | null = null;
  let early: string[] = [];
  let exitListener: ((reason: string) => void) | null = null;
  let exitReason: string | null = null;
  let abortReason: string | null = null;
  let lastError = "";
  const gone = Promise.withResolvers<void>();

  const splitter = createLineSplitter((line) => {
    if (lineListener === null) early.push(line);
    else lineListener(line);
  });
  const finish = (reason: string): void => {
    if (exitReason !== null) return;
    splitter.end();
    exitReason = reason;
    onGone();
    exitListener?.(reason);
    gone.resolve();
  };

  const decoder = new StringDecoder("utf8");
  child.stdout.on("data", (chunk: Buffer) => splitter.push(decoder.write(chunk)));
  child.stderr.on("data", (chunk: Buffer) => {
    lastError = (lastError + chunk.toString("utf8")).slice(-STDERR_KEPT);
  });
  // A child that is gone already breaks the pipe; its end is reported through "close".
  child.stdin.on("error", () => {});
  child.on("error", (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) finish(`could not start ${file}: ${error.code ?? error.message}`);
  });
  child.on("exit", () => {
    setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, DRAIN_MS).unref();
  });
  child.on("close", (code, signal) => {
    const said = lastError.trim();
    const ended = signal === null ? `exit status ${code}` : `signal ${signal}`;
    finish(abortReason ?? `${ended}${said === "" ? "" : `: ${said}`}`);
  });

  return {
    pid: child.pid,
    write: (text) => {
      if (exitReason === null && child.stdin.writable) child.stdin.write(text);
    },
    onLine: (listener) => {
      lineListener = listener;
      const waiting = early;
      early = [];
      for (const line of waiting) listener(line);
    },
    onExit: (listener) => {
      exitListener = listener;
      if (exitReason !== null) listener(exitReason);
    },
    abort: (reason) => {
      abortReason ??= reason;
      child.stdout.destroy();
      child.kill("SIGKILL");
    },
    close: async () => {
      if (exitReason !== null) return;
      child.stdin.end();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
      await gone.promise;
      clearTimeout(timer);
    },
  };
};
