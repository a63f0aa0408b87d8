// `agtmux doc plugin` with a program that stands in for VS Code's own, which installs extensions.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { strToU8, zipSync, type Zippable } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI_ENTRY } from "../testing/cliEntry.ts";

const VSIX = fileURLToPath(new URL("../../release/agtmux-documents.vsix", import.meta.url));

/** Nothing is there. */
const NO_RELEASES = "http://127.0.0.1:1/";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agtmux-plugin-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const doc = (...args: string[]) =>
  spawnSync(process.execPath, [CLI_ENTRY, "doc", ...args], {
    cwd: home,
    env: {
      HOME: home,
      PATH: `.:${join(home, "bin")}:/usr/bin:/bin`,
      AGTMUX_HOME: join(home, "a"),
      AGTMUX_RELEASES: NO_RELEASES,
    },
    encoding: "utf8",
  });

/** A program `code`, and one of the same name in the folder that one is in, which nobody must run. */
const standIn = (status: number): void => {
  mkdirSync(join(home, "bin"));
  const say = status === 0 ? "" : 'echo "no space left" >&2';
  writeFileSync(
    join(home, "bin", "code"),
    `#!/bin/sh\nprintf '%s\\n' "$@" >'${home}/called'\n${say}\nexit ${status}\n`,
    { mode: 0o755 },
  );
  writeFileSync(join(home, "code"), `#!/bin/sh\ntouch '${home}/wrong'\n`, { mode: 0o755 });
};

it("lets the editor install the extension, which a clone makes first, and shows what is installed", () => {
  standIn(0);
  const from = Date.now();
  expect(doc("plugin", "list").stdout).toMatch(
    /^vscode {5}not installed\njetbrains {2}from a file; editors found: none/,
  );
  const installed = doc("plugin", "install", "vscode");
  expect([installed.status, installed.stderr]).toEqual([0, ""]);
  expect(readFileSync(join(home, "called"), "utf8")).toBe(`--install-extension\n${VSIX}\n--force\n`);
  expect(existsSync(join(home, "wrong"))).toBe(false);
  // test/packaging/vsix.test.ts looks into it.
  expect(readFileSync(VSIX).subarray(0, 2).toString()).toBe("PK");
  expect(statSync(VSIX).mtimeMs).toBeGreaterThan(from - 1_000);
  const extension = join(home, ".vscode", "extensions", "agtmux.agtmux-documents-0.1.0");
  mkdirSync(extension, { recursive: true });
  writeFileSync(join(extension, "package.json"), '{"version":"0.1.0"}');
  mkdirSync(join(home, ".vscode", "extensions", "agtmux.agtmux-documents-0.0.9"));
  expect(doc("plugin", "list").stdout).toMatch(/^vscode {5}installed, 0\.1\.0 in ~\/\.vscode\n/);
});

it("says what to do where it cannot", () => {
  const without = doc("plugin", "install", "vscode");
  expect([without.status, without.stderr]).toEqual([15, expect.stringContaining("Install from VSIX")]);
  standIn(1);
  expect(doc("plugin", "update", "vscode").stderr).toContain("no space left");
  for (const [args, status, says] of [
    [["plugin", "install", "emacs"], 2, "vscode, jetbrains"],
    [["plugin", "install", "jetbrains"], 15, "--file <zip>"],
  ] as const) {
    const refused = doc(...args);
    expect([args, refused.status, refused.stderr]).toEqual([args, status, expect.stringContaining(says)]);
  }
  const upgrade = doc("upgrade");
  expect([upgrade.status, upgrade.stdout]).toEqual([
    15,
    expect.stringMatching(/It is a clone, in .*git pull/),
  ]);
});

describe("the plugin for JetBrains' editors", () => {
  const zip = (files: Readonly<Record<string, string>>, options: object = {}): string => {
    const path = join(home, "plugin.zip");
    const packed = Object.entries(files).map(([name, text]) => [name, [strToU8(text), options]] as const);
    writeFileSync(path, zipSync(Object.fromEntries(packed) as Zippable));
    return path;
  };
  const editors = join(".local", "share", "JetBrains");
  const install = (path: string) => doc("plugin", "install", "jetbrains", "--file", path);

  it("is put where each editor looks for plugins, in the place of the one of before", () => {
    const good = { "agent-doc/lib/agent-doc.jar": "new".repeat(1_000), "agent-doc/META/x": "" };
    expect(install(zip(good)).stderr).toContain("no JetBrains editor has been started");
    for (const editor of ["IntelliJIdea2026.1", "PyCharm2025.3", "consentOptions"])
      mkdirSync(join(home, editors, editor, "agent-doc", "lib"), { recursive: true });
    writeFileSync(join(home, editors, "PyCharm2025.3", "agent-doc", "lib", "old.jar"), "old");
    const installed = install(zip(good));
    expect([installed.status, installed.stderr, installed.stdout.split("\n").length]).toEqual([0, "", 4]);
    for (const editor of ["IntelliJIdea2026.1", "PyCharm2025.3"]) {
      expect(readFileSync(join(home, editors, editor, "agent-doc", "lib", "agent-doc.jar"), "utf8")).toBe(
        "new".repeat(1_000),
      );
      expect(readdirSync(join(home, editors, editor))).toEqual(["agent-doc"]);
    }
    expect(readdirSync(join(home, editors, "PyCharm2025.3", "agent-doc", "lib"))).toEqual(["agent-doc.jar"]);
    expect(readdirSync(join(home, editors, "consentOptions", "agent-doc", "lib"))).toEqual([]);
  });

  it("is refused where it is none, or would write elsewhere; nothing is changed", () => {
    mkdirSync(join(home, editors, "IntelliJIdea2026.1"), { recursive: true });
    const jar = { "a/lib/a.jar": "x" };
    const bad = [
      () => zip({ ...jar, "a/../../../evil": "x" }),
      () => zip({ ...jar, "/evil": "x" }),
      () => zip({ ...jar, "a\\evil": "x" }),
      () => zip({ ...jar, "b/x": "x" }),
      () => zip({ "a/readme": "x" }),
      () => zip(jar, { os: 3, attrs: (0o120777 << 16) >>> 0 }),
      () => join(home, "none.zip"),
      () => {
        const path = zip(jar);
        writeFileSync(path, readFileSync(path).subarray(0, -30));
        return path;
      },
      () => {
        writeFileSync(join(home, "text.zip"), "no zip");
        return join(home, "text.zip");
      },
    ];
    for (const [at, make] of bad.entries()) {
      const { status, stderr } = install(make());
      expect([at, status, stderr.includes("E_USAGE")]).toEqual([at, 2, true]);
    }
    expect(readdirSync(join(home, editors, "IntelliJIdea2026.1"))).toEqual([]);
    expect(existsSync(join(home, "evil"))).toBe(false);
  });
});
