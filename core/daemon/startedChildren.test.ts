import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../test/setup/realClock.ts";
import { lookAtProcess } from "../actions/processHands.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { LineProcess, TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { createStartedChildren, type StartedChildren } from "./startedChildren.ts";

let folder: string;
let path: string;
let executor: TargetExecutor;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-children-"));
  path = join(folder, "children.json");
  executor = createLocalExecutor({
    targetId: "host",
    env: { PATH: process.env["PATH"] ?? "" },
    logger: SILENT_LOGGER,
  });
});
afterEach(async () => {
  await executor.close();
  rmSync(folder, { recursive: true });
});

const open = (): StartedChildren => createStartedChildren({ executor, path, logger: SILENT_LOGGER });
const listed = (): { pid: number; start: string }[] => JSON.parse(readFileSync(path, "utf8"));
/** A child as the daemon has it: somebody hears of its end. */
const startSleep = (children: StartedChildren): LineProcess & { pid: number; isGone: () => boolean } => {
  const child = children.executor.start(["sleep", "600"]);
  let isGone = false;
  child.onExit(() => {
    isGone = true;
  });
  if (child.pid === undefined) throw new Error("sleep did not start");
  return { ...child, pid: child.pid, isGone: () => isGone };
};
const untilListed = (pid: number): Promise<void> =>
  until(() => {
    try {
      return listed().some((child) => child.pid === pid);
    } catch {
      return false;
    }
  }, "it is written down");

it("ends what an earlier daemon left, and forgets it", async () => {
  const child = startSleep(open());
  await untilListed(child.pid);
  await open().endLeftovers();
  await until(child.isGone, "its end");
  expect(listed()).toEqual([]);
});

it("writes a child down only as long as it lives", async () => {
  const children = open();
  const [first, second] = [startSleep(children), startSleep(children)];
  await untilListed(first.pid);
  await untilListed(second.pid);
  await first.close();
  expect(listed().map(({ pid }) => pid)).toEqual([second.pid]);
});

it("leaves another process alone that was given the pid", async () => {
  const child = startSleep(open());
  await untilListed(child.pid);
  writeFileSync(path, JSON.stringify([{ pid: child.pid, start: "1" }]));
  await open().endLeftovers();
  expect(await lookAtProcess(executor, child.pid)).not.toBeNull();
  expect(listed()).toEqual([]);
});

it.each(["", "{", '[{"pid":-1,"start":"1"}]', '[{"pid":1}]', "null"])(
  "takes a list that says %j for none",
  async (text) => {
    writeFileSync(path, text);
    await open().endLeftovers();
    expect(listed()).toEqual([]);
  },
);
