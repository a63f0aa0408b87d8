// Recognising an agent that a JavaScript runtime runs: by the path of its package, else by the name of
// the script that the runtime was given. Names as short as these belong to other programs too: a bare name proves nothing.
import type { IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, readScriptCommand } from "./commandLine.ts";

interface ScriptSigns {
  displayName: string;
  /** The path of the script inside its package, from the package's name on. */
  packagePath: RegExp;
  /** The command, as the script's file name. */
  command: string;
  /** First operands that run something else than a session on the screen. */
  helpers: RegExp;
}

/** Options that answer and exit, or that speak to a program instead of a person. */
const WITHOUT_SCREEN = /^(--export|--help|--list-models|--print|--version|-h|-p|-v)$/;
const SCREENLESS_MODES = /^(acp|bridge|json|rpc|rpc-ui|text)$/;

export const isWithoutScreen = (operands: readonly string[], helpers: RegExp): boolean =>
  helpers.test(operands[0] ?? "") ||
  operands.some(
    (operand, index) =>
      WITHOUT_SCREEN.test(operand) ||
      (operand === "--mode" && SCREENLESS_MODES.test(operands[index + 1] ?? "")) ||
      SCREENLESS_MODES.test(/^--mode=(.+)$/.exec(operand)?.[1] ?? ""),
  );

/** The first process, parents before children, that a runtime runs as this agent; null for everything else. */
export const identifyScript = (
  processes: readonly ProcessInfo[],
  signs: ScriptSigns,
): IdentifyMatch | null => {
  for (const process of processes) {
    const command = readScriptCommand(process.args);
    if (command === null) continue;
    const isPackage = signs.packagePath.test(command.script);
    const isCommand = baseName(command.script) === signs.command && command.script.includes("/");
    if ((!isPackage && !isCommand) || isWithoutScreen(command.operands, signs.helpers)) continue;
    return isPackage
      ? {
          process,
          confidence: "high",
          sign: `${command.program} running the package of ${signs.displayName}`,
        }
      : { process, confidence: "medium", sign: `${command.program} running "${signs.command}"` };
  }
  return null;
};
