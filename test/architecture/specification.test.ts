// docs/spec.md: each clause of the specification names what shows it, and everything that it names is there.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = join(ROOT, "docs", "spec.md");

const page = readFileSync(PAGE, "utf8");
const rows = page.split("\n").flatMap((line) => {
  const [, clause = "", says = "", shownBy = ""] = /^\| (\S+) +\| (.+?) +\| (.+?) +\|$/.exec(line) ?? [];
  return clause === "" || clause === "clause" || clause.startsWith("-") ? [] : [{ clause, says, shownBy }];
});

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

/** Files of this repository, npm scripts and decisions, as a cell names them. */
const filesIn = (text: string): string[] =>
  [...text.matchAll(/`([\w./-]+\/[\w.-]+\.(?:tsx?|md))`/g)].map(([, path = ""]) => path);
const scriptsIn = (text: string): string[] =>
  [...text.matchAll(/`npm run ([\w:]+)`/g)].map(([, name = ""]) => name);
const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = ""]) => path);

describe("docs/spec.md", () => {
  it("has every clause once", () => {
    expect(rows.length).toBeGreaterThan(140);
    expect(new Set(rows.map(({ clause }) => clause)).size).toBe(rows.length);
    const tables = page.split("\n").filter((line) => line.startsWith("| ") && !/^\| (clause|-)/.test(line));
    expect(tables).toHaveLength(rows.length);
  });

  it("names what shows each of them", () => {
    const without = rows.filter(
      ({ shownBy }) => filesIn(shownBy).length + scriptsIn(shownBy).length + linksIn(shownBy).length === 0,
    );
    expect(without).toEqual([]);
  });

  it("names nothing that is not there", () => {
    const missing = [
      ...filesIn(page).filter((path) => !existsSync(join(ROOT, path))),
      ...scriptsIn(page).filter((name) => !Object.hasOwn(scripts, name)),
      ...linksIn(page).filter((path) => !existsSync(join(dirname(PAGE), path))),
    ];
    expect(missing).toEqual([]);
    // What looks like a path and is none of the above would be held by nothing.
    const quoted = [...page.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
    const known = new Set(filesIn(page));
    expect(quoted.filter((text) => /\.(tsx?|md)$/.test(text) && !known.has(text))).toEqual([]);
  });
});
