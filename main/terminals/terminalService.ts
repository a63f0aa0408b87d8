// The terminal that a person uses: finds the installed ones, starts the launcher of one, opens a window that runs one command, and
// brings a window that already shows a session to the front. A command stays a vector of words all the way.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { type TerminalId, PLACEHOLDER, type TerminalChoice } from "../../core/model/desktop.ts";
import {
  TERMINAL_KINDS,
  type TerminalKind,
  ACTIVATE_ITERM2,
  FOCUS_APPLE_TERMINAL,
  FOCUS_ITERM2,
  OSASCRIPT,
} from "./terminalKinds.ts";
import { spawn } from "node:child_process";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { ExistingClient } from "../../core/model/action.ts";

// Installed terminals: found in the places where the system keeps programs, without running anything.

interface TerminalPlaces {
  readonly platform: NodeJS.Platform;
  /** PATH and HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders of application bundles; the system's and the person's on macOS. */
  readonly bundleFolders: readonly string[];
}

/** Where macOS keeps applications. */
export const bundleFolders = (home: string): readonly string[] => [
  "/Applications",
  join(home, "Applications"),
  "/Applications/Nix Apps",
  join(home, "Applications", "Home Manager Apps"),
  "/System/Applications/Utilities",
  "/Applications/Utilities",
];

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const createFinder = ({
  env,
  bundleFolders: folders,
}: TerminalPlaces): Parameters<TerminalKind["find"]>[0] => ({
  bundle: (name) => folders.map((folder) => join(folder, `${name}.app`)).find(isFolder) ?? null,
  program: (name) =>
    (env["PATH"] ?? "")
      .split(delimiter)
      .filter(isAbsolute)
      .map((folder) => join(folder, name))
      .find(isExecutable) ?? null,
});

interface FoundTerminal {
  readonly id: TerminalId;
  readonly name: string;
  readonly path: string;
  readonly kind: TerminalKind;
}

/** The installed terminals, in the order in which they are chosen. */
const findTerminals = (places: TerminalPlaces): FoundTerminal[] => {
  const finder = createFinder(places);
  return TERMINAL_KINDS.filter(({ platforms }) => platforms.includes(places.platform)).flatMap((kind) => {
    const path = kind.find(finder);
    return path === null ? [] : [{ id: kind.id, name: kind.name, path, kind }];
  });
};

// Launcher: the program that opens a terminal window. Argument vectors only, no shell.

/**
 * If a launcher that should run as long as its window ends with an error before this time (in milliseconds), it could not open
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

interface Launcher {
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

interface Plan {
  readonly name: string;
  /** Tried first; null: there is no other way than the launcher. */
  readonly ask: readonly string[] | null;
  readonly argv: readonly string[];
  readonly endsWhenOpen: boolean;
}

const fromFound = ({ name, path, kind }: FoundTerminal, argv: readonly string[]): Plan => ({
  name,
  ask: kind.ask?.(argv) ?? null,
  argv: kind.command(path, argv),
  endsWhenOpen: kind.endsWhenOpen(path),
});

const missing = (what: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_UNSUPPORTED", what, { remedy });

const planOpen = (choice: TerminalChoice, found: readonly FoundTerminal[], argv: readonly string[]): Plan => {
  switch (choice.kind) {
    case "command":
      return {
        name: choice.argv[0] ?? "",
        ask: null,
        argv: choice.argv.flatMap((word) => (word === PLACEHOLDER ? argv : [word])),
        endsWhenOpen: false,
      };
    case "known": {
      const one = found.find(({ id }) => id === choice.id);
      if (one !== undefined) return fromFound(one, argv);
      throw missing(
        `the chosen terminal (${choice.id}) is not installed`,
        "Choose another one in the settings.",
      );
    }
    case "auto": {
      const [first] = found;
      if (first !== undefined) return fromFound(first, argv);
      throw missing(
        "no terminal program was found",
        "Install one (gnome-terminal, konsole, kitty, xterm), or set a command of your own in the settings.",
      );
    }
  }
};

export const createTerminalService = (deps: {
  readonly places: TerminalPlaces;
  /** The person's choice, asked each time. */
  choice: () => TerminalChoice;
  /** Starts the program that brings the terminal to the front, as `runLauncher` does. */
  run: (launcher: Launcher) => Promise<string>;
}) => {
  const { places, choice, run } = deps;
  const found = (): FoundTerminal[] => findTerminals(places);
  /** False where the script prints anything else or may not run: then the other way is tried, whose error says what is wrong. */
  const says = async (wanted: "found" | "opened", argv: readonly string[]): Promise<boolean> => {
    try {
      return (await run({ argv, env: places.env, endsWhenOpen: true })) === wanted;
    } catch (error) {
      if (!(error instanceof AgtmuxError)) throw error;
      return false;
    }
  };
  const focus = async ({ tty, isNative }: ExistingClient): Promise<boolean> => {
    // A bundle that is not installed has no dictionary, and its script would not even compile.
    const scripts = found().flatMap(({ id }) => {
      if (id === "iterm2") return [isNative ? ACTIVATE_ITERM2 : FOCUS_ITERM2];
      return id === "apple-terminal" && !isNative ? [FOCUS_APPLE_TERMINAL] : [];
    });
    for (const script of scripts) if (await says("found", [OSASCRIPT, "-e", script, tty])) return true;
    return false;
  };
  return {
    /** The installed terminals, in the order in which they are chosen. */
    found,
    /** Name of the terminal that `open` uses. @throws AgtmuxError E_UNSUPPORTED where there is none. */
    inUse: (): string => planOpen(choice(), found(), []).name,
    /** Resolves when the window is up. @throws AgtmuxError E_UNSUPPORTED. */
    open: async (argv: readonly string[]): Promise<void> => {
      const plan = planOpen(choice(), found(), argv);
      if (plan.ask !== null && (await says("opened", plan.ask))) return;
      await run({ argv: plan.argv, env: places.env, endsWhenOpen: plan.endsWhenOpen });
    },
    /** False where no window or tab with this tty was found. Null: terminals of this system cannot be asked. */
    focus: places.platform === "darwin" ? focus : null,
  };
};

export type TerminalService = ReturnType<typeof createTerminalService>;
