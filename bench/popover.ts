// `npm run bench:popover`: what the popover costs and how fast it is, in a real Chromium, against its targets. Prints Markdown;
// `--json FILE` writes the figures as well; `--soak 30m` sets the length of the soak (60s); `--base DIR` has the bench of another tree,
// which is built, run before and after, and compares. Fails when a target is missed, or a figure is more than a tenth above that tree's.
import { describeMachine } from "./machine.ts";
import { rowLines } from "./report/toMarkdown.ts";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Browser } from "playwright";
import { launchChromium } from "../e2e/launchers/chromium.ts";
import { compareWith, type Comparison, measureBase } from "./popover/base.ts";
import { type Baseline, measureBaseline } from "./popover/baseline.ts";
import { measureOpening, type OpeningFigures } from "./popover/opening.ts";
import { measureResting, type RestingFigures } from "./popover/resting.ts";
import { measureSoak, type SoakFigures } from "./popover/soak.ts";
import { measureStorm, type StormFigures } from "./popover/storm.ts";
import { atMost, type Check, type Machine } from "./report/model.ts";
import { digits, ms, spreadCells, SPREAD_HEAD } from "./report/words.ts";
import { spreadOf } from "./statistics.ts";

// The popover's figures beside their targets, as Markdown.

interface PopoverFigures {
  baseline: Baseline;
  openings: OpeningFigures[];
  storm: StormFigures;
  resting: RestingFigures;
  soak: SoakFigures;
}

interface Surroundings extends Machine {
  chromium: string;
  /** Load average over a minute. */
  loadBefore: number;
  loadAfter: number;
}

const OPEN_MS = 100;
const ENTRY_MS = 50;
const BATCH_MS = 8;
const LONG_TASK_MS = 50;
/** Elements and listeners come and go with rows; a leak of one per round would add up to hundreds. */
const NODES = 300;
const LISTENERS = 50;

const p95 = (sample: readonly number[]): number => spreadOf(sample).p95;

const checksOf = ({ openings, storm, resting, soak }: PopoverFigures): Check[] => [
  ...openings.flatMap(({ rows, firstMs, againMs }) => [
    // There are only a few page loads, too few for a percentile.
    atMost(`open, ${rows} rows, first time (median)`, spreadOf(firstMs).median, OPEN_MS, "ms"),
    atMost(`open, ${rows} rows (p95)`, p95(againMs), OPEN_MS, "ms"),
  ]),
  atMost(`feed entry → frame, ${storm.rows} rows (p95)`, p95(storm.entryMs), ENTRY_MS, "ms"),
  atMost("feed entry → frame, during the storm (p95)", p95(storm.entryInStormMs), ENTRY_MS, "ms"),
  atMost("main thread per batch in the storm (p95)", p95(storm.work.batchWallMs), BATCH_MS, "ms"),
  atMost("longest task in the storm", Math.max(0, ...storm.longTasksMs), LONG_TASK_MS, "ms"),
  atMost("hidden: callbacks that ran", resting.fired, 0, ""),
  atMost("hidden: timers and frames to come", resting.pending, 0, ""),
  atMost("hidden: subscriptions of the feed", resting.subscriptions, 0, ""),
  atMost("soak: growth of the heap", soak.growth.heapMb, soak.heapLimitMb, "MB"),
  atMost("soak: growth of the document", soak.growth.nodes, NODES, "nodes"),
  atMost("soak: growth of listeners", soak.growth.listeners, LISTENERS, "listeners"),
];

const checkRows = (checks: readonly Check[]): string[][] =>
  checks.map(({ what, measured, limit, unit, isMet }) => [
    what,
    `${digits(measured)} ${unit}`,
    `≤ ${digits(limit)} ${unit}`,
    isMet ? "pass" : "**miss**",
  ]);

const timeRows = ({ baseline, openings, storm }: PopoverFigures): string[][] =>
  (
    [
      ["an empty page: from frame to frame", baseline.frameMs],
      ["an empty page: a text told → the end of its frame", baseline.textMs],
      ...openings.flatMap(({ rows, firstMs, againMs, fromClickMs }): [string, number[]][] => [
        [`${rows} rows: first opening since the page was loaded`, firstMs],
        [`${rows} rows: every other opening`, againMs],
        [`${rows} rows: the same from the click on the tray`, fromClickMs],
      ]),
      [`${storm.rows} rows: feed entry → frame`, storm.entryMs],
      [`${storm.rows} rows: the same during the storm`, storm.entryInStormMs],
      [`${storm.rows} rows: main thread per batch, by the clock`, storm.work.batchWallMs],
      [`${storm.rows} rows: main thread per batch, processor time`, storm.work.batchCpuMs],
    ] satisfies [string, number[]][]
  ).map(([what, sample]) => [what, ...spreadCells(spreadOf(sample))]);

const soakRows = ({ samples, growth }: SoakFigures): string[][] => {
  const [first, last] = [samples[0], samples.at(-1)];
  const row = (what: string, pick: (sample: SoakFigures["samples"][number]) => number, grown: number) => [
    what,
    first === undefined ? "" : digits(pick(first)),
    last === undefined ? "" : digits(pick(last)),
    digits(grown),
  ];
  return [
    row("heap in MB", ({ heapMb }) => heapMb, growth.heapMb),
    row("nodes", ({ nodes }) => nodes, growth.nodes),
    row("listeners", ({ listeners }) => listeners, growth.listeners),
  ];
};

/** Our figures between those of the other tree, before and after. */
const comparisonTable = (compared: readonly Comparison[]): string =>
  [
    "",
    ...rowLines(
      ["beside the other tree", "it, before", "this one", "it, after", "at most a tenth above"],
      compared.map(({ what, before, own, after, isWithin }) => [
        what,
        ...[before, own, after].map((value) => `${digits(value)} ms`),
        isWithin ? "yes" : "**no**",
      ]),
    ),
  ].join("\n");

const HOW = [
  "- Opening: the real main process with the stand-in's windows, which are pages of Chromium. From the app's message that the popover is seen, as it comes into the page, to the end of the first frame with the version of now; eleven rows changed meanwhile.",
  "- Feed entry: from the daemon's change in this process, through the browser bridge, to the end of the frame that shows it.",
  "- Batch: all tasks of the page's main thread between two frames that it asked for, from Chromium's own trace. Long tasks are what the page itself is told of.",
  "- Hidden: agents go on working while every timer, frame, observer and posted task of the page is counted from its first script on, and at the daemon who follows its feed.",
  "- Soak: read after a forced collection; growth is that of a straight line through the last two thirds.",
];

const reportPopover = (
  figures: PopoverFigures,
  around: Surroundings,
): { markdown: string; checks: Check[] } => {
  const checks = checksOf(figures);
  const { resting, soak, storm } = figures;
  const markdown = [
    "# The popover in Chromium",
    "",
    `${around.cpu}, ${around.cores} cores, ${around.memoryGb} GB, ${around.system}, Node ${around.node}, Chromium ${around.chromium}; load average ${around.loadBefore.toFixed(2)} at the start, ${around.loadAfter.toFixed(2)} at the end.`,
    "",
    ...rowLines(["target", "measured", "limit", "result"], checkRows(checks)),
    ...rowLines(["time", ...SPREAD_HEAD], timeRows(figures)),
    `The storm had ${digits(storm.updatesPerSecond)} updates a second; its longest task took ${ms(storm.work.longestTaskMs)} by the clock, and the one that computed for longest ${ms(storm.work.longestTaskCpuMs)}. In ${resting.seconds} s ${resting.firedWhileOpen} callbacks ran while the popover was open, and ${resting.fired} while it was hidden.`,
    "",
    ...rowLines([`soak of ${soak.seconds} s`, "first", "last", "growth"], soakRows(soak)),
    ...HOW,
  ].join("\n");
  return { markdown, checks };
};

const ROWS = [30, 200, 1_000];
const MANY = 1_000;

const SECONDS_PER: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

const readSeconds = (text: string): number => {
  const [, number, unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  const factor = SECONDS_PER[unit];
  if (number === undefined || factor === undefined)
    throw new Error(`--soak takes a length such as 60s or 30m, not '${text}'`);
  return Number(number) * factor;
};

const measure = async (browser: Browser, soakSeconds: number): Promise<PopoverFigures> => {
  const say = (what: string): void => console.error(what);
  say("an empty page");
  const baseline = await measureBaseline(browser, 60);
  const openings: PopoverFigures["openings"] = [];
  for (const rows of ROWS) {
    say(`opening with ${rows} rows`);
    openings.push(await measureOpening(browser, rows, { first: 5, again: 40 }));
  }
  say("a storm");
  const storm = await measureStorm(browser, { rows: MANY, entries: 100, seconds: 20 });
  say("hidden");
  const resting = await measureResting(browser, { rows: MANY, seconds: 10 });
  say(`a soak of ${soakSeconds} s`);
  const soak = await measureSoak(browser, { rows: MANY, seconds: soakSeconds });
  return { baseline, openings, storm, resting, soak };
};

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    soak: { type: "string", default: "60s" },
    base: { type: "string" },
  },
});
const soakSeconds = readSeconds(values.soak);
const runBase = async () => {
  if (values.base === undefined) return null;
  console.error(`the bench of ${values.base}`);
  return measureBase(values.base);
};
const before = await runBase();
const browser = await launchChromium();
try {
  const loadBefore = loadavg()[0] ?? 0;
  const machine = { ...describeMachine(), chromium: browser.version(), loadBefore };
  const figures = await measure(browser, soakSeconds);
  const report = reportPopover(figures, { ...machine, loadAfter: loadavg()[0] ?? 0 });
  console.log(report.markdown);
  const after = await runBase();
  const compared = before === null || after === null ? [] : compareWith(figures, [before, after]);
  if (compared.length > 0) console.log(comparisonTable(compared));
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ machine, checks: report.checks, figures, compared }, null, 2)}\n`,
    );
  process.exitCode =
    report.checks.every(({ isMet }) => isMet) && compared.every(({ isWithin }) => isWithin) ? 0 : 1;
} finally {
  await browser.close();
}
