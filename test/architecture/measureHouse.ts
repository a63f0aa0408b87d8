// `npm run measure:house`: how much there is to hold in mind, as a table, and what each row counts. It judges nothing: the rules
// are in the tests beside it.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { readFlows } from "./flows.ts";
import { readSources, ROOT, type SourceFile, TOP_FOLDERS } from "./sources.ts";

const linesOf = (text: string): number => text.split("\n").length - 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const count = (sources: readonly SourceFile[], pattern: RegExp): number =>
  sum(sources.map(({ text }) => text.match(pattern)?.length ?? 0));
const linesIn = (paths: readonly string[]): number =>
  sum(paths.map((path) => linesOf(readFileSync(join(ROOT, path), "utf8"))));

const roomOf = (path: string): string => path.split("/", 2).join("/");

/** Each pair of rooms of core of which one imports the other. */
const arrowsOfCore = (sources: readonly SourceFile[]): Set<string> =>
  new Set(
    sources.flatMap(({ path, imports }) =>
      imports.flatMap(({ to }) =>
        to.startsWith("core/") && roomOf(to) !== roomOf(path) ? [`${roomOf(path)} → ${roomOf(to)}`] : [],
      ),
    ),
  );

/** Imports between two folders that need each other: of each pair those that are fewer. */
const backArrows = (sources: readonly SourceFile[]): string[] => {
  const known = new Set(sources.map(({ path }) => path));
  const arrows = new Map<string, string[]>();
  for (const { path, imports } of sources)
    for (const { to } of imports) {
      const [from, into] = [posix.dirname(path), posix.dirname(to)];
      if (from === into || !known.has(to)) continue;
      const key = `${from} ${into}`;
      arrows.set(key, [...(arrows.get(key) ?? []), `${path} → ${to}`]);
    }
  return [...arrows].flatMap(([key, there]) => {
    const back = arrows.get(key.split(" ").toReversed().join(" ")) ?? [];
    return back.length === 0 ||
      there.length > back.length ||
      (there.length === back.length && key > key.split(" ").toReversed().join(" "))
      ? []
      : there;
  });
};

const sources = TOP_FOLDERS.flatMap(readSources);
const css = globSync(`{${TOP_FOLDERS.join(",")}}/**/*.css`, { cwd: ROOT });
const tests = globSync(
  ["{test,e2e,bench}/**/*.{ts,tsx,mjs}", `{${TOP_FOLDERS.join(",")}}/**/*.test.{ts,tsx}`],
  {
    cwd: ROOT,
  },
);
const agents = Map.groupBy(
  sources.filter(({ path }) => /^adapters\/(?!common|declarative|piFamily)[^/]+\//.test(path)),
  ({ path }) => roomOf(path),
);
const [largest = ["", []]] = [...agents].toSorted(([, a], [, b]) => b.length - a.length);
const arrows = arrowsOfCore(sources.filter(({ path }) => path.startsWith("core/")));
const back = backArrows(sources);
const { flows, names } = readFlows();

const rows: [measure: string, value: string, counts: string][] = [
  [
    "product files · lines",
    `${sources.length + css.length} · ${sum(sources.map(({ text }) => linesOf(text))) + linesIn(css)}`,
    `.ts, .tsx and .css in ${TOP_FOLDERS.join(", ")}; no tests and no test kits`,
  ],
  ...flows.map(({ name, files }): [string, string, string] => [
    name,
    `${files.length} files`,
    "its list in docs/architecture.md",
  ]),
  [
    "names of one envelope",
    names.length === 0 ? "not listed" : String(names.length),
    "their list in docs/architecture.md",
  ],
  ["exported interfaces", String(count(sources, /^export interface /gm)), "export interface"],
  ["Pick<", String(count(sources, /\bPick</g)), "wherever it stands"],
  [
    "…Deps, …Options",
    String(count(sources, /^(?:export )?(?:interface|type) \w+(?:Deps|Options)\b/gm)),
    "declared",
  ],
  [
    "arrows between rooms of core",
    String(arrows.size),
    "pairs of which one imports the other, types included",
  ],
  [
    "back arrows",
    String(back.length),
    "imports between folders that need each other: of each pair the fewer",
  ],
  ["files of an agent", `${largest[1].length} (${largest[0]})`, "the most that one has in adapters/"],
  ["lines of tests, e2e and bench", String(linesIn(tests)), "beside the code and in test, e2e, bench"],
];
const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const [measure, value, counts] of rows)
  console.log(`${measure.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${counts}`);
if (process.argv.includes("--arrows")) console.log([...arrows].toSorted().join("\n"));
for (const arrow of back) console.log(`back: ${arrow}`);
