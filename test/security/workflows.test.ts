// The workflow that signs and publishes: what it runs of others is named by a commit, which nobody can move, and nothing that
// another workflow left in a cache goes into a package.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("../../.github/workflows", import.meta.url));
const workflows = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(join(FOLDER, name), "utf8"),
}));
const release = workflows.find(({ name }) => name === "release.yml")?.text ?? "";

it("names every action by its commit, with the version beside it", () => {
  const used = workflows.flatMap(({ text }) =>
    [...text.matchAll(/^ *-? *uses: *(.*)$/gm)].map(([, what = ""]) => what),
  );
  expect(used.length).toBeGreaterThan(4);
  const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(used.filter((what) => !PINNED.test(what))).toEqual([]);
  // One version of each.
  const byAction = Map.groupBy(new Set(used), (what) => what.split("@")[0]);
  expect([...byAction.values()].filter((versions) => versions.length > 1)).toEqual([]);
});

it("takes nothing out of a cache", () => {
  expect(release).not.toMatch(/^ *(cache|cache-dependency-path|restore-keys):/m);
  expect(release).not.toContain("actions/cache");
  // This action keeps one by itself where it is not told otherwise.
  const setups = release.split("uses: actions/setup-node@").slice(1);
  expect(setups.length).toBeGreaterThan(0);
  for (const setup of setups) expect(setup.split("- ")[0]).toContain("package-manager-cache: false");
});

it("may write to the repository only where it publishes, and only for a tag", () => {
  const [before = "", publish = ""] = release.split(/^  publish:$/m);
  expect(before).toContain("permissions:\n  contents: read");
  expect(before).not.toContain("write");
  expect(publish).toContain("if: github.ref_type == 'tag'");
});
