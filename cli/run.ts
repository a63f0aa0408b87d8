// One run of the command line: runs the verb in the context of the process, and turns its result into output and an exit status.
import { CommanderError } from "commander";
import { createContext } from "./createContext.ts";
import { exitCodeOf, renderFailure, toFailure } from "./failure.ts";
import { agentDocExitCode, AS_AGENT_DOC, fromAgentDoc } from "./grammar/doc.ts";
import type { Outcome } from "./grammar/options.ts";
import type { Verb } from "./grammar/verb.ts";
import { createProgram, fromCommander, pointToHelp } from "./program.ts";

/** Runs the arguments (without `node` and the script) and sets the process's exit status. */
export const runCli = async (given: readonly string[]): Promise<void> => {
  const isAgentDoc = given[0] === AS_AGENT_DOC;
  const args = isAgentDoc ? fromAgentDoc(given.slice(1)) : given;
  // `agtmux list --json | head -1` is not a failure: the reader has what it wanted.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const outcome: Outcome = { exitCode: 0 };
  // Without a verb: in a terminal the picker, in a script what there is.
  const words = args.length > 0 ? args : [process.stdin.isTTY && process.stdout.isTTY ? "pick" : "help"];
  let program: Verb | null = null;
  try {
    program = createProgram(createContext(outcome), outcome, words[0]);
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    const found =
      program !== null && error instanceof CommanderError
        ? fromCommander(error, program, args)
        : toFailure(error);
    if (found !== null) {
      const failure = program === null ? found : pointToHelp(found, program, args);
      process.stderr.write(renderFailure(failure, args.includes("--json"), Date.now()));
      outcome.exitCode = exitCodeOf(failure);
    }
  }
  process.exitCode = isAgentDoc ? agentDocExitCode(outcome.exitCode) : outcome.exitCode;
};
