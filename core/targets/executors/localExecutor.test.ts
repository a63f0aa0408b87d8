import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../ports/logger.ts";
import type { TargetExecutor } from "../../ports/targetExecutor.ts";
import { createLineSplitter, LINE_CUT_MARK } from "./lineProcess.ts";
import { createLocalExecutor } from "./localExecutor.ts";

let executor: TargetExecutor;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-executor-"));
  executor = createLocalExecutor({
    targetId: "host",
    env: { PATH: process.env["PATH"], HOME: `${folder}/` },
    logger: SILENT_LOGGER,
  });
});
afterEach(() => executor.close());

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("run", () => {
  it("passes arguments untouched, feeds stdin and reports both streams and the exit status", async () => {
    const hostile = "a'b\"c $HOME;`id`\n%~";
    const result = await executor.run(
      ["sh", "-c", 'printf %s "$1"; cat; echo bad >&2; exit 3', "sh", hostile],
      {
        timeoutMs: 5_000,
        stdin: "|in",
      },
    );
    expect(result).toEqual({ exitCode: 3, stdout: `${hostile}|in`, stderr: "bad\n", timedOut: false });
  });

  it("ends a child at the time-out and says so", async () => {
    const result = await executor.run(["sh", "-c", "echo early; exec tail -f /dev/null"], { timeoutMs: 200 });
    expect(result).toEqual({ exitCode: null, stdout: "early\n", stderr: "", timedOut: true });
  });

  it("bounds output and ends a child that writes without end", async () => {
    const result = await executor.run(["yes"], { timeoutMs: 10_000, maxBytes: 1_000 });
    expect(result).toMatchObject({ exitCode: null, timedOut: false });
    expect(result.stdout.length).toBe(1_000);
  });

  it("throws when the program does not exist", async () => {
    await expect(executor.run([join(folder, "absent")], { timeoutMs: 1_000 })).rejects.toThrow(
      /could not start/,
    );
  });
});

describe("start", () => {
  it("hands over lines as they come and the reason of the end", async () => {
    const child = executor.start(["sh", "-c", "read x; echo got $x; printf last; echo why >&2; exit 4"]);
    const lines: string[] = [];
    child.onLine((line) => lines.push(line));
    const end = new Promise<string>((done) => child.onExit(done));
    child.write("word\n");
    expect(await end).toBe("exit status 4: why");
    expect(lines).toEqual(["got word", "last"]);
  });

  it("reports a program that cannot be started as an end", async () => {
    const child = executor.start([join(folder, "absent")]);
    expect(await new Promise<string>((done) => child.onExit(done))).toMatch(/could not start .*ENOENT/);
  });

  it("close ends also a child that ignores SIGTERM and its stdin", async () => {
    const child = executor.start(["sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"]);
    await new Promise<void>((up) => child.onLine(() => up()));
    await executor.close();
    expect(isAlive(child.pid ?? 0)).toBe(false);
  });

  it("cuts a line that is too long and goes on with the next", () => {
    const lines: string[] = [];
    const splitter = createLineSplitter((line) => lines.push(line), 4);
    for (const part of ["abc", "defgh", "ij\nk", "l\n\n", "m"]) splitter.push(part);
    splitter.end();
    expect(lines).toEqual([`abcd${LINE_CUT_MARK}`, "kl", "", "m"]);
  });
});

describe("files", () => {
  it("reads a prefix, /proc files of size 0 and FIFOs without blocking; missing is null", async () => {
    writeFileSync(join(folder, "f"), "hello");
    execFileSync("mkfifo", [join(folder, "fifo")]);
    expect(await executor.files.readText(join(folder, "f"), 3)).toBe("hel");
    expect(await executor.files.readText(join(folder, "fifo"))).toBe("");
    expect(await executor.files.readText(join(folder, "none"))).toBe(null);
    expect(await executor.files.readText(join(folder, "f", "below"))).toBe(null);
    expect(await executor.files.list(join(folder, "none"))).toEqual([]);
    expect(await executor.files.stat(join(folder, "none"))).toBe(null);
  });

  it("writes through symlinks, keeps the mode and leaves no temp file", async () => {
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "settings.json"), "old");
    chmodSync(join(folder, "real", "settings.json"), 0o640);
    symlinkSync("real/settings.json", join(folder, "link"));
    await executor.files.writeText(join(folder, "link"), "new", 0o600);
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "real", "settings.json"), "utf8")).toBe("new");
    expect(statSync(join(folder, "real", "settings.json")).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(folder, "real"))).toEqual(["settings.json"]);
  });

  it("creates a file and its folders for the owner only", async () => {
    await executor.files.writeText(join(folder, "a", "b", "script"), "x", 0o700);
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "a", "b", "script")).mode & 0o777).toBe(0o700);
    await executor.files.remove(join(folder, "a", "b", "script"));
    await executor.files.remove(join(folder, "a", "b", "script"));
    expect(readdirSync(join(folder, "a", "b"))).toEqual([]);
  });

  it("gives the home folder without a final slash", async () => {
    expect(await executor.homeDir()).toBe(folder);
  });
});
