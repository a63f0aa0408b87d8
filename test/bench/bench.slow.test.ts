// The bench itself: every part of it works, and what it reports becomes the document. It measures almost nothing here.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PARTS } from "../../bench/parts.ts";
import { reportSchema, type BenchReport } from "../../bench/report/model.ts";
import { intoDocument, toMarkdown } from "../../bench/report/toMarkdown.ts";
import { fitExponent, spreadOf } from "../../bench/statistics.ts";

const RUN = fileURLToPath(new URL("../../bench/run.ts", import.meta.url));
const DOCUMENT = fileURLToPath(new URL("../../docs/measurements.md", import.meta.url));
const LIMIT_MS = 240_000;

const run = (...words: string[]) => promisify(execFile)(process.execPath, [RUN, ...words]);

let folder: string;
let report: BenchReport;
let document: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-bench-"));
  const [json, markdown] = [join(folder, "result.json"), join(folder, "figures.md")];
  writeFileSync(
    markdown,
    "# Before\n\n<!-- bench: begin -->\n\nearlier figures\n\n<!-- bench: end -->\n\nAfter.\n",
  );
  await run("--quick", "--json", json, "--markdown", markdown);
  report = reportSchema.parse(JSON.parse(readFileSync(json, "utf8")));
  document = readFileSync(markdown, "utf8");
}, LIMIT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every part that is not long reports figures, and none of them is missing", () => {
  const expected = PARTS.flatMap(({ names, isLong }) => (isLong === true ? [] : names));
  expect(report.parts.map(({ name }) => name)).toEqual(expected);
  for (const { tables } of report.parts) for (const { rows } of tables) expect(rows).not.toEqual([]);
  expect(document).not.toMatch(/NaN|undefined|Infinity/);
});

test("what was told as committed is there after SIGKILL, even here", () => {
  const lost = report.parts.flatMap(({ checks }) => checks).find(({ what }) => what.includes("SIGKILL"));
  expect(lost).toMatchObject({ measured: 0, isMet: true });
});

test("the document keeps what stands around the figures, and is rendered again from the JSON", async () => {
  expect(document).toMatch(/^# Before\n/);
  expect(document).toMatch(/\nAfter\.\n$/);
  expect(document).not.toContain("earlier figures");
  const { stdout } = await run("--from", join(folder, "result.json"));
  expect(stdout).toContain(toMarkdown(report));
});

test("a document that is not there is made, and one without marks is refused before anything is measured", async () => {
  const [made, other] = [join(folder, "new", "figures.md"), join(folder, "other.md")];
  await run("--from", join(folder, "result.json"), "--markdown", made);
  expect(readFileSync(made, "utf8")).toBe(
    document.replace("# Before", "# agtmux figures").replace("\nAfter.\n", ""),
  );
  writeFileSync(other, "# Other\n");
  await expect(run("--only", "idle", "--markdown", other)).rejects.toMatchObject({
    code: 2,
    stderr: /other\.md.*bench: begin/,
  });
  expect(readFileSync(other, "utf8")).toBe("# Other\n");
});

test("a missed target is said, and a document without marks is refused", () => {
  const [part] = report.parts;
  if (part === undefined) throw new Error("there is no part");
  const check = { what: "x", measured: 3, limit: 2, unit: "ms", atMost: true, isMet: false };
  expect(toMarkdown({ ...report, parts: [{ ...part, checks: [check] }] })).toContain(
    "| x | 3.00 ms | ≤ 2.00 ms | **missed** |",
  );
  expect(() => intoDocument("no marks", "figures")).toThrow("bench: begin");
  expect(intoDocument(readFileSync(DOCUMENT, "utf8"), "figures")).toContain("figures");
});

test("an unknown part names the known ones", async () => {
  await expect(run("--only", "nothing")).rejects.toMatchObject({ code: 2, stderr: /latency.*ssh/ });
});

test("statistics: order and exponents", () => {
  const sample = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(spreadOf(sample)).toEqual({ count: 100, median: 50, p95: 95, max: 100 });
  expect(fitExponent([10, 100, 1_000].map((x) => ({ x, y: 7 * x ** 2 })))).toBeCloseTo(2, 10);
});
