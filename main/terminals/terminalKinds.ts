// The terminal programs that we know, as data: the scripts for those that AppleScript drives, where each is found, and how it takes
// a command as separate words. Which one is used is decided in terminalService.ts.
import type { TerminalId } from "../../core/model/desktop.ts";
import { quoteWord } from "../../core/model/commandWords.ts";

// Scripts: constant; what varies is an argument of `run`, and becomes a shell word only through the system's own `quoted form of`.
// They check `is running` wherever `tell` would start the program, because a program that is started opens a window by itself. They
// follow the published dictionaries; no Mac has run them here.

/** The arguments as one command of a shell. */
const COMMAND_LINE = `  set commandLine to "exec"
  repeat with argument in argv
    set commandLine to commandLine & " " & quoted form of (argument as text)
  end repeat`;

/**
 * Opens a window in Terminal.app that runs the arguments. If Terminal.app was not running, it uses the window that it starts
 * with.
 */
export const OPEN_APPLE_TERMINAL = `on run argv
${COMMAND_LINE}
  if application "Terminal" is running then
    tell application "Terminal"
      activate
      do script commandLine
    end tell
  else
    tell application "Terminal"
      activate
      repeat 50 times
        if (count of windows) > 0 then exit repeat
        delay 0.1
      end repeat
      if (count of windows) is 0 then
        do script commandLine
      else
        do script commandLine in window 1
      end if
    end tell
  end if
end run`;

/** Opens a window in iTerm2 that runs the command of the first argument, which is written for iTerm2. */
export const OPEN_ITERM2 = `on run argv
  set commandLine to item 1 of argv
  if application "iTerm2" is not running then tell application "iTerm2" to launch
  tell application "iTerm2"
    create window with default profile command commandLine
    activate
  end tell
end run`;

/**
 * Opens a window in a running Ghostty and prints "opened"; with any other output nothing happened. Ghostty gives its command to
 * a shell after `exec -l`; `env` keeps our shell from becoming a login shell.
 */
const OPEN_GHOSTTY = `on run argv
  if application "Ghostty" is not running then return "none"
${COMMAND_LINE}
  tell application "Ghostty"
    activate
    new window with configuration {command:"/usr/bin/env sh -c " & quoted form of commandLine}
  end tell
  return "opened"
end run`;

/** Brings the tab of Terminal.app with the tty of the first argument to the front; prints "found" if there is one. */
export const FOCUS_APPLE_TERMINAL = `on run argv
  set wantedTty to item 1 of argv
  if application "Terminal" is not running then return "none"
  tell application "Terminal"
    repeat with aWindow in windows
      repeat with aTab in tabs of aWindow
        if (tty of aTab) is wantedTty then
          set selected of aTab to true
          set frontmost of aWindow to true
          activate
          return "found"
        end if
      end repeat
    end repeat
  end tell
  return "none"
end run`;

/** The same for iTerm2, whose tabs may hold several sessions. */
export const FOCUS_ITERM2 = `on run argv
  set wantedTty to item 1 of argv
  if application "iTerm2" is not running then return "none"
  tell application "iTerm2"
    repeat with aWindow in windows
      repeat with aTab in tabs of aWindow
        repeat with aSession in sessions of aTab
          if (tty of aSession) is wantedTty then
            select aWindow
            tell aTab to select
            tell aSession to select
            activate
            return "found"
          end if
        end repeat
      end repeat
    end repeat
  end tell
  return "none"
end run`;

/** For tmux -CC: iTerm2 itself shows the selected tmux window, so it only has to come to the front. */
export const ACTIVATE_ITERM2 = `on run argv
  if application "iTerm2" is not running then return "none"
  tell application "iTerm2" to activate
  return "found"
end run`;

/** The words as text of a POSIX `sh`, for terminals that hand it to a shell. */
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

interface TerminalFinder {
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
  /** True: the launcher ends when the window is up. False: it may run as long as the window. */
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
