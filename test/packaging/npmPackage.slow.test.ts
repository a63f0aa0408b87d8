// The package that `npm install --global` takes: what is in it, what its installation costs and asks for, that the command works
// with nothing else, and that it goes again.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMachine, packForNpm, type Machine } from "./npmPackage.ts";
import { listFiles, ROOT, sizeOf } from "./packageApp.ts";

const MB = 1024 * 1024;
const MAX_INSTALL_MS = 30_000;
const MAX_INSTALLED_BYTES = 60 * MB;
const PACK_LIMIT_MS = 120_000;
const COMPLETIONS = {
  bash: "bash-completion/completions/agtmux",
  zsh: "zsh/site-functions/_agtmux",
  fish: "fish/vendor_completions.d/agtmux.fish",
};
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

let folder: string;
let packed: string;
let machine: Machine;
let tookMs = 0;
/** A file of somebody else in the place of one of ours. */
const theirs = () => share(COMPLETIONS.fish);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-pack-"));
  packed = await packForNpm(folder);
  machine = openMachine();
  mkdirSync(dirname(theirs()), { recursive: true });
  writeFileSync(theirs(), "# mine\n");
  const from = performance.now();
  await machine.npm("install", packed);
  tookMs = performance.now() - from;
}, PACK_LIMIT_MS);
afterAll(async () => {
  await machine.close();
  await rm(folder, { recursive: true, force: true });
});

const installed = (...path: string[]) => join(machine.prefix, "lib", "node_modules", "agtmux", ...path);
const share = (...path: string[]) => join(machine.prefix, "share", ...path);

/** What a browser gets from `agtmux ui`. */
const popoverOf = async ({ prefix, env }: Machine): Promise<string> => {
  const child = spawn(join(prefix, "bin", "agtmux"), ["ui", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const opened = await fetch(url);
    const cookie = opened.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const path = /url=([^"]+)"/.exec(await opened.text())?.[1] ?? "";
    return await (await fetch(new URL(path, url), { headers: { cookie } })).text();
  } finally {
    child.kill();
    await once(child, "exit");
  }
};

describe("the package for npm", () => {
  it("has the built command line, daemon and browser popover, what they load at run time, and nothing else", () => {
    const files = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n");
    const own = files
      .map((file) => file.replace(/^package\//, ""))
      .filter((file) => !file.startsWith("node_modules/"));
    const schemas = listFiles(join(ROOT, "resources", "schemas")).map((file) => `resources/schemas/${file}`);
    expect(
      [
        ...new Set(
          own.map((file) => file.replace(/^dist\/renderer\/assets\/.*\.(\w+)$/, "dist/renderer/assets/*.$1")),
        ),
      ].toSorted(),
    ).toEqual(
      [
        "LICENSE",
        "README.md",
        "bin/agtmux",
        "bin/findNode.sh",
        "dist/cli/agtmux-documents.vsix",
        ...["agtmux", "daemon", "doc", "more", "picker", "run", "socketClient"].map(
          (name) => `dist/cli/${name}.cjs`,
        ),
        "dist/renderer/assets/*.css",
        "dist/renderer/assets/*.js",
        "dist/renderer/index.html",
        "package.json",
        "placeCompletions.mjs",
        "resources/adapters/example.json",
        "resources/hooks/agtmux-event",
        "resources/hooks/agtmux-run",
        ...schemas,
        "resources/skill/SKILL.md",
        ...Object.values(COMPLETIONS).map((path) => `share/${path}`),
        "share/doc/agtmux/LICENCES.txt",
        "share/man/man1/agtmux.1",
      ].toSorted(),
    );
    const modules = files.flatMap((file) => /\/node_modules\/([^/]+)\//.exec(file)?.[1] ?? []);
    expect([...new Set(modules)].toSorted()).toEqual([
      "asn1",
      "bcrypt-pbkdf",
      "better-sqlite3",
      "safer-buffer",
      "ssh2",
      "tweetnacl",
    ]);
    expect(
      files
        .filter((file) => file.endsWith(".node"))
        .map((file) => file.replace(/.*\//, ""))
        .toSorted(),
    ).toEqual([
      "darwin-arm64.node",
      "darwin-x64.node",
      "linux-arm64.node",
      "linux-x64.node",
      "linuxmusl-arm64.node",
      "linuxmusl-x64.node",
    ]);
    expect(files.filter((file) => /\.(gyp|c|cc|cpp|h|ts|map)$/.test(file))).toEqual([]);
  });

  it("is installed without a registry and a compiler, quickly and small", () => {
    const bytes = sizeOf(installed());
    console.log(
      `npm install --global: ${(tookMs / 1_000).toFixed(1)} s, ${(statSync(packed).size / MB).toFixed(1)} MB packed, ${(bytes / MB).toFixed(1)} MB installed`,
    );
    expect(tookMs).toBeLessThan(MAX_INSTALL_MS);
    expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
    expect(machine.compiled()).toEqual([]);
  });

  it("brings the licence of everything that is bundled or shipped, with its text", () => {
    const file = join(
      machine.prefix,
      "lib",
      "node_modules",
      "agtmux",
      "share",
      "doc",
      "agtmux",
      "LICENCES.txt",
    );
    const parts = readFileSync(file, "utf8")
      .split(`\n${"-".repeat(80)}\n`)
      .slice(1);
    const manifest: { dependencies: Record<string, string> } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    );
    for (const [name, locked] of Object.entries(manifest.dependencies))
      expect(parts.filter((part) => part.startsWith(`\n${name} ${locked}: `))).toHaveLength(1);
    // Each begins with its name and the short name of the licence; the text follows.
    expect(parts.filter((part) => !/^\n\S+ \d\S*: \S+/.test(part) || part.length < 400)).toEqual([]);
    expect(parts.length).toBeGreaterThan(50);
  });

  it("has what Homebrew's formula links, and answers what its test asks", () => {
    const formula = readFileSync(join(ROOT, "scripts", "packaging", "tap", "Formula", "agtmux.rb"), "utf8");
    const linked = [...formula.matchAll(/libexec\/"([^"]+)"/g)].map(([, path = ""]) => path);
    expect(linked).toHaveLength(5);
    expect(linked.filter((path) => !existsSync(installed(path)))).toEqual([]);
    const asked = [...formula.matchAll(/assert_match (\S.*), shell_output\("#\{bin\}\/(.*)"(?:, (\d+))?\)/g)];
    expect(asked).toHaveLength(2);
    for (const [, wanted = "", command = "", status = "0"] of asked) {
      const env = { ...machine.env, AGTMUX_HOME: join(folder, "empty") };
      const run = spawnSync("sh", ["-c", command], { env, encoding: "utf8" });
      expect([run.status, run.stdout]).toEqual([
        Number(status),
        expect.stringContaining(wanted === "version.to_s" ? version : wanted.slice(1, -1)),
      ]);
    }
  });

  it("works with nothing else: command, daemon, wrapper and popover", async () => {
    await machine.tmux.newSession("work");
    expect(await machine.agtmux("--version")).toBe(`${version}\n`);
    expect(await machine.agtmux("list", "panes", "--all", "--plain", "--columns", "session,agent")).toBe(
      "work\t-\n",
    );
    expect(await machine.agtmux("run", "echo", "the agent")).toBe("the agent\n");
    expect(await popoverOf(machine)).toMatch(/<script type="module"[^>]* src="[^"]*assets/);
  });

  it("brings its man page and its completions where they are looked for, and leaves those of others", async () => {
    expect(readFileSync(share("man/man1/agtmux.1"), "utf8")).toContain(".TH");
    expect(readlinkSync(share("man/man1/agtmux.1"))).toContain("node_modules/agtmux/");
    for (const shell of ["bash", "zsh"] as const)
      expect(readFileSync(share(COMPLETIONS[shell]), "utf8")).toBe(
        await machine.agtmux("completions", shell),
      );
    expect(readFileSync(theirs(), "utf8")).toBe("# mine\n");
    expect(listFiles(share()).filter((file) => file.endsWith(".tmp"))).toEqual([]);
  });

  it("with an old Node says in one line which one is needed and what to do", () => {
    const old = join(machine.home, "old");
    mkdirSync(old);
    writeFileSync(join(old, "node"), "#!/bin/sh\necho v20.19.2\n", { mode: 0o755 });
    const run = (path: string) => {
      const { status, stdout, stderr } = spawnSync(join(machine.prefix, "bin", "agtmux"), ["list", "panes"], {
        env: { ...machine.env, PATH: path },
        encoding: "utf8",
      });
      return [status, stdout, stderr];
    };
    const says = (found: string) =>
      `agtmux: Node 24 or newer is needed (found ${found}). Install it from https://nodejs.org and try again.\n`;
    const tools = join(machine.home, "tools");
    mkdirSync(tools);
    writeFileSync(join(tools, "readlink"), '#!/bin/sh\nPATH=/usr/bin:/bin exec readlink "$@"\n', {
      mode: 0o755,
    });
    expect(run(`${old}:${tools}`)).toEqual([1, "", says("v20.19.2")]);
    expect(run(tools)).toEqual([1, "", says("none")]);
  });

  it("lacks nothing but the completions where npm may run no script", async () => {
    const strict = openMachine();
    try {
      await strict.npm("install", "--ignore-scripts", packed);
      expect(listFiles(join(strict.prefix, "share"))).toEqual(["man/man1/agtmux.1"]);
      expect(await strict.agtmux("list", "panes")).toContain("0 panes");
    } finally {
      await strict.close();
    }
  });

  it("is removed with nothing left of what npm placed, after the person's settings are as they were", async () => {
    const settings = join(machine.home, ".claude", "settings.json");
    const before =
      '{\n    "model": "opus",\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}';
    mkdirSync(dirname(settings));
    writeFileSync(settings, before);
    await machine.agtmux("integrate", "claude", "--yes");
    expect(readFileSync(settings, "utf8")).toContain("agtmux-event");
    await machine.agtmux("integrate", "claude", "--uninstall", "--yes");
    expect(readFileSync(settings, "utf8")).toBe(before);
    await machine.agtmux("daemon", "stop");
    await machine.npm("uninstall", "agtmux");
    expect(
      [installed(), join(machine.prefix, "bin", "agtmux"), share("man/man1/agtmux.1")].filter((path) =>
        existsSync(path),
      ),
    ).toEqual([]);
  });
});
