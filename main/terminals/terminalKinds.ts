// The terminal programs that we know, as data: where each is found and how it takes a command as separate words. Which one is
// used is decided in terminalDesk.ts.
import { join } from "node:path";
import type { TerminalId } from "../../core/model/desktop.ts";
import { OPEN_APPLE_TERMINAL, OPEN_ITERM2 } from "./appleScripts.ts";

/** Where programs are looked for. */
export interface TerminalFinder {
  /** Path of an application bundle of macOS by its file name, or null. */
  bundle(name: string): string | null;
  /** Path of a program on PATH, or null. */
  program(name: string): string | null;
  /** Itself if it is an executable file, else null. */
  executable(path: string): string | null;
}

export interface TerminalKind {
  readonly id: TerminalId;
  readonly name: string;
  readonly platforms: readonly NodeJS.Platform[];
  /** What is found and run, or null. */
  find(finder: TerminalFinder): string | null;
  /** Program and arguments that open a window in which `argv` runs. */
  command(found: string, argv: readonly string[]): readonly string[];
  /** The launcher ends when the window is up; else it may live as long as the window. */
  readonly endsWhenOpen: boolean;
}

export const OSASCRIPT = "/usr/bin/osascript";

const scripted = (id: TerminalId, name: string, bundle: string, script: string): TerminalKind => ({
  id,
  name,
  platforms: ["darwin"],
  find: (finder) => finder.bundle(bundle),
  command: (_found, argv) => [OSASCRIPT, "-e", script, ...argv],
  endsWhenOpen: true,
});

/** A program that takes the command after some words of its own. */
const plain = (id: TerminalId, name: string, before: readonly string[]): TerminalKind => ({
  id,
  name,
  platforms: ["linux", "freebsd", "openbsd"],
  find: (finder) => finder.program(id),
  command: (found, argv) => [found, ...before, ...argv],
  endsWhenOpen: false,
});

/** The same, which on macOS lies inside a bundle. */
const portable = (id: TerminalId, name: string, before: readonly string[]): TerminalKind => ({
  ...plain(id, name, before),
  platforms: ["darwin", "linux", "freebsd", "openbsd"],
  find: (finder) => {
    const bundle = finder.bundle(name);
    const inside = bundle === null ? null : finder.executable(join(bundle, "Contents", "MacOS", id));
    return inside ?? finder.program(id);
  },
});

/** Its binary opens no window on macOS by itself (documented): only another instance of the application does. */
const GHOSTTY_OF_MAC: TerminalKind = {
  id: "ghostty",
  name: "Ghostty",
  platforms: ["darwin"],
  find: (finder) => finder.bundle("Ghostty"),
  command: (found, argv) => ["/usr/bin/open", "-n", "-a", found, "--args", "-e", ...argv],
  endsWhenOpen: true,
};

/**
 * In the order in which they are chosen where nothing is: on macOS one that somebody installed before the one that is always
 * there, on Linux the desktop's own choice before any by name.
 */
export const TERMINAL_KINDS: readonly TerminalKind[] = [
  scripted("iterm2", "iTerm2", "iTerm", OPEN_ITERM2),
  GHOSTTY_OF_MAC,
  plain("xdg-terminal-exec", "The desktop's terminal", []),
  plain("x-terminal-emulator", "The system's terminal", ["-e"]),
  plain("ghostty", "Ghostty", ["-e"]),
  portable("wezterm", "WezTerm", ["start", "--"]),
  portable("kitty", "kitty", ["--"]),
  portable("alacritty", "Alacritty", ["-e"]),
  scripted("apple-terminal", "Terminal", "Terminal", OPEN_APPLE_TERMINAL),
  plain("gnome-terminal", "GNOME Terminal", ["--"]),
  plain("ptyxis", "Ptyxis", ["--"]),
  plain("kgx", "GNOME Console", ["--"]),
  plain("konsole", "Konsole", ["-e"]),
  plain("xfce4-terminal", "Xfce Terminal", ["-x"]),
  plain("foot", "foot", []),
  plain("xterm", "xterm", ["-e"]),
];
