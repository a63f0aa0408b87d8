// What each test file took and told, kept from run to run in `test-results/runs.jsonl`: a line for each file that has ended, so
// that a run that is stopped loses nothing. `scripts/test.mjs` reads it; only what that script starts is written here.
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const RUNS = join(ROOT, "test-results", "runs.jsonl");
/** As in .gitignore: made from the sources, or by the tests. */
const NOT_SOURCES = new Set([
  ".git",
  ".tsbuild",
  "dist",
  "live-results",
  "node_modules",
  "release",
  "test-results",
]);
/** Of each file, newest last. */
const KEPT_RUNS = 5;

export interface FileRun {
  /** The sources that were tested (`fingerprintTree`). */
  tree: string;
  /** When it ended, in ms since 1970. */
  at: number;
  /** From the root, or `checks`. */
  file: string;
  /** Its tests and hooks, without the import of its modules. */
  ms: number;
  passed: number;
  failed: number;
  skipped: number;
  /** The tests that failed, each with how; of a file that could not be loaded, its error. */
  failures?: string[];
  /** The tests that failed first and passed then, each with how. */
  secondAttempts: string[];
}

/** The same for the same sources, whether they are committed or not. */
export const fingerprintTree = (root = ROOT): string => {
  const hash = createHash("sha256");
  const add = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (NOT_SOURCES.has(entry.name) || entry.name.endsWith(".log")) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) add(path);
      else if (entry.isFile()) hash.update(`${path.slice(root.length)}\0`).update(readFileSync(path));
    }
  };
  add(root);
  return hash.digest("hex").slice(0, 16);
};

export const noteRun = (run: FileRun, path = RUNS): void => {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, `${JSON.stringify(run)}\n`);
};

const parseLine = (line: string): FileRun[] => {
  try {
    return [JSON.parse(line) as FileRun];
  } catch {
    // The last line of a run that was killed: that file has not ended.
    return [];
  }
};

/** File → its runs, the newest last. */
export const readRuns = (path = RUNS): Map<string, FileRun[]> => {
  const runs = new Map<string, FileRun[]>();
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  for (const run of text.split("\n").flatMap(parseLine))
    runs.set(run.file, [...(runs.get(run.file) ?? []), run].slice(-KEPT_RUNS));
  return runs;
};

/** Leaves out what is older than the runs that are kept. */
export const tidyRuns = (path = RUNS): void => {
  const lines = [...readRuns(path).values()].flat().map((run) => `${JSON.stringify(run)}\n`);
  if (lines.length === 0) return;
  writeFileSync(`${path}.new`, lines.join(""));
  renameSync(`${path}.new`, path);
};

/** What passed with just these sources, by its newest run. */
export const passedWith = (tree: string, path = RUNS): FileRun[] =>
  [...readRuns(path).values()].flatMap((runs) => {
    const newest = runs.at(-1);
    return newest !== undefined && newest.tree === tree && newest.failed === 0 ? [newest] : [];
  });

/** The least time that a file took in its kept runs: another program that was busy counts only if it always was. */
export const leastMs = (runs: readonly FileRun[]): number => Math.min(...runs.map(({ ms }) => ms));
