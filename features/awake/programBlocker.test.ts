// The programs that keep a machine awake, by stand-ins on PATH: what they are called with, and that they end with whoever holds.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SleepBlocker } from "../../core/ports/sleepBlocker.ts";
import { createProgramBlocker, isPowered, readPmset } from "./programBlocker.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
let root: string;
let bin: string;
let blockers: SleepBlocker[];

const install = (name: string, script: string): void => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
};
/** Notes its options and its process, then runs what follows them, as the real ones do. */
const NOTING = `o=; while :; do case $1 in -*) o="$o $1"; shift;; *) break;; esac; done
printf '%s%s\\n' "$0" "$o" >>"$0.log"; echo $$ >"$0.pid"; "$@"`;
const blocker = (platform: NodeJS.Platform, path = bin): SleepBlocker => {
  const one = createProgramBlocker({ platform, env: { PATH: path }, supplies: join(root, "supplies") });
  blockers.push(one);
  return one;
};
const isRunning = (name: string): boolean => {
  try {
    process.kill(Number(readFileSync(join(bin, `${name}.pid`), "utf8")), 0);
    return true;
  } catch {
    return false;
  }
};
const supply = (name: string, parts: Readonly<Record<string, string>>): void => {
  mkdirSync(join(root, "supplies", name), { recursive: true });
  for (const [part, text] of Object.entries(parts))
    writeFileSync(join(root, "supplies", name, part), `${text}\n`);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-awake-"));
  bin = join(root, "bin");
  mkdirSync(bin);
  symlinkSync("/bin/cat", join(bin, "cat"));
  blockers = [];
});
afterEach(async () => {
  for (const one of blockers) await one.close();
  rmSync(root, { recursive: true, force: true });
});

const gone = (name: string): Promise<void> =>
  vi.waitFor(() => expect(isRunning(name)).toBe(false), { timeout: 4_000, interval: 10 });

describe.each([
  ["linux", "systemd-inhibit", " --what=idle --mode=block --who=agtmux --why="],
  ["darwin", "caffeinate", " -i"],
] as const)("on %s", (platform, name, options) => {
  it("the program runs while it is held, asks for idle sleep alone, and ends when it is let go", async () => {
    install(name, NOTING);
    const block = await blocker(platform).hold(() => expect.unreachable("it was let go"));
    expect(isRunning(name)).toBe(true);
    expect(readFileSync(join(bin, `${name}.log`), "utf8")).toContain(`${name}${options}`);
    block.release();
    block.release();
    await gone(name);
  });

  it.runIf(platform === "linux")("the program ends with a holder that is killed", async () => {
    install(name, NOTING);
    const script = `import { createProgramBlocker } from ${JSON.stringify(join(HERE, "programBlocker.ts"))};
      const one = createProgramBlocker({ platform: "${platform}", env: { PATH: ${JSON.stringify(bin)} } });
      await one.hold(() => {});
      console.log("held");`;
    const holder = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => holder.stdout.once("data", resolve));
    expect(isRunning(name)).toBe(true);
    holder.kill("SIGKILL");
    await gone(name);
  });

  it("a program that is missing is named, with what to do", async () => {
    const one = blocker(platform);
    expect(await one.findProblem()).toEqual({
      problem: `there is no program '${name}' on the PATH of the daemon`,
      remedy: expect.stringContaining("Install it"),
    });
    await expect(one.hold(() => {})).rejects.toThrow(`there is no program '${name}'`);
    install(name, NOTING);
    expect(await one.findProblem()).toBeNull();
  });

  it("a program that refuses counts as none, in its own words without control characters", async () => {
    install(name, `printf 'Access\\033[31m denied\\nmore' >&2; exit 1`);
    await expect(blocker(platform).hold(() => {})).rejects.toThrow(`${name} ended: Access [31m denied`);
  });

  it("a program that ends by itself is told", async () => {
    install(name, NOTING);
    const ended = Promise.withResolvers<string>();
    await blocker(platform).hold(ended.resolve);
    process.kill(Number(readFileSync(join(bin, `${name}.pid`), "utf8")), "SIGTERM");
    expect(await ended.promise).toBe(`${name} was ended`);
  });

  it("a program of the folder that the daemon was started in is not run", async () => {
    install(name, NOTING);
    expect(await blocker(platform, `:.:relative:${join(root, "none")}`).findProblem()).not.toBeNull();
  });

  it.runIf(platform === "linux")(
    "a program that ignores the end of its input is ended with all that it started",
    async () => {
      install(name, `trap '' TERM HUP; echo $$ >"$0.pid"; echo held; while :; do sleep 0.05; done`);
      const one = blocker(platform);
      (await one.hold(() => {})).release();
      await one.close();
      expect(isRunning(name)).toBe(false);
    },
  );
});

it("another system has no such program", async () => {
  expect(await blocker("freebsd").findProblem()).toMatchObject({
    problem: "agtmux knows no program that keeps freebsd awake",
  });
  expect(await blocker("freebsd").isOnPower()).toBeNull();
});

describe("power", () => {
  const adapter = { type: "Mains", online: "1", status: "", scope: "" };
  const battery = { type: "Battery", online: "", status: "Charging", scope: "System" };
  const mouse = { type: "Battery", online: "1", status: "Discharging", scope: "Device" };

  it.each([
    ["an adapter", [adapter, battery], true],
    [
      "an adapter that is pulled",
      [
        { ...adapter, online: "0" },
        { ...battery, status: "Discharging" },
      ],
      false,
    ],
    [
      "an adapter that is pulled, and a battery that says nothing",
      [
        { ...adapter, online: "0" },
        { ...battery, status: "Unknown" },
      ],
      false,
    ],
    ["USB-C", [{ ...adapter, type: "USB" }, battery], true],
    ["a battery alone that is charged", [battery], true],
    ["a battery alone that is used", [{ ...battery, status: "Discharging" }], false],
    ["a battery alone that says nothing", [{ ...battery, status: "Unknown" }], null],
    ["nothing: a machine without a battery", [], true],
    ["the battery of a mouse", [mouse], true],
    ["an adapter that is pulled, and no battery", [{ ...adapter, online: "0" }], null],
    ["an adapter that says nothing", [{ ...adapter, online: "" }], null],
  ] as const)("by %s", (_what, supplies, expected) => {
    expect(isPowered(supplies)).toBe(expected);
  });

  it("is read from the files of Linux, and unknown without their folder", async () => {
    const one = blocker("linux");
    expect(await one.isOnPower()).toBeNull();
    supply("BAT0", { type: "Battery", status: "Discharging" });
    expect(await one.isOnPower()).toBe(false);
    supply("AC", { type: "Mains", online: "1" });
    expect(await one.isOnPower()).toBe(true);
  });

  it("is what pmset says on a Mac, and unknown where it says anything else or nothing in time", async () => {
    expect(await blocker("darwin").isOnPower()).toBeNull();
    install("pmset", `[ "$*" = "-g batt" ] && echo "Now drawing from 'AC Power'"`);
    expect(await blocker("darwin").isOnPower()).toBe(true);
    install("pmset", "exit 1");
    expect(await blocker("darwin").isOnPower()).toBeNull();
    expect(readPmset("Now drawing from 'Battery Power'\n -InternalBattery-0")).toBe(false);
    expect(readPmset("Now drawing from 'UPS Power'")).toBe(false);
    expect(readPmset("AC Power")).toBeNull();
    expect(readPmset("")).toBeNull();
  });
});
