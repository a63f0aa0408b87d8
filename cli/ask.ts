// Asks the person at the terminal a question.
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { ERROR_CODES } from "../core/model/errors.ts";
import type { CliContext } from "./context.ts";

/** Exit status when the person left the command instead of answering. */
const INTERRUPTED_EXIT_CODE = 130;
/** Exit status when the person said no: the same as when nobody can say yes. */
const DECLINED_EXIT_CODE = ERROR_CODES.E_CONFIRMATION_REQUIRED.exit;

/** Tells the person that nothing was done because of the answer (null: the person left), and returns the exit status. */
export const leaveUndone = (context: CliContext, hasAnswered: boolean, done = "done"): number => {
  context.print(`${hasAnswered ? "" : "\n"}Nothing was ${done}.\n`);
  return hasAnswered ? DECLINED_EXIT_CODE : INTERRUPTED_EXIT_CODE;
};

/** What was typed, trimmed; null when the person left with Ctrl-C or Ctrl-D instead of answering. */
export const askLine = async (question: string, context: CliContext): Promise<string | null> => {
  const lines = createInterface({ input: context.stdin, output: context.stdout });
  try {
    const answer = await Promise.race([lines.question(question), once(lines, "close").then(() => null)]);
    return answer === null ? null : answer.trim();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return null;
    throw error;
  } finally {
    lines.close();
  }
};

/** A yes-or-no question; null as with `askLine`. */
export const ask = async (question: string, context: CliContext): Promise<boolean | null> => {
  const line = await askLine(question, context);
  return line === null ? null : /^y(es)?$/i.test(line);
};
