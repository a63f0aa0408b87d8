// A machine that is kept awake by a daemon without a desktop: the real command line, a daemon of its own process, an agent on real
// tmux, and a stand-in for the program that holds.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as z from "zod";
import { doctorReportSchema } from "../../core/model/doctor.ts";
import { openCommandLine, type CommandLine } from "../harness/commandLine.ts";
import { spawnDaemon, type DaemonProcess } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const PROGRAM = process.platform === "darwin" ? "caffeinate" : "systemd-inhibit";
const WAIT_MS = 30_000;
const statusSchema = z.object({
  awake: z.object({ is_on: z.boolean(), working: z.number(), problem: z.string().nullable() }).nullable(),
});

let root: string;
let home: string;
let tmux: PrivateTmux;
let cli: CommandLine;
let daemon: DaemonProcess;
let player: Player;

const start = async (): Promise<void> => {
  const env = {
    HOME: root,
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
  };
  daemon = await spawnDaemon({ home, env });
};
const install = (script: string): void => {
  writeFileSync(join(root, "bin", PROGRAM), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, "bin", PROGRAM), 0o755);
};
const isHeld = (): boolean => {
  const path = join(root, "pid");
  try {
    if (!existsSync(path)) return false;
    process.kill(Number(readFileSync(path, "utf8")), 0);
    return true;
  } catch {
    return false;
  }
};
const awake = async () => statusSchema.parse(JSON.parse((await cli.run(["status", "--json"])).stdout)).awake;
const doctorSays = async (): Promise<string> => {
  const report = doctorReportSchema.parse(JSON.parse((await cli.run(["doctor", "--json"])).stdout));
  const found = report.findings.filter(({ check }) => check === "daemon.awake");
  return found
    .map(({ status, summary, evidence }) => `${status}: ${summary} ${evidence ?? ""}`.trim())
    .join();
};

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-awake-"));
  home = join(root, "a");
  mkdirSync(join(root, "bin"));
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "config.json"), "{}");
  install(`while :; do case $1 in -*) shift;; *) break;; esac; done; echo $$ >${join(root, "pid")}; "$@"`);
  tmux = createPrivateTmux();
  cli = openCommandLine(home);
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: root,
    recordingsDir: RECORDINGS,
  });
  await start();
});
afterEach(async () => {
  await player.close();
  await cli.close();
  await daemon.stop("SIGKILL");
  await tmux.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

it("holds from the setting on while an agent works, and ends with its daemon, however that ends", async () => {
  await player.frame("running");
  await until(async () => (await cli.run(["status"])).stdout.includes("running"), "it runs", WAIT_MS);
  expect([isHeld(), await awake()]).toEqual([false, null]);
  expect(await doctorSays()).toContain("skipped");
  expect((await cli.run(["config", "set", "keep_awake", "working"])).code).toBe(0);
  await until(isHeld, "it is held", WAIT_MS);
  await until(async () => (await awake())?.is_on === true, "it is said", WAIT_MS);
  expect((await cli.run(["status"])).stdout).toContain("(kept awake: 1 agent works)");
  expect((await cli.run(["status", "--format", "tmux"])).stdout).not.toContain("awake");
  expect(await doctorSays()).toBe("ok: This machine is kept awake: 1 agent works.");

  await daemon.stop("SIGKILL");
  await until(() => !isHeld(), "it ends with a killed daemon", WAIT_MS);
  await start();
  await until(isHeld, "the next daemon holds", WAIT_MS);
  await player.frame("completed");
  await until(() => !isHeld(), "it ends with the work", WAIT_MS);
  expect(await awake()).toBeNull();

  const ref = player.paneId;
  const due = new Date(Date.now() + 30 * 60_000);
  const local = new Date(due.getTime() - due.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  const sent = await cli.run(["send", ref, "--text", "go on", "--at", local]);
  expect(sent.code, sent.stderr).toBe(0);
  await until(isHeld, "a text is due within the hour", 80_000);
  expect((await cli.run(["status"])).stdout).toContain("a text is due within the hour");
  await daemon.stop();
  expect(isHeld()).toBe(false);
});

it("says why where the program fails, and nothing else suffers", async () => {
  install("echo 'Failed to inhibit: Access denied' >&2; exit 1");
  await player.frame("running");
  expect((await cli.run(["config", "set", "keep_awake", "working"])).code).toBe(0);
  await until(async () => ((await awake())?.problem ?? null) !== null, "it is said", WAIT_MS);
  expect(await awake()).toEqual({
    is_on: false,
    working: 1,
    problem: `${PROGRAM} ended: Failed to inhibit: Access denied`,
  });
  expect(await doctorSays()).toContain("warning: This machine may fall asleep although 1 agent works");
  rmSync(join(root, "bin", PROGRAM));
  await player.frame("completed");
  await until(async () => !(await cli.run(["status"])).stdout.includes("running"), "states go on", WAIT_MS);
});
