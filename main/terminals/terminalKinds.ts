// The terminal programs that we know, as data: where each is found and how it takes a command as separate words. Which one is
// used is decided in terminalService.ts.
import type { TerminalId } from "../../core/model/desktop.ts";
import { quoteWord } from "../../core/model/shellWord.ts";
import { OPEN_APPLE_TERMINAL, OPEN_GHOSTTY, OPEN_ITERM2 } from "./appleScripts.ts";

// Words as the text that a terminal takes a command as: for those that hand it to a shell, and for iTerm2, which reads it in a way
// of its own.
/** The words as text of a POSIX `sh`. */
const quoteForSh = (argv: readonly string[]): string => argv.map(quoteWord).join(" ");

/**
 * The words as the `command` of a new window of iTerm2. There `$$…$$` is a variable, and its versions differ in what a quote is. A
 * backslash outside of quotes is the same in all: the next character as it is, but for four letters.
 */
const quoteForITerm2 = (argv: readonly string[]): string =>
  argv
    .map((word) => (word === "" ? '""' : word.replaceAll(/[^A-Za-z0-9_/.,:=@%+-]/gu, String.raw`\$&`)))
    .join(" ");

/** Where programs are looked for. */
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
  /** What is found and run, or null. */
  find(finder: TerminalFinder): string | null;
  /** Asked first, where it is there: prints "opened" if it opened the window. */
  ask?(argv: readonly string[]): readonly string[];
  /** Program and arguments that open a window in which `argv` runs. */
  command(found: string, argv: readonly string[]): readonly string[];
  /** The launcher ends when the window is up; else it may live as long as the window. */
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

/** A program that takes the command after some words of its own. */
const plain = (id: TerminalId, name: string, before: readonly string[]): TerminalKind => ({
  id,
  name,
  platforms: ["linux", "freebsd", "openbsd"],
  find: (finder) => finder.program(id),
  command: (found, argv) => [found, ...before, ...argv],
  endsWhenOpen: () => false,
});

/**
 * A window of another instance of an application of macOS. The system starts it: a child of ours would be charged with our
 * permissions. An argument that is the path of a file would be opened as a document, so all of ours are in one word of shell.
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

/** A plain one that macOS has as a bundle, or as a program alone. */
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

/** Its binary opens no window on macOS by itself (documented): only the instance that runs does, or another one. */
const GHOSTTY_OF_MAC: TerminalKind = {
  id: "ghostty",
  name: "Ghostty",
  platforms: ["darwin"],
  find: (finder) => finder.bundle("Ghostty"),
  ask: (argv) => [OSASCRIPT, "-e", OPEN_GHOSTTY, ...argv],
  // That instance is for this window alone: it ends with it, and brings back no windows of another.
  command: (found, argv) =>
    openBundle(found, ["--quit-after-last-window-closed=true", "--window-save-state=never", "-e"], argv),
  endsWhenOpen: () => true,
};

/**
 * In the order in which they are chosen where nothing is: on macOS one that somebody installed before the one that is always
 * there, on Linux the desktop's own choice before any by name.
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
