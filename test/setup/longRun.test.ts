import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { openLongRun } from "./longRun.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-proof-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (asked: unknown, isFresh = false, minutes = 0) =>
  openLongRun({
    name: "counted",
    asked,
    schema: z.object({ count: z.number() }),
    begin: () => ({ count: 0 }),
    isFresh,
    minutes,
    folder,
  });

it("goes on where it stopped, and begins from nothing where something else is asked", () => {
  const first = open({ seed: 1 });
  first.state.count = 3;
  first.save();
  const second = open({ seed: 1 });
  expect([second.state.count, second.describe().split("\n").length]).toEqual([3, 2]);
  // What was not saved is lost, and nothing else.
  second.state.count = 4;
  expect(open({ seed: 1 }).state.count).toBe(3);
  expect(open({ seed: 2 }).state.count).toBe(0);
  expect(open({ seed: 1 }, true).state.count).toBe(0);
});

it("lasts as long as it was given", () => {
  const isOver = (minutes: number) => open({}, true, minutes).isOver();
  expect([isOver(0), isOver(1), isOver(1e-9)]).toEqual([false, false, true]);
});
