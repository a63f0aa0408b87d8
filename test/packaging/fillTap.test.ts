// The tap: what a release fills in, that Homebrew's documented rules hold for the filled text, and that it names the files that are
// really released and packaged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fillTap, type TapFacts } from "../../scripts/fillTap.ts";
import { caskProblems, formulaProblems } from "./brewRules.ts";
import { ROOT } from "./packageApp.ts";

const read = (file: string): string => readFileSync(join(ROOT, "scripts", "packaging", "tap", file), "utf8");
const FORMULA = read("Formula/agtmux.rb");
const CASK = read("Casks/agtmux-app.rb");
const FLAKE = read("flake.nix");

/** The sum of a file has its name's length in it, so that a wrong file is seen. */
const SUMS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "mac-arm64.dmg",
    "mac-x64.dmg",
    "macos-arm64.tar.gz",
    "macos-x64.tar.gz",
    "linux-arm64.tar.gz",
    "linux-x64.tar.gz",
  ].map((end, index) => [end, String(index).repeat(64)]),
);
const FACTS: TapFacts = {
  version: "1.2.3",
  repository: "somebody/agtmux",
  sha256Of: (end) => {
    const sum = SUMS[end];
    if (sum === undefined) throw new Error(`there is no agtmux-1.2.3-${end}`);
    return sum;
  },
};
const formula = fillTap(FORMULA, FACTS);
const cask = fillTap(CASK, FACTS);
const flake = fillTap(FLAKE, FACTS);

test("the formula has each archive with its sum", () => {
  const pairs = [...formula.matchAll(/url "([^"]+)"\n +sha256 "([^"]+)"/g)].map(([, url, sum]) => [url, sum]);
  const address = "https://github.com/somebody/agtmux/releases/download/v1.2.3/agtmux-1.2.3";
  expect(pairs).toEqual(
    ["macos-arm64", "macos-x64", "linux-arm64", "linux-x64"].map((system) => [
      `${address}-${system}.tar.gz`,
      SUMS[`${system}.tar.gz`],
    ]),
  );
});

test("the cask has the version, the address and the sums of a release", () => {
  expect(cask).toContain('version "1.2.3"');
  expect(cask).toContain(
    `sha256 arm:   "${SUMS["mac-arm64.dmg"]}",\n         intel: "${SUMS["mac-x64.dmg"]}"`,
  );
  expect(cask).toContain(
    '"https://github.com/somebody/agtmux/releases/download/v#{version}/agtmux-#{version}-mac-#{arch}.dmg"',
  );
  // What launch at login needs (SMAppService).
  expect(cask).toContain("depends_on macos: :ventura");
});

test("the flake has each archive with its sum, by the systems of Nix", () => {
  const entries = [...flake.matchAll(/(\S+) = \{\n\s+name = "([^"]+)";\n\s+sha256 = "([^"]+)";/g)];
  expect(entries.map(([, system, name, sum]) => [system, name, sum])).toEqual([
    ["aarch64-darwin", "macos-arm64", SUMS["macos-arm64.tar.gz"]],
    ["x86_64-darwin", "macos-x64", SUMS["macos-x64.tar.gz"]],
    ["aarch64-linux", "linux-arm64", SUMS["linux-arm64.tar.gz"]],
    ["x86_64-linux", "linux-x64", SUMS["linux-x64.tar.gz"]],
  ]);
  expect(flake).toContain("/releases/download/v${version}/agtmux-${version}-${archive.name}.tar.gz");
  expect(flake).toContain('version = "1.2.3";');
});

test("nothing is left to fill, and the words about the template are gone", () => {
  for (const text of [formula, cask, flake]) {
    expect(text.match(/@[A-Z][^@\n]*@/)).toBeNull();
    expect(text).not.toContain("makeTap");
  }
});

test("a fact that could be something else, or a placeholder that nobody fills, makes no tap", () => {
  expect(() => fillTap(CASK, { ...FACTS, version: '1.2.3"; system "' })).toThrow("VERSION");
  expect(() => fillTap(CASK, { ...FACTS, version: "1.2.3-rc.1" })).toThrow("VERSION");
  expect(() => fillTap(FORMULA, { ...FACTS, repository: "" })).toThrow("REPOSITORY");
  expect(() => fillTap(FORMULA, { ...FACTS, sha256Of: () => "b" })).toThrow("SHA256");
  expect(() => fillTap(`#\n@SHA256 other.zip@`, FACTS)).toThrow("agtmux-1.2.3-other.zip");
  expect(() => fillTap(`${CASK}@MORE@`, FACTS)).toThrow("@MORE@");
});

describe("Homebrew's rules", () => {
  test("hold", () => {
    expect(formulaProblems("agtmux.rb", formula)).toEqual([]);
    expect(caskProblems("agtmux-app.rb", cask)).toEqual([]);
  });

  test.each([
    ["the class is not Agtmux", "class Agtmux", "class AgtMux"],
    ["the stanzas are not in Homebrew's order", '  license "MIT"\n', '  test do\n  end\n  license "MIT"\n'],
    ["there is an unknown stanza fetch", '  depends_on "tmux"\n', '  fetch "tmux"\n'],
    ["there is no licence", '  license "MIT"\n', ""],
    ["an address has no SHA-256 below it", /sha256 "[^"]+"/, 'md5 "1"'],
    ["the version is said twice", '  license "MIT"\n', '  version "1.2.3"\n  license "MIT"\n'],
    ["an address does not say the version", "agtmux-1.2.3-macos-arm64", "agtmux-latest-macos-arm64"],
    ["the test asserts nothing", /assert_/g, "expect_"],
    ["a system is asked for otherwise than by on_macos and on_arm", "on_arm do", "if Hardware::CPU.arm?"],
    [
      "an assertion is not the one for what it asserts",
      "    assert_match version.to_s",
      "    assert x.include? version",
    ],
    ["the desc starts with an article", 'desc "Status', 'desc "The status'],
    ["the desc starts with a small letter", 'desc "Status', 'desc "status'],
    ["the desc has the name", 'desc "Status', 'desc "Agtmux shows the status'],
    ["the desc has a pronoun", "their requests", "your requests"],
    ["the desc ends with a full stop", 'requests"', 'requests."'],
    ["the desc has 85 characters, more than 80", 'requests"', 'requests and questions"'],
    ["the desc writes 'command line' without its hyphen", "tmux panes", "a command line"],
    ["an address is not https", '"https://', '"http://'],
    [
      "an address is not below the homepage",
      'homepage "https://github.com/somebody',
      'homepage "https://github.com/other',
    ],
    ["a line ends with a space", 'license "MIT"', 'license "MIT" '],
    ["a text is in single quotes", 'license "MIT"', "license 'MIT'"],
    ["a line is not indented by two", "  license", " license"],
  ])("that the formula breaks are found: %s", (problem, from, to) => {
    const broken = formula.replace(from, to);
    expect(broken).not.toBe(formula);
    const found = formulaProblems("agtmux.rb", broken);
    expect(found.length === 0 ? "nothing" : found).toEqual(
      problem.startsWith("the desc has 85")
        ? [expect.stringMatching(/^the desc has \d+ characters/)]
        : expect.arrayContaining([problem]),
    );
  });

  test.each([
    ["the cask is not agtmux-app", 'cask "agtmux-app"', 'cask "agtmux"'],
    ["the stanzas are not in Homebrew's order", /( {2}name .*\n)( {2}desc .*\n)/, "$2$1"],
    [
      "the groups of stanzas are not divided by a blank line",
      /\n\n {2}depends_on formula/,
      "\n  depends_on formula",
    ],
    ["there is not one SHA-256 for each processor", 'intel: "1', 'intel: "X'],
    ["there is no version", 'version "1.2.3"', "version :latest"],
    ["the address does not use the version", "#{version}/agtmux-#{version}", "1/agtmux-1"],
    ["the oldest macOS is not said by its name", ":ventura", '">= :ventura"'],
    [
      "a conflict with a formula is not known to Homebrew",
      "  depends_on formula",
      '  conflicts_with formula: "agtmux"\n  depends_on formula',
    ],
    ["what zap removes is not sorted", '"~/.agtmux"', '"~/zzz"'],
    ["uninstall is not in Homebrew's order", "uninstall quit:  ", "uninstall delete:"],
    ["the desc has the platform", "Menu bar", "macOS"],
    ["it runs Ruby of its own", "  uninstall quit", "  preflight do\n  end\n\n  uninstall quit"],
  ])("that the cask breaks are found: %s", (problem, from, to) => {
    const broken = cask.replace(from, to);
    expect(broken).not.toBe(cask);
    expect(caskProblems("agtmux-app.rb", broken)).toEqual(expect.arrayContaining([problem]));
  });
});
