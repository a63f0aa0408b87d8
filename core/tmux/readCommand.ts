// The only tmux commands that watching may send, checked at run time. Everything else (keys, windows, options, and above
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
