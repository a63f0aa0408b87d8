// Asks the person at the terminal a yes-or-no question.
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { CliContext } from "./context.ts";

/** Exit status of a command that the person left instead of answering. */
export const INTERRUPTED_EXIT_CODE = 130;

/** Null when the person left with Ctrl-C or Ctrl-D instead of answering. */
export const ask = async (question: string, context: CliContext): Promise<boolean | null> => {
  const lines = createInterface({ input: context.stdin, output: context.stdout });
  try {
    const answer = await Promise.race([lines.question(question), once(lines, "close").then(() => null)]);
    return answer === null ? null : /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return null;
    throw error;
  } finally {
    lines.close();
  }
};
