import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { lasts, openProgress } from "./progress.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-proof-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (asked: unknown, isAgain = false) =>
  openProgress({
    name: "counted",
    asked,
    schema: z.object({ count: z.number() }),
    empty: () => ({ count: 0 }),
    isAgain,
    folder,
  });

it("goes on where it stopped, and begins from nothing where something else is asked", () => {
  const first = open({ seed: 1 });
  first.found.count = 3;
  first.save();
  const second = open({ seed: 1 });
  expect([second.found.count, second.describe().split("\n").length]).toEqual([3, 2]);
  // What was not saved is lost, and nothing else.
  second.found.count = 4;
  expect(open({ seed: 1 }).found.count).toBe(3);
  expect(open({ seed: 2 }).found.count).toBe(0);
  expect(open({ seed: 1 }, true).found.count).toBe(0);
});

it("lasts as long as it was given", () => {
  expect([lasts(0)(), lasts(1)(), lasts(1e-9)()]).toEqual([false, false, true]);
});
