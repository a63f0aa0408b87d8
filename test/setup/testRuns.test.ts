import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  fingerprintTree,
  leastMs,
  noteRun,
  passedWith,
  readRuns,
  tidyRuns,
  type FileRun,
} from "./testRuns.ts";

const run = (more: Partial<FileRun> = {}): FileRun => ({
  tree: "a",
  at: 1,
  file: "x.test.ts",
  ms: 10,
  passed: 3,
  failed: 0,
  skipped: 0,
  secondAttempts: [],
  ...more,
});
const openRuns = (...runs: FileRun[]): string => {
  const path = join(mkdtempSync(join(tmpdir(), "runs-")), "results", "runs.jsonl");
  for (const one of runs) noteRun(one, path);
  return path;
};

it("keeps the newest five runs of a file", () => {
  const path = openRuns(...[1, 2, 3, 4, 5, 6, 7].map((ms) => run({ ms })), run({ file: "y.test.ts" }));
  tidyRuns(path);
  expect(
    readRuns(path)
      .get("x.test.ts")
      ?.map(({ ms }) => ms),
  ).toEqual([3, 4, 5, 6, 7]);
  expect(leastMs(readRuns(path).get("x.test.ts") ?? [])).toBe(3);
});

it("says what passed with the same sources, by the newest run of each file", () => {
  const path = openRuns(
    run({ file: "failed before.ts", failed: 1 }),
    run({ file: "failed before.ts" }),
    run({ file: "fails now.ts" }),
    run({ file: "fails now.ts", failed: 1 }),
    run({ file: "other sources.ts", tree: "b" }),
  );
  expect(passedWith("a", path).map(({ file }) => file)).toEqual(["failed before.ts"]);
});

it("leaves out the line that a killed run has not finished, and begins without a file", () => {
  const path = openRuns(run());
  writeFileSync(path, `${JSON.stringify(run())}\n{"tree":"a","file":"y.te`);
  expect([...readRuns(path).keys()]).toEqual(["x.test.ts"]);
  expect(readRuns(join(path, "..", "none")).size).toBe(0);
});

it("knows other sources by any file but those that are made", () => {
  const root = mkdtempSync(join(tmpdir(), "tree-"));
  mkdirSync(join(root, "core"));
  mkdirSync(join(root, "dist"));
  writeFileSync(join(root, "core", "a.ts"), "1");
  const first = fingerprintTree(root);
  writeFileSync(join(root, "dist", "a.cjs"), "1");
  expect(fingerprintTree(root)).toBe(first);
  writeFileSync(join(root, "core", "b.ts"), "");
  expect(fingerprintTree(root)).not.toBe(first);
});
