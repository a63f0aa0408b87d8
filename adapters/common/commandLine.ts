// A process's command line: its words, the script that a runtime runs (several agents are nothing but one), and an agent's process
// found by it. ps shows the arguments joined by blanks, so a path with a blank is two words. Where a process's file is known, its
// name proves nothing (`byRightName`): links, copies, wrappers and `exec -a` change it.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { AgentAdapter, IdentifyMatch } from "../../core/ports/agentAdapter.ts";

/** Characters. An agent's arguments have fewer; a hostile list stays cheap. */
const MAX_LENGTH = 4_000;

export const wordsOf = (args: string): string[] =>
  args
    .slice(0, MAX_LENGTH)
    .split(/\s+/)
    .filter((word) => word !== "");

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The first process, parents before children, that matches. */
export const firstMatch = (
  processes: readonly ProcessInfo[],
  matchOne: (process: ProcessInfo) => IdentifyMatch | null,
): IdentifyMatch | null => {
  for (const process of processes) {
    const match = matchOne(process);
    if (match !== null) return match;
  }
  return null;
};

interface ScriptCommand {
  /** `node` or `bun`. */
  program: string;
  /** Path of the script as it was given. */
  script: string;
  operands: readonly string[];
}

const RUNTIMES = new Set(["node", "nodejs", "bun"]);
/** Options of the runtime whose value is the next word. */
const OPTIONS_WITH_VALUE = new Set(["-r", "--require", "--import", "--loader", "-C", "--conditions"]);

/** Null where no runtime runs a script. */
export const readScriptCommand = (args: string): ScriptCommand | null => {
  const words = wordsOf(args);
  const program = baseName(words[0] ?? "");
  if (!RUNTIMES.has(program)) return null;
  let at = 1;
  while (words[at]?.startsWith("-") === true) at += OPTIONS_WITH_VALUE.has(words[at] ?? "") ? 2 : 1;
  const script = words[at];
  return script === undefined ? null : { program, script, operands: words.slice(at + 1) };
};

/** Paths of the system's own programs. */
const OF_SYSTEM = /^(\/usr)?\/(s?bin|libexec)\/|^\/System\//;

type Named = AgentAdapter;

/**
 * The process with name and arguments as its file proves them, for this adapter's rules; null: its file shows that it is another
 * program. Without a known file it is returned as it is.
 */
export const byRightName = (adapter: Named, process: ProcessInfo): ProcessInfo | null => {
  const { file, args } = process;
  if (file === undefined) return process;
  if (file.runtime !== null) {
    const command = readScriptCommand(args);
    if (command === null) return process;
    return { ...process, args: [file.runtime, file.path, ...command.operands].join(" ") };
  }
  const [called = "", ...operands] = wordsOf(args);
  if (file.agentType === adapter.agentType) {
    const name = adapter.programs?.[0] ?? adapter.agentType;
    return { ...process, comm: name, args: [name, ...operands].join(" ") };
  }
  if (typeof file.agentType === "string") return null;
  if (file.agentType === null && adapter.executable !== undefined) return null;
  const names = adapter.programs ?? [adapter.agentType];
  const isPosing =
    names.includes(baseName(called)) && OF_SYSTEM.test(file.path) && !names.includes(baseName(file.path));
  return isPosing ? null : process;
};
