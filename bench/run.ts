// `npm run bench`: every figure that the README quotes, with the machine, the versions, the load and the baselines of the same
// run. Prints Markdown. `--only idle,hook` names parts, `--panes 200` or `--panes 30,1000` sizes, `--seconds N` the length of
// the quiet stretch at 200 panes (60); `--json FILE` and `--markdown FILE` write it too, the latter between two marks of the
// document, or into a new one; `--from FILE` renders an earlier JSON instead of measuring; `--quick` measures almost nothing,
// all at once.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describeMachine } from "./machine.ts";
import { PARTS, type Part } from "./parts.ts";
import { reportSchema, type BenchOptions, type BenchReport, type PartReport } from "./report/model.ts";
import { EMPTY_DOCUMENT, intoDocument, toMarkdown } from "./report/toMarkdown.ts";

const FORMAT = fileURLToPath(new URL("../node_modules/.bin/oxfmt", import.meta.url));
const NAMES = PARTS.flatMap(({ names }) => names);

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    panes: { type: "string", default: "30,200,1000" },
    seconds: { type: "string", default: "60" },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    markdown: { type: "string" },
    from: { type: "string" },
  },
});

const usage = (problem: string): never => {
  console.error(`bench: ${problem}. Parts: ${NAMES.join(", ")}.`);
  process.exit(2);
};

const numbersOf = (name: string, text: string): number[] => {
  const numbers = text.split(",").map(Number);
  if (numbers.some((number) => !(number > 0))) usage(`--${name} ${text} is no number above 0`);
  return numbers;
};

const wantedParts = (): ReadonlySet<string> => {
  if (values.only === undefined)
    return new Set(PARTS.flatMap(({ names, isLong }) => (isLong === true ? [] : names)));
  const wanted = values.only.split(",");
  for (const name of wanted) if (!NAMES.includes(name)) usage(`there is no part '${name}'`);
  return new Set(wanted);
};

const measure = async (): Promise<BenchReport> => {
  const wants = wantedParts();
  const options: BenchOptions = values.quick
    ? { panes: [10], seconds: 1, isQuick: true }
    : {
        panes: numbersOf("panes", values.panes),
        seconds: numbersOf("seconds", values.seconds)[0] ?? 60,
        isQuick: false,
      };
  const [loadBefore = 0] = loadavg();
  const measurePart = async (part: Part): Promise<PartReport[]> => {
    console.error(`bench: ${part.names.filter((name) => wants.has(name)).join(", ")} …`);
    const from = performance.now();
    const measured = await part.run(options, wants);
    const seconds = (performance.now() - from) / 1_000 / measured.length;
    return measured.map((one) => ({ ...one, seconds }));
  };
  const wanted = PARTS.filter(({ names }) => names.some((name) => wants.has(name)));
  const parts: PartReport[] = [];
  // A smoke run gives no real figures, so all parts run at once.
  if (values.quick) parts.push(...(await Promise.all(wanted.map(measurePart))).flat());
  else for (const part of wanted) parts.push(...(await measurePart(part)));
  const words = process.argv.slice(2).filter((word, index, all) => {
    const isOutput = (one: string | undefined): boolean => /^--(json|markdown)\b/.test(one ?? "");
    return !isOutput(word) && !(isOutput(all[index - 1]) && !all[index - 1]?.includes("="));
  });
  return {
    date: new Date().toISOString().slice(0, 10),
    command: ["npm run bench", ...(words.length > 0 ? ["--", ...words] : [])].join(" "),
    machine: describeMachine(),
    loadBefore,
    loadAfter: loadavg()[0] ?? 0,
    parts,
  };
};

const withFigures = (path: string, markdown: string): string =>
  intoDocument(existsSync(path) ? readFileSync(path, "utf8") : EMPTY_DOCUMENT, markdown);

// A document without the marks is reported before an hour of measuring, not after.
try {
  if (values.markdown !== undefined) withFigures(values.markdown, "");
} catch (error) {
  usage(`--markdown ${values.markdown}: ${error instanceof Error ? error.message : String(error)}`);
}
const report: BenchReport =
  values.from === undefined
    ? await measure()
    : reportSchema.parse(JSON.parse(readFileSync(values.from, "utf8")));
const markdown = toMarkdown(report);
console.log(`# agtmux figures\n\n${markdown}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
if (values.markdown !== undefined) {
  mkdirSync(dirname(values.markdown), { recursive: true });
  writeFileSync(values.markdown, withFigures(values.markdown, markdown));
  execFileSync(FORMAT, [values.markdown]);
}
