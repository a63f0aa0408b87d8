// Helpers for an agent's print mode (`PrintMode`): options, and the answer in a stream of JSON. Rule for adapters: where an agent
// takes it, the question goes in on standard input, because every user of the machine can read arguments.
import * as z from "zod";

/** An option with its value, where there is one. */
export const option = (name: string, value: string | null): string[] => (value === null ? [] : [name, value]);

export const textSchema = z.object({ text: z.string() });

/** The records of a stream of JSON; other lines are messages for a person. */
export const readRecords = <T>(stdout: string, schema: z.ZodType<T>): T[] =>
  stdout.split("\n").flatMap((line) => {
    try {
      const { data } = schema.safeParse(JSON.parse(line));
      return data === undefined ? [] : [data];
    } catch {
      // It is no record.
      return [];
    }
  });

/** The answer is the last text: those before it say what the agent is about to do. */
export const lastOf = (texts: readonly string[]): string => texts.at(-1) ?? "";
