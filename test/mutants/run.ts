// `npm run test:mutants`: makes 300 small changes to the code, one at a time, and says which of them the tests of `npm test` notice,
// and which only those of `test:all` do. Works in a copy. A run that was stopped goes on where it was, on the commit where it began;
// `--fresh` begins on the present one. `--only core/store` takes the code of some paths, `--tests core/store` asks some tests
// only, `--count` and `--seed` choose others, `--list` shows them and runs nothing.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeRun, openLongRun } from "../setup/longRun.ts";
import { checkTypes, openCopy, openSources, type Copy } from "./copy.ts";
import {
  foundSchema,
  isAskedIn,
  isFileOf,
  orderTests,
  STAGES,
  wavesOf,
  writeReport,
  type Found,
} from "./judge.ts";
import { chooseMutants, describeChange, findMutants, type Mutant } from "./mutate.ts";

const FOLDERS = ["core/engine", "core/ingest", "core/actions", "core/store", "adapters", "ui"];
const NO_CODE = /\.(?:test|d)\.tsx?$|\/(?:testing|testkit|fixtures|recordings)\//;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    tests: { type: "string", default: "" },
    list: { type: "boolean", default: false },
    fresh: { type: "boolean", default: false },
  },
});
const listOf = (text: string): string[] => text.split(",").filter((part) => part !== "");
const asked = {
  count: Number(values.count),
  seed: Number(values.seed),
  only: listOf(values.only),
  tests: listOf(values.tests),
};
if (!Number.isSafeInteger(asked.count) || asked.count < 1)
  throw new Error("--count takes a number of mutants");
if (!Number.isSafeInteger(asked.seed)) throw new Error("--seed takes a whole number");

const progress = openLongRun<Found>({
  name: `mutants-${createHash("sha256").update(JSON.stringify(asked)).digest("hex").slice(0, 8)}`,
  asked,
  schema: foundSchema,
  begin: () => ({
    commit: execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim(),
    tests: {},
    passed: {},
    verdicts: {},
  }),
  isFresh: values.fresh,
});
const { state: found } = progress;

const sources = openSources(found.commit);
const sourceOf = (file: string): string => readFileSync(join(sources.folder, file), "utf8");

const findAll = (): Mutant[][] => {
  const files = execFileSync("git", ["ls-files", ...FOLDERS], { cwd: sources.folder, encoding: "utf8" })
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !NO_CODE.test(file))
    .filter((file) => asked.only.length === 0 || asked.only.some((path) => file.startsWith(path)));
  return FOLDERS.map((folder) =>
    files
      .filter((file) => file.startsWith(`${folder}/`))
      .flatMap((file) => findMutants(file, sourceOf(file))),
  );
};

const say = (line: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** Each test file once without a mutant; one that fails gets a second chance alone. What has done well is not run again. */
const recordTests = async (copy: Copy, isWanted: (file: string) => boolean): Promise<void> => {
  const isAsked = (file: string): boolean =>
    asked.tests.length === 0 || asked.tests.some((path) => file.startsWith(path));
  const files = copy.files.filter(
    (file) => isWanted(file) && isAsked(file) && found.tests[file] === undefined,
  );
  if (files.length === 0) return;
  say(`${files.length} test files without a mutant`);
  const note = (outcome: { file: string; ms: number; isOk: boolean }, reached: number[]): void => {
    found.tests[outcome.file] = { ms: outcome.ms, isOk: outcome.isOk, reached };
    progress.save();
  };
  await copy.record(files, note);
  for (const file of files.filter((file) => found.tests[file]?.isOk === false)) {
    await copy.record([file], note);
    if (found.tests[file]?.isOk === false) say(`left out, because it fails without a mutant: ${file}`);
  }
};

const msOf = (file: string): number => found.tests[file]?.ms ?? 0;

/** The test that notices; null: none of the files does. */
const ask = async (copy: Copy, number: number, files: readonly string[]): Promise<string | null> => {
  for (const wave of wavesOf(files, msOf)) {
    const expectedMs = wave.reduce((sum, file) => sum + msOf(file), 0);
    const failure = await copy.run(wave, [number], expectedMs);
    if (failure !== null) return `${failure.file}${failure.test === "" ? "" : `: ${failure.test}`}`;
  }
  return null;
};

const judge = async (copy: Copy, mutants: readonly Mutant[]): Promise<void> => {
  for (const [index, stage] of STAGES.entries()) {
    const open = mutants
      .map((mutant, number) => ({ mutant, number }))
      .filter(({ mutant }) => found.verdicts[mutant.id] === undefined && isAskedIn(stage, mutant))
      .filter(({ mutant }) => (found.passed[mutant.id] ?? 0) <= index);
    if (open.length === 0) continue;
    say(`${stage.name}: ${open.length} mutants`);
    if (stage.name !== "types") await recordTests(copy, (file) => isFileOf(stage, file));
    for (const { mutant, number } of open) {
      const { file, line, id } = mutant;
      const by =
        stage.name === "types"
          ? checkTypes(sources.folder, mutant)
          : await ask(copy, number, orderTests(found.tests, { stage, file, number }));
      if (by === null) found.passed[id] = index + 1;
      else found.verdicts[id] = { noticed: stage.noticed, by };
      progress.save();
      say(
        `${Object.keys(found.verdicts).length}/${mutants.length} ${file}:${line} ${by ?? "is not noticed"}`,
      );
    }
  }
  for (const { id } of mutants) found.verdicts[id] ??= { noticed: "never", by: "" };
  progress.save();
};

const main = async (): Promise<void> => {
  const mutants = chooseMutants(findAll(), asked);
  if (values.list) {
    for (const mutant of mutants)
      console.log(`${mutant.file}:${mutant.line}\n${describeChange(sourceOf(mutant.file), mutant)}`);
    console.log(`${mutants.length} mutants`);
    return;
  }
  say(`${mutants.length} mutants in ${found.commit}`);
  const copy = await openCopy(found.commit, mutants);
  const stop = (): void =>
    void copy.close().finally(() => {
      sources.close();
      process.exit(130);
    });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  try {
    await judge(copy, mutants);
  } finally {
    await copy.close();
  }
  const about = `${describeRun()}\n${progress.describe()}`;
  console.log(`\n${writeReport({ found, mutants, sourceOf, about })}`);
};

try {
  await main();
} finally {
  sources.close();
}
