// Which process of a pane is the agent that a file describes: by the program's own name, or by the script that an
// interpreter runs. A shell, an editor or a remote login that only mentions the name never counts.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import { wordsOf } from "../common/commandLine.ts";
import { compilePattern } from "../../core/pattern/pattern.ts";
import type { AgentFile } from "./schema.ts";

const INTERPRETER = /^(node|nodejs|bun|deno|python[\d.]*|ruby|java|MainThread)$/;
/** Characters of a command line that patterns see. */
const MAX_LENGTH = 1_000;
/** Processes of one pane that are looked at. */
const MAX_PROCESSES = 200;

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const withoutExtension = (name: string): string => name.replace(/\.(m?js|cjs|ts|py|rb|jar)$/, "");

/** The script that an interpreter runs: its first argument that is no option, or what follows `-m`. */
const scriptOf = (words: readonly string[]): string | null => {
  if (!INTERPRETER.test(baseName(words[0] ?? ""))) return null;
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  return at < 0 ? null : withoutExtension(baseName(words[at] ?? ""));
};

export interface Identifier {
  /** False where no process can be this agent by its name: cheap, and no pattern runs. */
  isCandidate(processes: readonly ProcessInfo[]): boolean;
  /** Runs patterns: bounded input, but whoever calls it adds the deadline. */
  identify(processes: readonly ProcessInfo[]): IdentifyMatch | null;
  hasPatterns: boolean;
}

export const createIdentifier = (rules: AgentFile["process"]): Identifier => {
  const compile = (sources: readonly string[]) => sources.map((source) => compilePattern(source));
  const names = new Set(rules.names);
  const patterns = compile(rules.arguments);
  const second = rules.second_sign === undefined ? null : compile(rules.second_sign);
  const excluded = compile(rules.exclude);

  const nameSign = ({ comm }: ProcessInfo, words: readonly string[]): string | null => {
    const program = baseName(words[0] ?? comm);
    if (names.has(comm) || (!INTERPRETER.test(program) && names.has(program)))
      return `process name "${comm}"`;
    const script = scriptOf(words);
    return script !== null && names.has(script) ? `script "${script}"` : null;
  };
  const isInterpreter = ({ comm }: ProcessInfo, words: readonly string[]): boolean =>
    INTERPRETER.test(comm) || INTERPRETER.test(baseName(words[0] ?? ""));

  const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
    const line = process.args.slice(0, MAX_LENGTH);
    const words = wordsOf(line);
    const byArguments = isInterpreter(process, words) && patterns.some((pattern) => pattern.test(line));
    const sign = nameSign(process, words) ?? (byArguments ? "arguments of an interpreter" : null);
    if (sign === null || excluded.some((pattern) => pattern.test(line))) return null;
    if (second !== null && !second.some((pattern) => pattern.test(line))) return null;
    // Equal to the built-in adapters where there are two signs, and behind them where there is one.
    return { process, confidence: second === null ? "medium" : "high", sign };
  };
  return {
    hasPatterns: patterns.length + excluded.length + (second?.length ?? 0) > 0,
    isCandidate: (processes) =>
      processes.slice(0, MAX_PROCESSES).some((process) => {
        const words = wordsOf(process.args.slice(0, MAX_LENGTH));
        return nameSign(process, words) !== null || (patterns.length > 0 && isInterpreter(process, words));
      }),
    identify: (processes) => {
      for (const process of processes.slice(0, MAX_PROCESSES)) {
        const match = matchOne(process);
        if (match !== null) return match;
      }
      return null;
    },
  };
};
