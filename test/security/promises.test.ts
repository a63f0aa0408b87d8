// The table of docs/security.md: each promise names a test that is there, and no test of this folder shows something that
// is not promised.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OWN = "test/security/promises.test.ts";

const rows = readFileSync(join(ROOT, "docs", "security.md"), "utf8")
  .split("\n")
  .map((line) => /^\| (.+?) +\| `([^`]+\.(?:test|e2e)\.ts)` +\|$/.exec(line))
  .flatMap((match) => (match === null ? [] : [{ promise: match[1] ?? "", file: match[2] ?? "" }]));

it("names a test for every promise, and each is there", () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(rows.filter(({ promise }) => promise.length < 20)).toEqual([]);
  expect(new Set(rows.map(({ promise }) => promise)).size).toBe(rows.length);
});

it("has a row without a test nowhere in its table", () => {
  const text = readFileSync(join(ROOT, "docs", "security.md"), "utf8");
  const [, table = ""] = /\n\| promise[^\n]*\n\| -[^\n]*\n((?:\|[^\n]*\n)+)/.exec(text) ?? [];
  expect(table.trimEnd().split("\n")).toHaveLength(rows.length);
});

it("names every test of this folder", () => {
  const files = readdirSync(join(ROOT, "test", "security"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/security/${name}`);
  const named = new Set(rows.map(({ file }) => file));
  expect(files.filter((file) => file !== OWN && !named.has(file))).toEqual([]);
});
