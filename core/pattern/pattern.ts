// Patterns of adapter files are a person's input and run on hostile screens. They are bounded twice: a nested repetition is
// refused when the file is read, and every evaluation has a deadline that interrupts even a matcher that hangs.
import { createContext, Script, type Context } from "node:vm";
import safeRegex from "safe-regex2";

/** More repetitions than any rule over forty lines needs. */
const MAX_REPETITIONS = 60;
/** Time for all probes of a pattern, ms. */
const PROBE_LIMIT_MS = 200;
const PROBE_LENGTH = 64;

/** A stopped evaluation: the rules took longer than they may. */
export class PatternTimeout extends Error {
  constructor(limitMs: number) {
    super(`the patterns took longer than ${limitMs} ms`);
    this.name = "PatternTimeout";
  }
}

export interface Deadline {
  /**
   * Runs pure work, maybe more than once; throws PatternTimeout when it takes longer than `limitMs` of this thread's own computing.
   * Blocks until then.
   */
  run<T>(limitMs: number, work: () => T): T;
}

/** By its code: the error may come from another realm. */
const isTimeout = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

/** What this thread has computed so far, in milliseconds; some systems count in steps of four. */
const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const isDone = <T>(result: { value?: T }): result is { value: T } => "value" in result;

/**
 * The engine's watchdog ends a match in mid-flight: the one way to stop a regular expression in this thread. It counts wall time, of
 * which a busy machine gives this thread a part, and one that slept gives it none: then the work has twice the time. What the
 * watchdog needs takes 150 kB, so it is made for the first evaluation.
 */
export const createDeadline = (): Deadline => {
  const box: { work: () => void } = { work: () => {} };
  let realm: { context: Context; script: Script } | null = null;
  return {
    run: <T>(limitMs: number, work: () => T): T => {
      const { context, script } = (realm ??= { context: createContext(box), script: new Script("work()") });
      const result: { value?: T } = {};
      box.work = () => {
        result.value = work();
      };
      try {
        for (let wallMs = limitMs; !isDone(result); wallMs *= 2) {
          const begunMs = computedMs();
          try {
            script.runInContext(context, { timeout: wallMs });
          } catch (error) {
            if (!isTimeout(error)) throw error;
            if (computedMs() - begunMs >= limitMs / 2) throw new PatternTimeout(limitMs);
          }
        }
      } finally {
        box.work = () => {};
      }
      return result.value;
    },
  };
};

/** Long runs of each character that the pattern names, ended by one that it does not: where hidden ambiguity shows. */
const probesFor = (source: string): string[] =>
  [
    ...new Set(
      source
        .replaceAll(/\\[dw]/g, "a")
        .replaceAll(/\\s/g, " ")
        .replaceAll(/[^\w\s─-╿-]/g, ""),
    ),
    "a",
    " ",
  ]
    .slice(0, 30)
    .map((character) => `${character.repeat(PROBE_LENGTH)}\u0001`);

/** What is wrong with a pattern, as a sentence for its author; null where nothing is. */
export const findPatternProblem = (source: string, deadline: Deadline): string | null => {
  let expression: RegExp;
  try {
    expression = compilePattern(source);
  } catch (error) {
    return error instanceof Error ? error.message : "it isn't a regular expression";
  }
  if (!safeRegex(source, { limit: MAX_REPETITIONS }))
    return "it repeats a repetition, looks behind, or repeats too often: write it so that each part can match in one way only";
  try {
    deadline.run(PROBE_LIMIT_MS, () => probesFor(source).map((probe) => expression.test(probe)));
  } catch (error) {
    if (error instanceof PatternTimeout)
      return "it takes too long on a long line: two of its parts can match the same text";
    throw error;
  }
  return null;
};

/** `^` and `$` match at every line. Throws SyntaxError. */
export const compilePattern = (source: string, flags = ""): RegExp => new RegExp(source, `m${flags}`);
