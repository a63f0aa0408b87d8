// The terminal that a person uses: opens a window that runs one command, and brings a window that already shows a session to
// the front. A command stays a vector of words all the way.
import { PLACEHOLDER, type TerminalChoice } from "../../core/model/desktop.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { ExistingClient } from "../../core/model/snapshot.ts";
import { ACTIVATE_ITERM2, FOCUS_APPLE_TERMINAL, FOCUS_ITERM2 } from "./appleScripts.ts";
import { findTerminals, type FoundTerminal, type TerminalPlaces } from "./findTerminals.ts";
import type { Launcher } from "./runLauncher.ts";
import { OSASCRIPT } from "./terminalKinds.ts";

export interface TerminalServiceDeps {
  readonly places: TerminalPlaces;
  /** The person's choice, asked each time. */
  choice: () => TerminalChoice;
  /** Starts the program that brings the terminal to the front, as `runLauncher` does. */
  run: (launcher: Launcher) => Promise<string>;
}

interface Plan {
  readonly name: string;
  /** Tried first; null: there is no other way than the launcher. */
  readonly ask: readonly string[] | null;
  readonly argv: readonly string[];
  readonly endsWhenOpen: boolean;
}

export interface TerminalService {
  /** The installed terminals, in the order in which they are chosen. */
  found(): readonly FoundTerminal[];
  /** Name of the terminal that `open` uses. @throws AgtmuxError E_UNSUPPORTED where there is none. */
  inUse(): string;
  /** Resolves when the window is up. @throws AgtmuxError E_UNSUPPORTED. */
  open(argv: readonly string[]): Promise<void>;
  /** False where no window or tab with this tty was found. Null: terminals of this system cannot be asked. */
  readonly focus: ((client: ExistingClient) => Promise<boolean>) | null;
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

export const createTerminalService = (deps: TerminalServiceDeps): TerminalService => {
  const { places, choice, run } = deps;
  const found = (): FoundTerminal[] => findTerminals(places);
  /** False where the script prints anything else or may not run: then the other way is tried, which tells what is wrong. */
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
    found,
    inUse: () => planOpen(choice(), found(), []).name,
    open: async (argv) => {
      const plan = planOpen(choice(), found(), argv);
      if (plan.ask !== null && (await says("opened", plan.ask))) return;
      await run({ argv: plan.argv, env: places.env, endsWhenOpen: plan.endsWhenOpen });
    },
    focus: places.platform === "darwin" ? focus : null,
  };
};
