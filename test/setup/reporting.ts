// What every suite shares: how a run is reported and kept, which files are still to be run, and which come first.
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { leastMs, noteRun, passedWith, readRuns } from "./testRuns.ts";

/**
 * For long suites, which drive real processes on machines that are busy with others: one more attempt, which the report names. A
 * property that failed once is a found counterexample: it is never tried again.
 */
export const ONE_RETRY = { count: 1, condition: /^(?!Property failed)/ };

/** The sources that `scripts/test.mjs` tests; other runs (of one title, while something is written) are not kept. */
const tree = process.env["AGTMUX_TEST_TREE"];
/** Files that passed with these sources and are not run again (`--rest`). */
export const PASSED: readonly string[] =
  tree !== undefined && process.env["AGTMUX_TEST_REST"] === "1"
    ? passedWith(tree).map(({ file }) => file)
    : [];

type TestFailure = NonNullable<ReturnType<TestCase["result"]>["errors"]>[number];

/** How something failed, in a line: the first one of its message, where, and the line of the test that led there. */
const describeFailure = (error: TestFailure | undefined, { moduleId }: { moduleId: string }): string => {
  const [line = ""] = (error?.message ?? "").split("\n");
  const own = (error?.stacks ?? []).filter(({ file }) => !file.includes("node_modules"));
  const places = new Set([own[0], own.find(({ file }) => file === moduleId)]);
  const told = [...places].flatMap((place) =>
    place === undefined ? [] : [`${relative(process.cwd(), place.file)}:${place.line}`],
  );
  return told.length === 0 ? line : `${line} (${told.join(", from ")})`;
};

/** The name of a test that failed, at least at first, and how. */
const failureOf = (test: TestCase): string =>
  `${test.fullName}: ${describeFailure(test.result().errors?.[0], test.module)}`;

const keepRun = (module: TestModule, of: string): void => {
  const tests = [...module.children.allTests()];
  const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
  const failed = count("failed");
  const failures = tests.filter((test) => test.result().state === "failed").map(failureOf);
  const isBroken = failed === 0 && !module.ok();
  noteRun({
    tree: of,
    at: Date.now(),
    file: module.relativeModuleId,
    ms: Math.round(module.diagnostic().duration),
    passed: count("passed"),
    // A file that could not be loaded has no tests.
    failed: isBroken ? 1 : failed,
    failures: isBroken ? [describeFailure(module.errors()[0], module)] : failures,
    skipped: count("skipped"),
    secondAttempts: tests.filter((test) => test.diagnostic()?.flaky === true).map(failureOf),
  });
};

/** Keeps what each file took and told, with the tests that passed only on a second attempt. */
const runs: Reporter = {
  onTestModuleEnd: (module) => {
    if (tree !== undefined) keepRun(module, tree);
  },
};

/** `AGTMUX_TEST_REPORT` names a file for vitest's own report, with the title of each test. */
const outputFile = process.env["AGTMUX_TEST_REPORT"];
export const reporters = [
  "default",
  runs,
  ...(outputFile === undefined ? [] : [["json", { outputFile }] as ["json", { outputFile: string }]]),
];

/** The dearest files first, by the kept runs: none is left for the end. */
export class RunSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const kept = readRuns();
    const msOf = ({ moduleId, project }: TestSpecification): number | null => {
      const runs = kept.get(moduleId.slice(project.config.root.length + 1));
      return runs === undefined ? null : leastMs(runs);
    };
    // Of a file that never ran nobody knows; long ones are most often those that are called so.
    const guess = ({ moduleId }: TestSpecification): number => (moduleId.includes(".slow.") ? 10_000 : 0);
    return files.toSorted((a, b) => (msOf(b) ?? guess(b)) - (msOf(a) ?? guess(a)));
  }
}
