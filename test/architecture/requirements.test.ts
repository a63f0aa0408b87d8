// docs/documents.md: every requirement of document sessions once, with what shows it, or that it is not there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./sources.ts";

const REQUIREMENTS = 68;
const page = readFileSync(join(ROOT, "docs", "documents.md"), "utf8");
const rows = [...page.matchAll(/^\| DOC-(\d\d) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, number, says, shownBy = ""]) => ({
    number: Number(number),
    says,
    shownBy,
  }),
);
const filesIn = (text: string): string[] =>
  [...text.matchAll(/`([\w./-]+\/[\w.-]+\.(?:tsx?|md))`/g)].map(([, path = ""]) => path);

it("has every requirement once, in order", () => {
  expect(rows.map(({ number }) => number)).toEqual(
    Array.from({ length: REQUIREMENTS }, (_one, index) => index + 1),
  );
});

it("names what shows each, or that it is not there", () => {
  expect(
    rows.filter(({ shownBy }) => filesIn(shownBy).length === 0 && !shownBy.startsWith("not there")),
  ).toEqual([]);
});

it("names no file that is not there", () => {
  expect(filesIn(page).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
