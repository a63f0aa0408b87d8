// bin/agtmux, the POSIX shell script that starts it all, under every shell that is here.
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAEMON_ENVIRONMENT, DAEMON_NODE_FLAGS, dropDaemonEnvironment } from "./command/createContext.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const SHELLS = [["sh"], ["dash"], ["busybox", "sh"], ["bash", "--posix"]].filter(
  ([program = ""]) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0,
);
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-bin-"));
  mkdirSync(join(root, "in stalled", "bin"), { recursive: true });
  const installed = join(root, "in stalled");
  for (const file of ["agtmux", "findNode.sh"])
    copyFileSync(join(ROOT, "bin", file), join(installed, "bin", file));
  for (const part of ["node_modules", "package.json"]) symlinkSync(join(ROOT, part), join(installed, part));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (shell: readonly string[], script: string, cwd = root): string => {
  const [program = "sh", ...args] = shell;
  return execFileSync(program, [...args, script, "--version"], { cwd, encoding: "utf8" }).trim();
};
const bundle = (): string => {
  const file = join(root, "in stalled", "dist", "cli", "agtmux.cjs");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, 'console.log("the bundle")');
  return file;
};
/** The folders of a clone, with the sources that are here. */
const sources = (): void => {
  for (const part of ["cli", "core", "adapters", "resources"])
    symlinkSync(join(ROOT, part), join(root, "in stalled", part));
};

test.each(SHELLS.map((shell) => ({ shell })))("finds itself and its bundle under $shell", ({ shell }) => {
  bundle();
  const script = join(root, "in stalled", "bin", "agtmux");
  symlinkSync("in stalled/bin/agtmux", join(root, "relative"));
  symlinkSync(join(root, "relative"), join(root, "absolute"));
  expect([
    run(shell, script),
    run(shell, "relative"),
    run(shell, join(root, "absolute")),
    run(shell, "./in stalled/bin/agtmux"),
    run(shell, "agtmux", join(root, "in stalled", "bin")),
  ]).toEqual(Array.from({ length: 5 }, () => "the bundle"));
});

test.each(SHELLS.map((shell) => ({ shell })))("runs a clone without a build under $shell", ({ shell }) => {
  sources();
  expect(run(shell, join(root, "in stalled", "bin", "agtmux"))).toBe(version);
});

test("prefers sources that are newer than the bundle", () => {
  const file = bundle();
  const cli = join(root, "in stalled", "cli");
  mkdirSync(cli);
  writeFileSync(join(cli, "main.ts"), 'console.log("the sources")');
  const script = join(root, "in stalled", "bin", "agtmux");
  utimesSync(file, 2_000_000_000, 2_000_000_000);
  expect(run(["sh"], script)).toBe("the bundle");
  utimesSync(file, 1_000_000_000, 1_000_000_000);
  expect(run(["sh"], script)).toBe("the sources");
});

test("starts a daemon as a command does that needs one, and nothing else so", () => {
  const file = bundle();
  writeFileSync(file, "console.log(JSON.stringify([process.execArgv, process.env]))");
  const script = join(root, "in stalled", "bin", "agtmux");
  const startedAs = (...args: readonly string[]) => {
    const text = execFileSync("sh", [script, ...args], { encoding: "utf8" });
    const [flags, env] = JSON.parse(text) as [string[], Record<string, string>];
    return {
      flags,
      env: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("MALLOC_"))),
    };
  };
  expect(startedAs("daemon", "run", "--foreground")).toEqual({
    flags: DAEMON_NODE_FLAGS,
    env: DAEMON_ENVIRONMENT,
  });
  expect(startedAs("daemon", "status")).toEqual({ flags: [], env: {} });
  const left: NodeJS.ProcessEnv = { ...DAEMON_ENVIRONMENT, HOME: "/h" };
  dropDaemonEnvironment(left);
  expect(left).toEqual({ HOME: "/h" });
});
