// The soak in short: a few small hours through the real daemon process hold nothing, and the same hours with a process that
// keeps one more of everything each time are found out. `npm run soak` is the long one.
import { afterAll, beforeAll, expect, it } from "vitest";
import { judge, type Held } from "./judge.ts";
import { playHour } from "./hour.ts";
import { openSoakHarness, type SoakHarness } from "./soakHarness.ts";

const HOUR = { turns: 1, visitors: 1, wrongFiles: 0, hasActions: false };
const HOURS = 3;
/** Bytes that the leaking daemon keeps per hour: more than what the first collections may leave behind. */
const LEAK_BYTES = 10_000_000;
/** Under a machine's full load the probe alone takes a quarter of a minute. */
const LIMIT_MS = 240_000;

let harness: SoakHarness;
let eventsPerHour: number;
beforeAll(async () => {
  harness = await openSoakHarness({ agents: ["claude", "codex"], hasTargets: false });
  // What is made once and kept is made here.
  eventsPerHour = (await playHour(harness, HOUR)).events;
}, LIMIT_MS);
afterAll(() => harness.close(), LIMIT_MS);

/** Samples after each of a few hours in which `work` happened. */
const holdAfter = async (work: () => Promise<unknown>): Promise<Held[]> => {
  const hours: Held[] = [];
  for (let hour = 0; hour < HOURS; hour += 1) {
    await work();
    hours.push(await harness.measure());
  }
  return hours;
};

it("holds nothing of the hours that passed", { timeout: LIMIT_MS, retry: 0 }, async () => {
  const hours = await holdAfter(() => playHour(harness, HOUR));
  expect(judge(hours, eventsPerHour), JSON.stringify(hours)).toEqual([]);
});

it("finds a daemon that keeps one more of everything each hour", { timeout: LIMIT_MS }, async () => {
  const faults = judge(await holdAfter(() => harness.daemon.leak(LEAK_BYTES)), eventsPerHour);
  const expected = [
    "objects grow",
    "the heap grows",
    "timers",
    "descriptors",
    "emitters",
    "processListeners",
  ];
  const missed = expected.filter((words) => !faults.some((fault) => fault.startsWith(words)));
  expect(missed, faults.join("; ")).toEqual([]);
});
