// A file of ours that a page or a comment names is there.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./sources.ts";

/** Files of examples, and those that the product writes on a person's machine. */
const ELSEWHERE = [/^x\./, /^src\//, /^agtmux\.ts$/, /^cli\/verbs\/uptime\.ts$/];

const files = globSync("**/*.{ts,tsx,md}", {
  cwd: ROOT,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist|fixtures|\.\w+)$/.test(path),
});
const code = files.filter((path) => !path.endsWith(".md"));

const isThere = (name: string, folder: string): boolean =>
  code.some((path) => path === posix.join(folder, name) || `/${path}`.endsWith(`/${name}`));

/** Mentions like `core/engine/resolve.ts` or `resolve.ts`; none of a path that begins with something to fill in. */
const mentions = (text: string): string[] =>
  [...text.matchAll(/(?<![\w/.<>*~$-])[\w-][\w./-]*\.tsx?\b(?![\w*])/g)].map(([name]) => name);

const missing = (paths: readonly string[], spans: RegExp): string[] =>
  paths.flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(spans)]
      .flatMap(([span]) => mentions(span))
      .filter(
        (name) => !ELSEWHERE.some((pattern) => pattern.test(name)) && !isThere(name, posix.dirname(path)),
      )
      .map((name) => `${path}: ${name}`),
  );

it("a page names no file that is gone", () => {
  const pages = files.filter((path) => path.endsWith(".md"));
  expect(missing(pages, /`[^`\n]+`/g)).toEqual([]);
});

it("a comment names no file that is gone", () => {
  expect(missing(code, /^\s*(?:\/\/|\/\*\*|\*).*$/gm)).toEqual([]);
});

it("finds one that is gone", () => {
  expect(mentions("`core/engine/gone.ts` and gone.tsx, not <agent>/index.ts or ~/.pi/agtmux.ts")).toEqual([
    "core/engine/gone.ts",
    "gone.tsx",
  ]);
  expect(isThere("core/engine/gone.ts", "docs")).toBe(false);
  expect(isThere("resolve.ts", "docs")).toBe(true);
});
