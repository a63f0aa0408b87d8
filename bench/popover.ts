// `npm run bench:popover`: what the popover costs and how fast it is, in a real Chromium, against its targets. Prints Markdown;
// `--json FILE` writes the figures as well; `--soak 30m` sets the length of the soak (60s); `--base DIR` has the bench of another tree,
// which is built, run before and after, and compares. Fails when a target is missed, or a figure is more than a tenth above that tree's.
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Browser } from "playwright";
import { launchChromium } from "../e2e/launchers/chromium.ts";
import { describeMachine } from "./machine.ts";
import { compareWith, measureBase } from "./popover/base.ts";
import { measureBaseline } from "./popover/baseline.ts";
import { measureOpening } from "./popover/opening.ts";
import { comparisonTable, reportPopover, type PopoverFigures } from "./popover/report.ts";
import { measureResting } from "./popover/resting.ts";
import { measureSoak } from "./popover/soak.ts";
import { measureStorm } from "./popover/storm.ts";

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
