// The terminal programs that we know, as data: where each is found and how it takes a command as separate words. Which one is
// used is decided in terminalService.ts.
import type { TerminalId } from "../../core/model/desktop.ts";
import { quoteWord } from "../../core/model/shellWord.ts";
import { OPEN_APPLE_TERMINAL, OPEN_GHOSTTY, OPEN_ITERM2 } from "./appleScripts.ts";

// Writes the words of a command as the text that a terminal takes: for terminals that hand it to a shell, and for iTerm2, which
// has its own syntax.
/** The words as text of a POSIX `sh`. */
const quoteForSh = (argv: readonly string[]): string => argv.map(quoteWord).join(" ");

/**
 * The words as the `command` of a new window of iTerm2. There `$$…$$` is a variable, and versions of iTerm2 differ in how they
 * read quotes. A backslash outside of quotes means the same in all of them: the next character as it is, except for four
 * letters.
 */
const quoteForITerm2 = (argv: readonly string[]): string =>
  argv
    .map((word) => (word === "" ? '""' : word.replaceAll(/[^A-Za-z0-9_/.,:=@%+-]/gu, String.raw`\$&`)))
    .join(" ");

/** How programs are looked up. */
export interface TerminalFinder {
  /** Path of an application bundle of macOS by its file name, or null. */
  bundle(name: string): string | null;
  /** Path of a program on PATH, or null. */
  program(name: string): string | null;
}

export interface TerminalKind {
  readonly id: TerminalId;
  readonly name: string;
  readonly platforms: readonly NodeJS.Platform[];
  /** The program that is found and run, or null. */
  find(finder: TerminalFinder): string | null;
  /** Tried first, if present; prints "opened" if it opened the window. */
  ask?(argv: readonly string[]): readonly string[];
  /** Program and arguments that open a window in which `argv` runs. */
  command(found: string, argv: readonly string[]): readonly string[];
  /** True: the launcher ends when the window is up. False: it may live as long as the window. */
  endsWhenOpen(found: string): boolean;
}

export const OSASCRIPT = "/usr/bin/osascript";

const scripted = (
  id: TerminalId,
  name: string,
  bundle: string,
  words: (argv: readonly string[]) => readonly string[],
): TerminalKind => ({
  id,
  name,
  platforms: ["darwin"],
  find: (finder) => finder.bundle(bundle),
  command: (_found, argv) => [OSASCRIPT, "-e", ...words(argv)],
  endsWhenOpen: () => true,
});

/** A program that takes the command after some options of its own. */
const plain = (id: TerminalId, name: string, before: readonly string[]): TerminalKind => ({
  id,
  name,
  platforms: ["linux", "freebsd", "openbsd"],
  find: (finder) => finder.program(id),
  command: (found, argv) => [found, ...before, ...argv],
  endsWhenOpen: () => false,
});

/**
 * Opens a window in a new instance of a macOS application. The system starts it, because for a child of ours macOS would apply
 * our permissions. An argument that is the path of a file would be opened as a document, so all our words are put into one
 * shell word.
 */
const openBundle = (
  bundle: string,
  before: readonly string[],
  argv: readonly string[],
): readonly string[] => [
  "/usr/bin/open",
  "-n",
  "-a",
  bundle,
  "--args",
  ...before,
  "sh",
  "-c",
  `exec ${quoteForSh(argv)}`,
];

/** A plain terminal that macOS has as a bundle or only as a program. */
const portable = (id: TerminalId, name: string, before: readonly string[]): TerminalKind => {
  const isBundle = (found: string): boolean => found.endsWith(".app");
  return {
    ...plain(id, name, before),
    platforms: ["darwin", "linux", "freebsd", "openbsd"],
    find: (finder) => finder.bundle(name) ?? finder.program(id),
    command: (found, argv) =>
      isBundle(found) ? openBundle(found, before, argv) : [found, ...before, ...argv],
    endsWhenOpen: isBundle,
  };
};

/** On macOS its binary opens no window (documented): only the running instance or a new one does. */
const GHOSTTY_OF_MAC: TerminalKind = {
  id: "ghostty",
  name: "Ghostty",
  platforms: ["darwin"],
  find: (finder) => finder.bundle("Ghostty"),
  ask: (argv) => [OSASCRIPT, "-e", OPEN_GHOSTTY, ...argv],
  // The new instance is only for this window: it ends with the window and does not restore windows of other instances.
  command: (found, argv) =>
    openBundle(found, ["--quit-after-last-window-closed=true", "--window-save-state=never", "-e"], argv),
  endsWhenOpen: () => true,
};

/**
 * In the order of preference when the person chose none: on macOS an installed one before the one that is always there, on
 * Linux the desktop's own choice before any by name.
 */
export const TERMINAL_KINDS: readonly TerminalKind[] = [
  scripted("iterm2", "iTerm2", "iTerm", (argv) => [OPEN_ITERM2, quoteForITerm2(argv)]),
  GHOSTTY_OF_MAC,
  plain("xdg-terminal-exec", "The desktop's terminal", []),
  plain("x-terminal-emulator", "The system's terminal", ["-e"]),
  plain("ghostty", "Ghostty", ["-e"]),
  portable("wezterm", "WezTerm", ["start", "--"]),
  portable("kitty", "kitty", ["--"]),
  portable("alacritty", "Alacritty", ["-e"]),
  scripted("apple-terminal", "Terminal", "Terminal", (argv) => [OPEN_APPLE_TERMINAL, ...argv]),
  plain("gnome-terminal", "GNOME Terminal", ["--"]),
  plain("ptyxis", "Ptyxis", ["--"]),
  plain("kgx", "GNOME Console", ["--"]),
  plain("konsole", "Konsole", ["-e"]),
  plain("xfce4-terminal", "Xfce Terminal", ["-x"]),
  plain("foot", "foot", []),
  plain("xterm", "xterm", ["-e"]),
];
