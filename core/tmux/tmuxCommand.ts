// Commands for a tmux server as text: words that its own parser reads literally, the commands that watching may send, and batches
// of these with their answers. Nothing is sent here.
import { hasNoHook } from "../model/commandWords.ts";

/** Part of a tmux command: its words. */
export type TmuxCommand = readonly [name: string, ...args: string[]];

/** Between single quotes every character except the quote means itself. Newlines do not belong here. */
const quoteForTmux = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
/** Words that need no quotes get none: commands that are sent again and again stay short, also in tmux's log of messages. */
const toWord = (word: string): string => (/^[-\w]+$/.test(word) ? word : quoteForTmux(word));

export const toCommandString = (commands: readonly TmuxCommand[]): string =>
  commands.map((command) => command.map(toWord).join(" ")).join(" ; ");

// Read-only commands: the only ones that watching may send, checked at run time. Everything else (keys, windows, options, and above
// all `run-shell` or a format that runs one) is refused here, because nothing in tmux would stop a client from any of it.

/** One command as a vector: its name, flags and arguments, without quoting. */
export type ReadCommand = readonly string[];

interface CommandRule {
  flags: readonly string[];
  withValue: readonly string[];
  required: readonly string[];
  /** Whether one bare argument (a format) may follow. */
  takesFormat: boolean;
}

const RULES: Record<string, CommandRule> = {
  "list-panes": { flags: ["-a"], withValue: ["-F", "-f"], required: ["-a"], takesFormat: false },
  "capture-pane": {
    flags: ["-p", "-J"],
    withValue: ["-t", "-S", "-E"],
    required: ["-p"],
    takesFormat: false,
  },
  "list-clients": { flags: [], withValue: ["-F"], required: [], takesFormat: false },
  "display-message": { flags: ["-p"], withValue: ["-t"], required: ["-p"], takesFormat: true },
};

const PANE_ID = /^%\d{1,10}$/;
const LINE_NUMBER = /^-?\d{1,6}$/;
// Printable ASCII without the quote that encloses it in a list of commands, and not ending as a command separator.
const FORMAT = /^[ -&(-~]{0,4000}[ -&(-:<-~]$/;
// `#(` runs a shell; `E:` and `T:` expand a value again, and values are hostile.
const UNSAFE_FORMAT = /#\(|[{;]\s*[ET][:;]/;

const isValid = (flag: string, value: string | undefined): boolean => {
  if (value === undefined) return false;
  if (flag === "-t") return PANE_ID.test(value);
  if (flag === "-S" || flag === "-E") return LINE_NUMBER.test(value);
  return FORMAT.test(value) && !UNSAFE_FORMAT.test(value);
};

/** Throws unless `command` is one of the constant read-only commands with well-formed arguments. */
export const assertReadCommand = (command: ReadCommand): void => {
  const [name = "", ...args] = command;
  const refuse = (what: string): never => {
    throw new Error(`tmux query refused: ${what} of ${JSON.stringify(name)}`);
  };
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (rule === undefined) return refuse("the name");
  const seen = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (rule.flags.includes(arg)) seen.add(arg);
    else if (rule.withValue.includes(arg)) {
      if (!isValid(arg, args[++at])) refuse(`the value after ${arg}`);
    } else if (!rule.takesFormat || at !== args.length - 1 || arg.startsWith("-") || !isValid("-F", arg))
      refuse("an argument");
  }
  for (const flag of rule.required) if (!seen.has(flag)) refuse(`missing ${flag}`);
  return undefined;
};

// Answers of a batch. What panes show is hostile: a screen may print anything. So a marker is printed before each command of a
// batch and after the last. It holds a nonce of this batch, which no content can know, so no content can end its own answer or
// begin another.

/** What one command answered; when `isOk` is false, `lines` say why not. */
export interface CommandAnswer {
  isOk: boolean;
  lines: readonly string[];
}

/** The marker before command `index` (0-based); the one with the batch's length ends it. */
export const markerOf = (nonce: string, index: number): string => `agtmux-${nonce}-${index}`;

/** The lines of each of `count` commands; null: a marker is missing, so none of the answers can be trusted. */
export const parseTranscript = (stdout: string, nonce: string, count: number): string[][] | null => {
  const lines = stdout.split("\n");
  const answers: string[][] = [];
  let from = lines.indexOf(markerOf(nonce, 0));
  if (from === -1) return null;
  for (let index = 1; index <= count; index++) {
    const to = lines.indexOf(markerOf(nonce, index), from + 1);
    if (to === -1) return null;
    answers.push(lines.slice(from + 1, to));
    from = to;
  }
  return answers;
};

// Batch: one list of tmux commands that leaves no trace. No hook of a person may run because of it. So the list does nothing at all
// where a hook is set for one of its commands, and none of its commands can fail (tmux 3.5 has a hook for failures too).

/** The hooks that tmux runs after the commands of a batch; `if-shell` itself has none. */
export const LOOK_HOOKS = ["after-display-message", "after-list-panes", "after-capture-pane"] as const;
/** Only for a batch that asks who is attached. */
const CLIENTS_HOOK = "after-list-clients";

/** The list that runs `commands` unless this would make one of the hooks run. */
const unlessHooked = (hooks: readonly string[], commands: string): string[] => [
  "if-shell",
  "-F",
  hasNoHook(hooks),
  commands,
];

/** The answer about a pane that is gone. */
const goneMark = (nonce: string): string => `agtmux-${nonce}-gone`;
const print = (line: string): TmuxCommand => ["display-message", "-p", line];

/** If the target of `if-shell` does not exist, tmux takes the current pane instead. */
const guarded = (command: ReadCommand, nonce: string): TmuxCommand => {
  const [name = "", ...args] = command;
  const text = toCommandString([[name, ...args]]);
  const target = args[args.indexOf("-t") + 1];
  if (args.includes("-t") && target !== undefined)
    return [
      "if-shell",
      "-F",
      "-t",
      target,
      `#{==:#{pane_id},${target}}`,
      text,
      toCommandString([print(goneMark(nonce))]),
    ];
  return name === "display-message" ? [name, ...args] : ["if-shell", "-F", "#{session_id}", text];
};

/**
 * The words of `commands` with a marker before each and after the last (see `parseTranscript`). It prints nothing where hooks are
 * set; a listing prints nothing where there is no session.
 */
export const lookScript = (commands: readonly ReadCommand[], nonce: string): string[] => {
  const parts = commands.flatMap((command, index) => [
    print(markerOf(nonce, index)),
    guarded(command, nonce),
  ]);
  const hooks = commands.some(([name]) => name === "list-clients")
    ? [...LOOK_HOOKS, CLIENTS_HOOK]
    : LOOK_HOOKS;
  return unlessHooked(hooks, toCommandString([...parts, print(markerOf(nonce, commands.length))]));
};

/** Whether an answer says that the pane is gone. */
export const isGone = (lines: readonly string[], nonce: string): boolean =>
  lines.length === 1 && lines[0] === goneMark(nonce);
