// `npm run test:mutants`: makes 300 small changes to the code, one at a time, and says which of them the tests of `npm test` notice,
// and which only those of `test:all` do. Works in a copy. A run that was stopped goes on where it was, on the commit where it began;
// `--fresh` begins on the present one. `--only core/store` takes the code of some paths, `--tests core/store` asks some tests
// only, `--count` and `--seed` choose others, `--list` shows them and runs nothing.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openProgress } from "../proof/progress.ts";
import { describeRun } from "../setup/longRun.ts";
import { checkTypes, openCopy, openSources, type Copy } from "./copy.ts";
import { foundSchema, orderTests, wavesOf, writeReport, type Found, type Verdict } from "./judge.ts";
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

const progress = openProgress<Found>({
  name: `mutants-${createHash("sha256").update(JSON.stringify(asked)).digest("hex").slice(0, 8)}`,
  asked,
  schema: foundSchema,
  empty: () => ({
    commit: execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim(),
    tests: {},
    notShort: [],
    verdicts: {},
  }),
  isAgain: values.fresh,
});
const { found } = progress;

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

/** Each test file once without a mutant; one that fails gets a second chance alone. */
const recordTests = async (copy: Copy): Promise<void> => {
  const isAsked = (file: string): boolean =>
    asked.tests.length === 0 || asked.tests.some((path) => file.startsWith(path));
  const files = copy.files.filter((file) => isAsked(file) && found.tests[file]?.isOk !== true);
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

const ask = async (copy: Copy, number: number, files: readonly string[]): Promise<string | null> => {
  for (const wave of wavesOf(files, msOf)) {
    const expectedMs = wave.reduce((sum, file) => sum + msOf(file), 0);
    const failure = await copy.run(wave, [number], expectedMs);
    if (failure !== null) return `${failure.file}${failure.test === "" ? "" : `: ${failure.test}`}`;
  }
  return null;
};

const judge = async (copy: Copy, mutants: readonly Mutant[]): Promise<void> => {
  const decide = ({ id, file, line }: Mutant, verdict: Verdict): void => {
    found.verdicts[id] = verdict;
    progress.save();
    say(
      `${Object.keys(found.verdicts).length}/${mutants.length} ${verdict.noticed} ${file}:${line} ${verdict.by}`,
    );
  };
  const open = mutants
    .map((mutant, number) => ({ mutant, number }))
    .filter(({ mutant }) => found.verdicts[mutant.id] === undefined);
  for (const { mutant, number } of open) {
    if (found.notShort.includes(mutant.id)) continue;
    const by = await ask(copy, number, orderTests(found.tests, { file: mutant.file, number }).short);
    if (by !== null) decide(mutant, { noticed: "short", by });
    else {
      found.notShort.push(mutant.id);
      progress.save();
      say(`no short test notices ${mutant.file}:${mutant.line}`);
    }
  }
  for (const { mutant, number } of open) {
    if (found.verdicts[mutant.id] !== undefined) continue;
    const error = checkTypes(sources.folder, mutant);
    if (error !== null) {
      decide(mutant, { noticed: "types", by: error });
      continue;
    }
    const by = await ask(copy, number, orderTests(found.tests, { file: mutant.file, number }).long);
    decide(mutant, by === null ? { noticed: "never", by: "" } : { noticed: "long", by });
  }
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
    await recordTests(copy);
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
