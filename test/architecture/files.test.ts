// A file is a concept: none that has to be scrolled through twice, and none whose few lines serve one other file only.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSources, ROOT, type SourceFile, TOP_FOLDERS } from "./sources.ts";

const MAX_LINES = 600;
/** Below that, a file with one importer belongs into it, or into a neighbour of the same topic. */
const MIN_LINES = 40;

/** What stands alone by a rule, however short it is. */
const ALONE: readonly { rule: string; isMeant: (path: string) => boolean }[] = [
  {
    rule: "a verb that starts a program in its place loads nothing beside that",
    isMeant: (path) => path === "cli/verbs/run.ts",
  },
];

type Measured = Pick<SourceFile, "path" | "imports"> & { lines: number };

const tooLong = (files: readonly Measured[]): string[] =>
  files.flatMap(({ path, lines }) => (lines > MAX_LINES ? [`${path}: ${lines} lines`] : []));

/** Short files that one other file imports. `outside`: what else there is that may import them. */
const tooShort = (files: readonly Measured[], outside: readonly string[]): string[] => {
  const importers = new Map<string, Set<string>>();
  for (const { path, imports } of files)
    for (const { to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(path));
  return files.flatMap(({ path, lines }) => {
    const [only = null, ...others] = importers.get(path) ?? [];
    const isUsedOutside = outside.some((text) => text.includes(`/${path}"`));
    if (lines >= MIN_LINES || only === null || others.length > 0 || isUsedOutside) return [];
    return ALONE.some(({ isMeant }) => isMeant(path)) ? [] : [`${path}: ${lines} lines, for ${only}`];
  });
};

describe("files", () => {
  const files = TOP_FOLDERS.flatMap(readSources).map(({ path, imports, text }) => ({
    path,
    imports,
    lines: text.split("\n").length - 1,
  }));
  const outside = globSync("{bench,scripts,e2e,test}/**/*.{ts,mjs}", { cwd: ROOT })
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(ROOT, path), "utf8"));

  it("are no longer than a person can keep in mind: divide what has two topics", () => {
    expect(files.length).toBeGreaterThan(300);
    expect(tooLong(files)).toEqual([]);
  });

  it("are no few lines for one other file: put them into it, or to a neighbour of their topic", () => {
    expect(tooShort(files, outside)).toEqual([]);
  });

  it("that are too long or too short are found", () => {
    const file = (path: string, lines: number, ...to: string[]): Measured => ({
      path,
      lines,
      imports: to.map((one) => ({ to: one, isType: false })),
    });
    const some = [
      file("core/long.ts", MAX_LINES + 1, "core/short.ts", "core/shared.ts", "core/whole.ts", "core/tool.ts"),
      file("core/short.ts", MIN_LINES - 1, "core/shared.ts"),
      file("core/shared.ts", 3),
      file("core/tool.ts", 3),
      file("core/whole.ts", MIN_LINES),
      file("cli/verbs/run.ts", 3),
      file("cli/grammar/agents.ts", MIN_LINES, "cli/verbs/run.ts"),
    ];
    expect(tooLong(some)).toEqual([`core/long.ts: ${MAX_LINES + 1} lines`]);
    expect(tooShort(some, ['import { tool } from "../core/tool.ts";'])).toEqual([
      `core/short.ts: ${MIN_LINES - 1} lines, for core/long.ts`,
    ]);
  });

  it("stand alone only where one does", () => {
    const idle = ALONE.filter(
      ({ isMeant }) => !files.some(({ path, lines }) => lines < MIN_LINES && isMeant(path)),
    );
    expect(idle, "take it off the list").toEqual([]);
  });
});
