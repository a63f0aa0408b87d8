// What a proof of many thousand cases has done so far, in a file: a run that was stopped, or that ends after some minutes, goes on
// there. What was done on other sources counts for nothing.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const filesIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();

/** Of everything in these folders that is no test. */
const hashOf = (folders: readonly string[]): string => {
  const hash = createHash("sha256");
  for (const file of folders.flatMap((folder) => filesIn(join(ROOT, folder))))
    hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
};

export interface LongRun<T> {
  /** Change it, and save it. */
  readonly state: T;
  save(): void;
  /** Whether the time that was given is over. */
  isOver(): boolean;
}

export interface LongRunOptions<T> {
  /** The name of the file, in `test-results`. */
  readonly name: string;
  /** The folders that the result is about. */
  readonly sources: readonly string[];
  readonly schema: z.ZodType<T>;
  readonly begin: () => T;
  readonly isFresh: boolean;
  readonly minutes: number;
}

const read = <T>(path: string, key: string, schema: z.ZodType<T>): T | null => {
  try {
    const found = z
      .object({ key: z.string(), state: z.unknown() })
      .parse(JSON.parse(readFileSync(path, "utf8")));
    return found.key === key ? schema.parse(found.state) : null;
  } catch {
    // There is none, or it is one of before: it begins again.
    return null;
  }
};

export const openLongRun = <T>(options: LongRunOptions<T>): LongRun<T> => {
  const path = join(ROOT, "test-results", `${options.name}.json`);
  const key = hashOf(options.sources);
  const known = options.isFresh ? null : read(path, key, options.schema);
  const state = known ?? options.begin();
  const deadline = performance.now() + options.minutes * 60_000;
  return {
    state,
    save: () => {
      mkdirSync(dirname(path), { recursive: true });
      const made = `${path}.${process.pid}`;
      writeFileSync(made, JSON.stringify({ key, state }));
      renameSync(made, path);
    },
    isOver: () => performance.now() > deadline,
  };
};

/** The machine and what else it does now, in one line. */
export const describeRun = (): string =>
  `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1) ?? "?"}`;
