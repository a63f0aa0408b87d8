// Runs the commands of PaneClient and ProcessSignaller on the model: each `tmux` or `sh` call is one atomic step, handed out by
// the race's scheduler. A command that the model does not know fails the race.
import type { RunResult, TargetExecutor } from "../../../core/ports/targetExecutor.ts";
import { cursorOf, type ModelPane, screenOf, type TmuxModel } from "./tmuxModel.ts";

// Evaluates the tmux formats that the gate uses, for the model server. A format that it does not know is a failure of the
// race, never a silent false: the model has to follow the gate.

const variable = (pane: ModelPane, name: string): string => {
  const flag = (isSet: boolean): string => (isSet ? "1" : "0");
  switch (name) {
    case "pane_pid":
      return String(pane.first.pid);
    case "pane_dead":
      return flag(pane.isDead);
    case "pane_in_mode":
      return flag(pane.inMode);
    case "pane_synchronized":
    case "pane_input_off":
    case "alternate_on":
      return "0";
    case "cursor_flag":
      return "1";
    case "cursor_x":
      return String(cursorOf(pane).x);
    case "cursor_y":
      return String(cursorOf(pane).y);
    case "pane_width":
      return "100";
    case "pane_height":
      return "30";
    case "pane_current_command":
      return pane.front.command;
    case "pane_title":
      return "title";
    default:
      throw new Error(`the model does not know the variable ${name}`);
  }
};

/** `##`, `#,` and `#}` stand for their second sign. */
const isEscape = (format: string, at: number): boolean => /^#[#,}]/.test(format.slice(at, at + 2));

/** Where the part that begins at `from` ends: at a comma or a brace of its own level. */
const endOfPart = (format: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < format.length; at += 1) {
    if (isEscape(format, at)) at += 1;
    else if (format.startsWith("#{", at)) depth += 1;
    else if (format[at] === "}" && depth > 0) depth -= 1;
    else if (depth === 0 && (format[at] === "," || format[at] === "}")) return at;
  }
  return format.length;
};

const split = (text: string): string[] => {
  const parts: string[] = [];
  for (let from = 0; from <= text.length;) {
    const end = endOfPart(text, from);
    parts.push(text.slice(from, end));
    from = end + 1;
  }
  return parts;
};

const isTrue = (value: string): boolean => value !== "" && value !== "0";

const operate = (pane: ModelPane, inner: string): string => {
  const [, operator, rest = ""] = /^(&&|\|\||==|!=|m\/r|C\/r|\?)(?::|(?<=\?))(.*)$/s.exec(inner) ?? [];
  if (operator === undefined) return variable(pane, inner);
  const [one = "", two = "", three = ""] = split(rest);
  const value = (part: string): string => expandFormat(pane, part);
  switch (operator) {
    case "&&":
      return isTrue(value(one)) && isTrue(value(two)) ? "1" : "0";
    case "||":
      return isTrue(value(one)) || isTrue(value(two)) ? "1" : "0";
    case "==":
      return value(one) === value(two) ? "1" : "0";
    case "!=":
      return value(one) === value(two) ? "0" : "1";
    case "m/r":
      return new RegExp(value(one), "u").test(value(two)) ? "1" : "0";
    case "C/r":
      return String(screenOf(pane).findIndex((row) => new RegExp(value(one), "u").test(row.trimEnd())) + 1);
    case "?":
      return value(isTrue(expandFormat(pane, `#{${one}}`)) ? two : three);
    default:
      throw new Error(`the model does not know the format ${inner}`);
  }
};

const expandFormat = (pane: ModelPane, format: string): string => {
  let out = "";
  for (let at = 0; at < format.length;) {
    if (isEscape(format, at)) {
      out += format[at + 1];
      at += 2;
    } else if (format.startsWith("#{", at)) {
      const end = matching(format, at);
      out += operate(pane, format.slice(at + 2, end));
      at = end + 1;
    } else {
      out += format[at];
      at += 1;
    }
  }
  return out;
};

/** Index of the brace that closes the one that opens at `from`. */
const matching = (format: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < format.length; at += 1) {
    if (isEscape(format, at)) at += 1;
    else if (format.startsWith("#{", at)) depth += 1;
    else if (format[at] === "}" && (depth -= 1) === 0) return at;
  }
  throw new Error(`unbalanced format ${format}`);
};

/** Runs `work` as one step of the race, and resolves when the race goes on with the caller. */
export type Step = <T>(what: string, work: () => T) => Promise<T>;

const ok = (stdout: string): RunResult => ({ exitCode: 0, stdout, stderr: "", timedOut: false });
const failed = (exitCode: number, stderr: string): RunResult => ({
  exitCode,
  stdout: "",
  stderr,
  timedOut: false,
});

const splitWords = (words: readonly string[]): string[][] => {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word === ";") commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands;
};

/** tmux's own parser, as far as toCommandString uses it: words, in quotes or plain, separated by blanks and semicolons. */
const parseCommands = (text: string): string[][] => {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === "'" || char === '"') {
      const end = text.indexOf(char, at + 1);
      if (end === -1) throw new Error(`unbalanced quotes: ${text}`);
      word = (word ?? "") + text.slice(at + 1, end);
      at = end;
    } else if (/[-\w]/.test(char)) word = (word ?? "") + char;
    else if (char === " ") {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === ";" && word === null) words.push(";");
    else throw new Error(`the model does not parse ${text}`);
  }
  if (word !== null) words.push(word);
  return splitWords(words);
};

const valueOf = (words: readonly string[], flag: string): string => words[words.indexOf(flag) + 1] ?? "";
/** The words after flags, which take a value unless they are in `bare`. */
const argumentsOf = (words: readonly string[], bare: readonly string[]): string[] => {
  let at = 1;
  while (at < words.length && words[at]?.startsWith("-") === true && words[at] !== "--")
    at += bare.includes(words[at] ?? "") ? 1 : 2;
  return words.slice(words[at] === "--" ? at + 1 : at);
};

class Gone extends Error {}

/** Checks that can be taken out, to show that the races notice. */
export const CHECKS = [
  "first process",
  "program",
  "screen",
  "place",
  "cursor",
  "text",
  "whole",
  "drawn text",
  "start of a process",
  "memory",
  "draft",
] as const;
export type Check = (typeof CHECKS)[number];
/** What a check is in a condition, and what is left without it. */
const CONDITION_OF: Partial<Record<Check, readonly [RegExp, string]>> = {
  "first process": [/#\{==:#\{pane_pid\},\d+\}/g, "1"],
  program: [/#\{m\/r:[^,]*,#\{pane_current_command\}\}/g, "1"],
  screen: [/#\{C\/r:(?:[^#}]|#.)*\}|#\{==:#\{C\/r:(?:[^#}]|#.)*\},\d+\}/g, "1"],
  place: [/#\{==:(#\{C\/r:(?:[^#}]|#.)*\}),\d+\}/g, "$1"],
  cursor: [/#\{==:#\{cursor_[xy]\},\d+\}/g, "1"],
};

export class ModelExecutor implements Pick<TargetExecutor, "run" | "targetId"> {
  readonly targetId = "host";
  private readonly model: TmuxModel;
  private readonly step: Step;
  private readonly without: Check | null;

  constructor(model: TmuxModel, step: Step, without: Check | null) {
    this.model = model;
    this.step = step;
    this.without = without;
  }

  run(argv: readonly string[], options: { stdin?: string }): Promise<RunResult> {
    const [program] = argv;
    if (program === "sh") return this.step("process", () => this.runScript(argv));
    if (program !== "tmux" || argv[1] !== "-u") throw new Error(`the model does not know ${argv.join(" ")}`);
    return this.step(argv.includes("source-file") ? "deliver" : "look", () =>
      this.runTmux(splitWords(argv.slice(2)), options.stdin),
    );
  }

  private runScript(argv: readonly string[]): RunResult {
    const [pid = "", start = "", signal = ""] = argv.slice(4);
    const program = this.model.processes.get(Number(pid));
    if (program === undefined) return failed(3, "");
    const isOther = start !== "" && start !== String(program.startedAt);
    if (isOther && this.without !== "start of a process") return failed(4, "");
    const isFront = [...this.model.panes.values()].some((pane) => pane.front === program);
    const line = `${program.startedAt} ${isFront ? 1 : 0}\n`;
    if (start !== "") this.model.signal(program.pid, program.startedAt, signal);
    return ok(line);
  }

  private runTmux(commands: readonly string[][], stdin: string | undefined): RunResult {
    if (!this.model.isRunning) return failed(1, "no server running on /model");
    try {
      return ok(commands.map((words) => this.runCommand(words, stdin)).join(""));
    } catch (error) {
      if (error instanceof Gone) return failed(1, error.message);
      throw error;
    }
  }

  private paneOf(words: readonly string[]): ModelPane {
    const paneId = valueOf(words, "-t");
    const pane = this.model.panes.get(paneId);
    if (pane === undefined) throw new Gone(`can't find pane: ${paneId}`);
    return pane;
  }

  private runCommand(words: readonly string[], stdin: string | undefined): string {
    const { model } = this;
    switch (words[0]) {
      case "display-message": {
        const format = words.at(-1) ?? "";
        return `${words.includes("-t") ? expandFormat(this.paneOf(words), format) : format}\n`;
      }
      case "list-clients":
        return "";
      case "capture-pane":
        return `${screenOf(this.paneOf(words)).join("\n")}\n`;
      case "load-buffer":
        model.buffers.set(valueOf(words, "-b"), stdin ?? "");
        return "";
      case "delete-buffer":
        model.buffers.delete(valueOf(words, "-b"));
        return "";
      case "copy-mode":
        this.paneOf(words).inMode = false;
        return "";
      case "send-keys":
        model.press(this.paneOf(words), argumentsOf(words, []));
        return "";
      case "paste-buffer": {
        const name = valueOf(words, "-b");
        model.type(this.paneOf(words), model.buffers.get(name) ?? "");
        model.buffers.delete(name);
        return "";
      }
      case "source-file":
        return parseCommands((stdin ?? "").replace(/\n$/, ""))
          .map((command) => this.runCommand(command, undefined))
          .join("");
      case "if-shell": {
        const pane = this.paneOf(words);
        const [condition = "", yes = "", no = ""] = argumentsOf(words, ["-F"]);
        const left = this.without === null ? undefined : CONDITION_OF[this.without];
        const value = expandFormat(pane, left === undefined ? condition : condition.replace(...left));
        const chosen = value !== "" && value !== "0" ? yes : no;
        return parseCommands(chosen)
          .filter((command) => command.length > 0)
          .map((command) => this.runCommand(command, undefined))
          .join("");
      }
      case undefined:
        return "";
      default:
        throw new Error(`the model does not know the command ${words.join(" ")}`);
    }
  }
}
