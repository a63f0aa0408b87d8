// The results folder: results.jsonl grows by a line per step, so that a run that was stopped loses nothing, and later runs add to it.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noteSchema, partName, type Done, type Note, type Step } from "./result.ts";

export const openResults = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "results.jsonl");
  return {
    folder,
    notes: (): Note[] => {
      const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
      // A run that was killed may have left half a line at the end.
      const whole = lines.slice(0, -1);
      return whole.map((line, index) => {
        try {
          return noteSchema.parse(JSON.parse(line));
        } catch (cause) {
          throw new Error(`${path}, line ${index + 1} is no result: remove it, or the file`, { cause });
        }
      });
    },
    add: (note: Note): void => appendFileSync(path, `${JSON.stringify(note)}\n`),
  };
};

export type Results = ReturnType<typeof openResults>;

/** The parts that were done to their end, all of them, with every step driven. What could not be driven is tried again. */
export const doneParts = (notes: readonly Note[]): Set<string> => {
  const undriven = new Set(
    notes.flatMap((note) => (note.kind === "step" && note.verdict === "undriven" ? [note.attempt] : [])),
  );
  return new Set(
    notes.flatMap((note) => {
      if (note.kind !== "done" || note.scenarios !== null || note.problem !== null) return [];
      return undriven.has(note.attempt) ? [] : [partName(note.part)];
    }),
  );
};

export interface Merged {
  steps: Step[];
  /** The last attempt of each part. */
  parts: Done[];
}

/**
 * One result per part and step: the last one counts. An attempt that was not finished counts for nothing; one with all scenarios
 * replaces whatever was known of its part.
 */
export const mergeNotes = (notes: readonly Note[]): Merged => {
  const byAttempt = Map.groupBy(notes, ({ attempt }) => attempt);
  const steps = new Map<string, Map<string, Step>>();
  const parts = new Map<string, Done>();
  for (const done of notes) {
    if (done.kind !== "done") continue;
    const name = partName(done.part);
    const known = done.scenarios === null ? undefined : steps.get(name);
    const own = known ?? new Map<string, Step>();
    for (const note of byAttempt.get(done.attempt) ?? []) if (note.kind === "step") own.set(note.step, note);
    steps.set(name, own);
    parts.set(name, done);
  }
  return { steps: [...steps.values()].flatMap((own) => [...own.values()]), parts: [...parts.values()] };
};

/** 1 where a state was wrong, an agent could not be driven, or a part broke off: a run that proves nothing is no success. */
export const exitStatus = ({ steps, parts }: Merged): 0 | 1 => {
  const isBad = steps.some(({ verdict }) => verdict === "wrong" || verdict === "undriven");
  return isBad || parts.some(({ problem }) => problem !== null) || parts.length === 0 ? 1 : 0;
};
