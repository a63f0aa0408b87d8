import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openLogFile, redactLine } from "./logFile.ts";

const secret = `ghp_${"A1b2C3d4E5f6".repeat(3)}`;

describe("a line of the log", () => {
  it("keeps its record and loses the secrets in it, also under names that tell them", () => {
    expect(JSON.parse(redactLine(JSON.stringify({ level: 30, msg: `x ${secret}`, token: "abc" })))).toEqual({
      level: 30,
      msg: "x [redacted]",
      token: "[redacted]",
    });
  });

  it("is one line of printable characters, whatever is in it", () => {
    const line = redactLine(JSON.stringify({ msg: 'a\n{"level":60}\u009b31m\u202e\u2028\u001b[2J' }));
    expect(line.trimEnd().split("\n")).toHaveLength(1);
    expect(line.slice(0, -1)).toMatch(/^[\u0020-\u007e]*$/);
    expect(JSON.parse(line)).toEqual({ msg: 'a\n{"level":60}\u009b31m\u202e\u2028\u001b[2J' });
  });

  it("is bounded, and text that is no record becomes one", () => {
    expect(redactLine(JSON.stringify({ msg: "x".repeat(1_000_000) })).length).toBeLessThan(20_000);
    expect(JSON.parse(redactLine(`crash ${secret}`))).toEqual({ msg: "crash [redacted]" });
  });
});

describe("the log file", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "agtmux-log-"))));

  it("holds no secret of an error, its stack, its cause or its fields", async () => {
    const path = join(folder, "log");
    const log = await openLogFile({ path, level: "info", maxBytes: 1_000_000 });
    const { logger } = log;
    const cause = Object.assign(new Error(`inner ${secret}`), { command: `curl -u bob:${secret} x` });
    logger.error({ error: new Error(`outer ${secret}`, { cause }) }, `failed for ${secret}`);
    logger.child({ of: secret }).warn({ deep: { list: [secret] } }, "child");
    log.flush();
    const text = (): string => readFileSync(path, "utf8");
    // Its first line may be under way, in a thread of its own.
    await expect.poll(text).toContain("failed for [redacted]");
    expect(text()).not.toContain(secret);
    expect(text()).toContain("redactLine.test.ts");
  });

  it("that cannot be opened leaves stderr", async () => {
    const path = join(folder, "no", "such", "folder", "log");
    const log = await openLogFile({ path, level: "info", maxBytes: 1_000_000 });
    const { logger } = log;
    logger.info({}, "lost");
    expect(() => log.flush()).not.toThrow();
  });

  it("that cannot be opened does not break the end of the process", () => {
    const module = new URL("logFile.ts", import.meta.url).href;
    const options = JSON.stringify({ path: join(folder, "no", "log"), level: "fatal", maxBytes: 1_000 });
    const script = `const { openLogFile } = await import("${module}"); await openLogFile(${options});`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
