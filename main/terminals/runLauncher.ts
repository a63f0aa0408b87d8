// Starts the program that opens a terminal window and tells whether it did. Argument vectors only, no shell.
import { spawn } from "node:child_process";
import { AgtmuxError } from "../../core/model/errors.ts";

/**
 * If a launcher that should live as long as its window ends with an error before this time (in milliseconds), it could not open
 * the window.
 */
const LAUNCH_MS = 600;
/** Time limit in milliseconds; long, because the person may first have to permit the control of the other program. */
const SCRIPT_LIMIT_MS = 120_000;
const MAX_ERROR = 2_000;

/** What osascript says when the person has not permitted it (its number is Apple's errAEEventNotPermitted). */
const NOT_PERMITTED = "-1743";

const refusal = (file: string, stderr: string, how: string): AgtmuxError =>
  stderr.includes(NOT_PERMITTED)
    ? new AgtmuxError("E_UNSUPPORTED", "agtmux may not control this terminal", {
        remedy: "Permit it in System Settings, Privacy & Security, Automation, or choose another terminal.",
      })
    : new AgtmuxError("E_UNSUPPORTED", `the terminal could not be opened: ${file} ended with ${how}`, {
        remedy: "Choose another terminal in the settings, or run 'agtmux attach' in one.",
      });

export interface Launcher {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The launcher ends when the window is up. */
  readonly endsWhenOpen: boolean;
}

/** Resolves with the program's output. @throws AgtmuxError E_UNSUPPORTED. The window outlives this process. */
export const runLauncher = async ({ argv, env, endsWhenOpen }: Launcher): Promise<string> => {
  const [file, ...args] = argv;
  if (file === undefined) throw new AgtmuxError("E_INTERNAL", "no command to open a terminal with");
  // tmux refuses to attach inside itself, and the app may have been started from a pane.
  const { TMUX: _tmux, TMUX_PANE: _pane, ...clean } = env;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // The window outlives us, so a pipe to it would break.
  const child = spawn(file, args, {
    env: clean,
    stdio: endsWhenOpen ? ["ignore", "pipe", "pipe"] : "ignore",
    detached: true,
  });
  const said = { out: "", error: "" };
  child.stdout?.on("data", (data) => (said.out = `${said.out}${data}`.slice(0, MAX_ERROR)));
  child.stderr?.on("data", (data) => (said.error = `${said.error}${data}`.slice(0, MAX_ERROR)));
  child.once("error", (error) => reject(refusal(file, "", error.message)));
  child.once(endsWhenOpen ? "close" : "exit", (code, signal) => {
    if (code === 0) resolve(said.out.trim());
    else reject(refusal(file, said.error, signal ?? `exit code ${code}`));
  });
  const timer = setTimeout(
    () => {
      if (!endsWhenOpen) return resolve("");
      child.kill();
      reject(refusal(file, "", `no answer within ${SCRIPT_LIMIT_MS / 1_000} s`));
    },
    endsWhenOpen ? SCRIPT_LIMIT_MS : LAUNCH_MS,
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.unref();
  }
};
