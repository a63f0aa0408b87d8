// Tells gjc (gajae-code) from everything else in a pane. Nobody could run it here: the package path and the command are
// from its documents and a copy of its source, so a name alone gives medium confidence.
import type { IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { identifyScript, isWithoutScreen } from "../piFamily/identify.ts";

const SIGNS = {
  displayName: "gjc",
  packagePath: /(^|\/)(@gajae-code\/coding-agent|gajae-code)\/(.*\/)?cli\.[jt]s$/,
  command: "gjc",
  helpers: new Set([
    "acp",
    "agents",
    "deep-interview",
    "ralplan",
    "sdk",
    "session",
    "state",
    "stats",
    "team",
    "ultragoal",
    "update",
  ]),
};

/** A compiled release is one program of that name. */
const isProgram = ({ comm, args }: ProcessInfo): boolean => {
  const [program = "", ...operands] = wordsOf(args);
  return baseName(comm) === "gjc" && baseName(program) === "gjc" && !isWithoutScreen(operands, SIGNS.helpers);
};

export const identifyGjc = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const script = identifyScript(processes, SIGNS);
  if (script !== null) return script;
  const process = processes.find(isProgram);
  return process === undefined
    ? null
    : { process, confidence: "medium", sign: `process name and program "gjc"` };
};
