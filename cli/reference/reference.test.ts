// docs/cli.md and the man page are what the grammar says.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../../core/model/errors.ts";
import { createBareProgram } from "../grammar/run.ts";
import { renderMarkdown, flatten, toPage, renderRoff } from "./pages.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const root = toPage(createBareProgram());
const verbs = flatten(root).filter(({ children }) => children.length === 0);

test.each([
  { file: "cli.md", made: renderMarkdown(root) },
  { file: "agtmux.1", made: renderRoff(root) },
])("docs/$file is current; if not, run 'npm run docs'", ({ file, made }) => {
  expect(readFileSync(join(DOCS, file), "utf8")).toBe(made);
});

test.each(["cli.md", "agtmux.1"])("docs/%s names every verb, example and error code", (file) => {
  const text = readFileSync(join(DOCS, file), "utf8")
    .replaceAll("\\-", "-")
    .replaceAll("\\(aq", "'")
    .replaceAll("\\(ti", "~");
  const wanted = [
    ...verbs.flatMap(({ path, examples }) => [
      `agtmux ${path.join(" ")}`,
      ...examples.map(({ line }) => line),
    ]),
    ...Object.keys(ERROR_CODES),
    "delivered",
    "unverified",
    "AGTMUX_HOME",
    "runtime:<id>",
  ];
  expect(wanted.filter((one) => !text.includes(one))).toEqual([]);
});

describe("the man page", () => {
  const lines = renderRoff(root).trimEnd().split("\n");

  test("has only macros of man(7), and every tag has a text", () => {
    const macros = new Set(lines.filter((line) => line.startsWith(".")).map((line) => line.split(" ")[0]));
    expect(macros).toEqual(new Set([".PP", ".SH", ".SS", ".TH", ".TP", '.\\"']));
    for (const [index, line] of lines.entries())
      if (line === ".TP") expect([lines[index + 1]?.[0], lines[index + 2]?.[0]]).not.toContain(".");
    expect(lines.filter((line) => line === "")).toEqual([]);
  });

  test.runIf(spawnSync("sh", ["-c", "command -v mandoc"]).status === 0)(
    "has nothing that mandoc minds",
    () => {
      const { stdout } = spawnSync("mandoc", ["-T", "lint", "-W", "warning", join(DOCS, "agtmux.1")], {
        encoding: "utf8",
      });
      // It names no date, so that the same definitions give the same page.
      const minded = stdout.split("\n").filter((line) => line !== "" && !line.includes("missing date"));
      expect(minded).toEqual([]);
    },
  );
});
