// Opens a terminal window that runs one command. The command stays an argument vector all the way; where a terminal only
// takes a line of shell (Terminal.app), the system's own scripting quotes each argument.
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { AgtmuxError } from "../core/model/errors.ts";

/** Constant: everything that varies comes as arguments, and `quoted form of` makes each of them one word. */
const APPLE_SCRIPT = `on run argv
  set commandLine to "exec"
  repeat with argument in argv
    set commandLine to commandLine & " " & quoted form of (argument as text)
  end repeat
  tell application "Terminal"
    activate
    do script commandLine
  end tell
end run`;

/** Terminals of a Linux desktop, the person's own choice (Debian's alternatives) first, and how each takes a command. */
const LINUX_TERMINALS: readonly (readonly [string, string])[] = [
  ["x-terminal-emulator", "-e"],
  ["gnome-terminal", "--"],
  ["konsole", "-e"],
  ["xterm", "-e"],
];

/** A terminal that ends sooner than this with an error could not be opened, in milliseconds. */
const LAUNCH_MS = 600;

export interface TerminalOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const findOnPath = (name: string, env: TerminalOptions["env"]): string | null =>
  (env["PATH"] ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutable) ?? null;

/** The program and its arguments that open a window running `argv`. Fails with E_UNSUPPORTED where there is no terminal. */
export const terminalCommand = (argv: readonly string[], options: TerminalOptions): readonly string[] => {
  if (options.platform === "darwin") return ["/usr/bin/osascript", "-e", APPLE_SCRIPT, ...argv];
  for (const [name, separator] of LINUX_TERMINALS) {
    const path = findOnPath(name, options.env);
    if (path !== null) return [path, separator, ...argv];
  }
  throw new AgtmuxError("E_UNSUPPORTED", "no terminal program was found", {
    remedy: `Install one of ${LINUX_TERMINALS.map(([name]) => name).join(", ")}.`,
  });
};

/**
 * Resolves when the window is up: the launcher ended well, or is still running after a moment. Fails with E_UNSUPPORTED
 * where the terminal cannot be started. The window outlives this process.
 */
export const openTerminal = async (argv: readonly string[], options: TerminalOptions): Promise<void> => {
  const [file, ...args] = terminalCommand(argv, options);
  if (file === undefined || argv.length === 0)
    throw new AgtmuxError("E_INTERNAL", "no command to open a terminal with");
  // tmux refuses to attach inside itself, and the app may have been started from a pane.
  const { TMUX: _tmux, TMUX_PANE: _pane, ...env } = options.env;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (cause: string): void =>
    reject(new AgtmuxError("E_UNSUPPORTED", `the terminal ${file} could not be opened (${cause})`));
  const child = spawn(file, args, { env, stdio: "ignore", detached: true });
  child.once("error", (error) => fail(error.message));
  child.once("exit", (code, signal) => {
    if (code === 0) resolve();
    else fail(signal ?? `exit code ${code}`);
  });
  // A person may have to permit the control of Terminal.app first, so only its end tells.
  const timer = options.platform === "darwin" ? null : setTimeout(resolve, LAUNCH_MS);
  try {
    await promise;
  } finally {
    if (timer !== null) clearTimeout(timer);
    child.unref();
  }
};
