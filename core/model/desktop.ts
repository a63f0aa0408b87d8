// What belongs to the window and not to the daemon: the choices of one person at one desktop, and what the popover's page may
// know of the app around it.
import * as z from "zod";

/** Terminal programs that we know how to open a window in. */
export const TERMINAL_IDS = [
  "iterm2",
  "ghostty",
  "wezterm",
  "kitty",
  "alacritty",
  "apple-terminal",
  "xdg-terminal-exec",
  "x-terminal-emulator",
  "gnome-terminal",
  "ptyxis",
  "kgx",
  "konsole",
  "xfce4-terminal",
  "foot",
  "xterm",
] as const;
export type TerminalId = (typeof TERMINAL_IDS)[number];

/** The word in a person's own command that our command replaces. */
export const PLACEHOLDER = "{}";

const wordSchema = z
  .string()
  .min(1)
  .max(1_000)
  // oxlint-disable-next-line no-control-regex -- what it refuses
  .regex(/^[^\u0000-\u001f\u007f]*$/, "a word holds a control character");

/** A program and its arguments, never a line of shell. */
const commandSchema = z
  .array(wordSchema)
  .min(2)
  .max(50)
  .refine(([program]) => program !== PLACEHOLDER, "the first word is the program")
  .refine(
    (words) => words.filter((word) => word === PLACEHOLDER).length === 1,
    `exactly one word is ${PLACEHOLDER}`,
  );

/** `auto`: the first of TERMINAL_IDS that is installed. */
export const terminalChoiceSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("auto") }).strict(),
  z.object({ kind: z.literal("known"), id: z.enum(TERMINAL_IDS) }).strict(),
  z.object({ kind: z.literal("command"), argv: commandSchema }).strict(),
]);
export type TerminalChoice = z.infer<typeof terminalChoiceSchema>;

/** Electron's accelerator: modifiers and one key, joined by +. */
export const acceleratorSchema = z
  .string()
  .max(60)
  .regex(
    /^((Command|Cmd|Control|Ctrl|CommandOrControl|CmdOrCtrl|Alt|Option|AltGr|Shift|Super|Meta)\+){1,4}[A-Za-z0-9]{1,20}$/,
    "this isn't a shortcut such as Control+Alt+A",
  );

export const DESKTOP_VIEWS = ["list", "settings", "integrations"] as const;
export type DesktopViewName = (typeof DESKTOP_VIEWS)[number];

/** `problem`: a sentence for the person; null while nothing is wrong. */
export interface DesktopState {
  platform: string;
  terminal: {
    choice: TerminalChoice;
    /** What is installed here. */
    found: { id: TerminalId; name: string }[];
    /** Name of the terminal that a click opens; null where there is none. */
    inUse: string | null;
    problem: string | null;
  };
  shortcut: { accelerator: string | null; problem: string | null };
  launchAtLogin: { isSupported: boolean; isOn: boolean; problem: string | null };
  notifications: { problem: string | null };
}

/** The `agtmux` command of this installation and whether a shell finds it. Sentences are for the person. */
export type CommandLineState =
  /** `pathLine`: the line that is missing in a shell's start file; `hiddenBy`: another agtmux that a shell finds first. */
  | { kind: "installed"; path: string; pathLine: string | null; hiddenBy: string | null }
  /** `path` is where the command would be put; `other`: another agtmux that a shell finds now. */
  | { kind: "absent"; path: string; command: string; other: string | null }
  /** Something that is not ours lies where the command would be put. */
  | { kind: "occupied"; path: string; what: string }
  | { kind: "none"; reason: string };

/** What the app tells its page. `visibility` comes first, and then with every change. */
export type DesktopEvent = { kind: "visibility"; isVisible: boolean } | { kind: "go"; view: DesktopViewName };
