// Reads the command line of a script run by a JavaScript runtime: several agents are nothing but that to the process table.
import { wordsOf } from "./commandLine.ts";

export interface ScriptCommand {
  /** `node` or `bun`. */
  program: string;
  /** Path of the script as it was given. */
  script: string;
  operands: readonly string[];
}

const RUNTIMES = new Set(["node", "nodejs", "bun"]);
/** Options of the runtime whose value is the next word. */
const OPTIONS_WITH_VALUE = new Set(["-r", "--require", "--import", "--loader", "-C", "--conditions"]);

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** `args` is argv joined by spaces, so a path with a space is cut there. Null where no runtime runs a script. */
export const readScriptCommand = (args: string): ScriptCommand | null => {
  const words = wordsOf(args);
  const program = baseName(words[0] ?? "");
  if (!RUNTIMES.has(program)) return null;
  let at = 1;
  while (words[at]?.startsWith("-") === true) at += OPTIONS_WITH_VALUE.has(words[at] ?? "") ? 2 : 1;
  const script = words[at];
  return script === undefined ? null : { program, script, operands: words.slice(at + 1) };
};
