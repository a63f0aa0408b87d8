// Homebrew's cask: what a release fills in, and that it names the files that are really packaged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fillCask } from "../../scripts/fillCask.ts";
import { ROOT } from "./packageApp.ts";

const template = readFileSync(join(ROOT, "scripts", "packaging", "homebrew", "agtmux.rb"), "utf8");
const FACTS = {
  version: "1.2.3",
  repository: "somebody/agtmux",
  sha256: { arm64: "a".repeat(64), x64: "b".repeat(64) },
};

test("the cask has the version, the address and the sums of a release", () => {
  const cask = fillCask(template, FACTS);
  expect(cask).toContain('version "1.2.3"');
  expect(cask).toContain(`sha256 arm:   "${"a".repeat(64)}",\n         intel: "${"b".repeat(64)}"`);
  expect(cask).toContain(
    '"https://github.com/somebody/agtmux/releases/download/v#{version}/agtmux-#{version}-mac-#{arch}.dmg"',
  );
  expect(cask.match(/@\w+@/g)).toBeNull();
  // What launch at login needs (SMAppService).
  expect(cask).toContain('depends_on macos: ">= :ventura"');
});

test("a fact that could be something else, or a placeholder that nobody fills, makes no cask", () => {
  expect(() => fillCask(template, { ...FACTS, version: '1.2.3"; system "' })).toThrow("VERSION");
  expect(() => fillCask(template, { ...FACTS, repository: "" })).toThrow("REPOSITORY");
  expect(() => fillCask(template, { ...FACTS, sha256: { arm64: "", x64: "b" } })).toThrow("SHA256_ARM64");
  expect(() => fillCask(`${template}@MORE@`, FACTS)).toThrow("@MORE@");
});
