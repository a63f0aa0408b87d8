// Against real processes of this test.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import type { VerifiedAction } from "./prepare.ts";
import { createProcessSignaller, type ProcessSignaller } from "./kill.ts";

/** The gate is not part of this test; what it makes is only passed through. */
const ACTION = {} as VerifiedAction;
const NO_SUCH_PID = 2 ** 22 + 1;

let executor: TargetExecutor;
let signaller: ProcessSignaller;
let child: ChildProcess;
let pid: number;

beforeEach(async () => {
  executor = createLocalExecutor({ targetId: "host", env: process.env });
  signaller = createProcessSignaller(executor);
  child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  pid = child.pid ?? expect.fail();
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  await executor.close();
});

test("the same process is seen the same, and signalled", async () => {
  const seen = (await signaller.find(pid)) ?? expect.fail();
  expect(await signaller.find(pid)).toEqual(seen);
  const exited = once(child, "exit");
  expect(await signaller.signal(ACTION, { pid, start: seen.start }, "TERM")).toBe(true);
  expect(await exited).toEqual([null, "SIGTERM"]);
  expect(await signaller.find(pid)).toBeNull();
  expect(await signaller.signal(ACTION, { pid, start: seen.start }, "TERM")).toBe(false);
});

test("another process under the pid is not signalled", async () => {
  expect(await signaller.signal(ACTION, { pid, start: "1" }, "KILL")).toBe(false);
  expect(await signaller.find(pid)).not.toBeNull();
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
});

test("no process, and what is left of one, are gone", async () => {
  expect(await signaller.find(NO_SUCH_PID)).toBeNull();
  // Its parent never asks for its status: a zombie.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; kill -9 $!; exec sleep 60"]);
  const [line] = await once(parent.stdout, "data");
  await expect.poll(() => signaller.find(Number(String(line)))).toBeNull();
  parent.kill("SIGKILL");
  await once(parent, "exit");
});
