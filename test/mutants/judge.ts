// What is known of mutants and what follows from it: which test files can notice one and in which order to ask them, whether the
// short command notices it or only the long one, and how that is told. Pure: `copy.ts` runs what is decided here. What it does not
// see: a test that reads the sources as text, a page for code outside of `ui`, and a process that runs nothing of the copy.
import { basename, dirname } from "node:path";
import * as z from "zod";
import { describeChange, type Mutant } from "./mutate.ts";

/** What one test file did without any mutant on. */
const testFileSchema = z.object({
  ms: z.number(),
  isOk: z.boolean(),
  /** The numbers of the mutants that it reaches. */
  reached: z.array(z.number()),
});
export type TestFile = z.infer<typeof testFileSchema>;

const verdictSchema = z.object({
  /** `short`: `npm test` notices it by a test; `types`: by what it checks before; `long`: only `test:all` does. */
  noticed: z.enum(["short", "types", "long", "never"]),
  by: z.string(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const foundSchema = z.object({
  commit: z.string(),
  tests: z.record(z.string(), testFileSchema),
  /** By the id of a mutant: how many of the stages did not notice it. */
  passed: z.record(z.string(), z.number()),
  verdicts: z.record(z.string(), verdictSchema),
});
export type Found = z.infer<typeof foundSchema>;

/** What only `test:all` runs. */
const isSlow = (file: string): boolean => /\.slow\.(?:test|e2e)\.tsx?$/.test(file);
const isInPage = (file: string): boolean => file.startsWith("e2e/");

export interface Stage {
  readonly name: "short" | "types" | "short in the page" | "long" | "long in the page";
  readonly noticed: Verdict["noticed"];
}

/** In the order in which a mutant is shown to them, the cheap ones first; who notices it ends that. */
export const STAGES: readonly Stage[] = [
  { name: "short", noticed: "short" },
  { name: "types", noticed: "types" },
  { name: "short in the page", noticed: "short" },
  { name: "long", noticed: "long" },
  { name: "long in the page", noticed: "long" },
];

/** Only what is drawn is looked for in a page: that is dear, and of other code the page shows what the daemon told. */
export const isAskedIn = ({ name }: Stage, { file }: Mutant): boolean =>
  !name.endsWith("page") || file.startsWith("ui/");

export const isFileOf = ({ name, noticed }: Stage, file: string): boolean =>
  name !== "types" && isInPage(file) === name.endsWith("page") && isSlow(file) === (noticed === "long");

/** How much a test counts as cheaper, because it is near to the code. */
const nearness = (mutated: string, test: string): number => {
  const name = basename(test).replace(/\..*$/, "");
  const isBeside = dirname(test) === dirname(mutated);
  if (isBeside && name === basename(mutated).replace(/\..*$/, "")) return 0.02;
  if (isBeside) return 0.2;
  const room = mutated.split("/", 2).join("/");
  return test.startsWith(`${room}/`) ? 0.5 : 1;
};

/** The files of a stage that reach a mutant and did well without it, in the order in which they are asked. */
export const orderTests = (
  tests: Readonly<Record<string, TestFile>>,
  { stage, file, number }: { stage: Stage; file: string; number: number },
): string[] =>
  Object.entries(tests)
    .filter(([name, test]) => isFileOf(stage, name) && test.isOk && test.reached.includes(number))
    .map(([name, { ms }]) => ({ name, weight: ms * nearness(file, name) }))
    .toSorted((one, other) => one.weight - other.weight || one.name.localeCompare(other.name))
    .map(({ name }) => name);

const FIRST_WAVE_MS = 3_000;

/** Files that run together: few and cheap ones first, because most mutants are noticed there. */
export const wavesOf = (files: readonly string[], msOf: (file: string) => number): string[][] => {
  const waves: string[][] = [];
  let budget = FIRST_WAVE_MS;
  let spent = Infinity;
  for (const file of files) {
    if (spent + msOf(file) > budget) {
      if (waves.length > 0) budget *= 2;
      waves.push([]);
      spent = 0;
    }
    waves.at(-1)?.push(file);
    spent += msOf(file);
  }
  return waves;
};

const FOLDER_DEPTH: Readonly<Record<string, number>> = { core: 2 };
const folderOf = (file: string): string => {
  const parts = file.split("/");
  return parts.slice(0, FOLDER_DEPTH[parts[0] ?? ""] ?? 1).join("/");
};

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const percent = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;

/** The whole report; what is not judged yet is counted as such. */
export const writeReport = (options: {
  found: Found;
  mutants: readonly Mutant[];
  sourceOf: (file: string) => string;
  /** The machine and the parts of the run. */
  about: string;
}): string => {
  const { found, mutants, sourceOf, about } = options;
  const noticedBy = (some: readonly Mutant[], noticed: Verdict["noticed"]): number =>
    some.filter(({ id }) => found.verdicts[id]?.noticed === noticed).length;
  const count = (some: readonly Mutant[]): number[] => [
    some.length,
    ...(["short", "types", "long", "never"] as const).map((noticed) => noticedBy(some, noticed)),
  ];
  const folders = Map.groupBy(mutants, ({ file }) => folderOf(file));
  const [short, types, long] = [
    noticedBy(mutants, "short"),
    noticedBy(mutants, "types"),
    noticedBy(mutants, "long"),
  ];
  const open = mutants.length - Object.keys(found.verdicts).length;
  const broken = Object.entries(found.tests).flatMap(([file, { isOk }]) => (isOk ? [] : [file]));
  const list = (noticed: Verdict["noticed"]): string[] =>
    mutants
      .filter(({ id }) => found.verdicts[id]?.noticed === noticed)
      .flatMap((mutant) => {
        const by = found.verdicts[mutant.id]?.by ?? "";
        return [
          `${mutant.file}:${mutant.line}${by === "" ? "" : ` (${by})`}`,
          ...describeChange(sourceOf(mutant.file), mutant)
            .split("\n")
            .map((line) => `  ${line}`),
        ];
      });
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", title, "", ...lines];
  return [
    `commit ${found.commit}`,
    about,
    "",
    row(["code", "made", "short", "types", "only long", "never"]),
    row(["---", "--:", "--:", "--:", "--:", "--:"]),
    ...[...folders].map(([folder, some]) => row([folder, ...count(some)])),
    row(["all", ...count(mutants)]),
    "",
    `the tests of the short command notice ${short} of the ${short + long} that those of the long one do: ${percent(short, short + long)}`,
    `with its types: ${short + types} of ${short + types + long}, ${percent(short + types, short + types + long)}`,
    ...(open > 0 ? [`not judged yet: ${open}`] : []),
    ...section("left out, because they fail without a mutant:", broken),
    ...section("only the long command notices:", list("long")),
    ...section("nothing notices:", list("never")),
  ].join("\n");
};
