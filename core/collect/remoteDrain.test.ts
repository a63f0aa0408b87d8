// The drain of a remote spool against a spool of the test's own: times, order, repetition and failure, without a connection.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Envelope } from "../model/envelope.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { createEventTimes, createRemoteDrain, type RemoteDrain } from "./remoteDrain.ts";
import type { RemoteSpool, SpooledFile } from "../ports/targetExecutor.ts";

const NOW = 1_800_000_000_000;

let now: number;
let timers: { at: number; run: () => void }[];
let files: SpooledFile[];
let rejected: string[];
let tell: (files: SpooledFile[] | null) => void;
let glances: number;
let readFailures: number;
let batches: Envelope[][];
let commitFailures: number;
let drain: RemoteDrain;

const spool: RemoteSpool = {
  glance: () => {
    glances += 1;
    if (files.length > 0) tell(null);
  },
  onFiles: (listener) => {
    tell = listener;
  },
  read: async ({ count }) => {
    if (readFailures > 0) {
      readFailures -= 1;
      throw new Error("the connection is gone");
    }
    return files.slice(0, count);
  },
  remove: async (names) => {
    files = files.filter(({ name }) => !names.includes(name));
  },
  reject: async (name) => {
    rejected.push(name);
    files = files.filter((file) => file.name !== name);
  },
};
const clock = {
  now: () => now,
  setTimer: (delayMs: number, run: () => void) => {
    const timer = { at: now + delayMs, run };
    timers.push(timer);
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  },
};
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Lets time pass, and everything happen that is due in it. */
const pass = async (ms: number): Promise<void> => {
  const end = now + ms;
  for (;;) {
    const next = timers.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= end);
    if (next === undefined) break;
    timers = timers.filter((one) => one !== next);
    now = Math.max(now, next.at);
    next.run();
    await settle();
  }
  now = end;
};
/** A file as the remote side has it, whose clock is far behind ours. */
const drop = (name: string, ageMs: number, more: Partial<SpooledFile> = {}): void => {
  const bytes = Buffer.from(`agtmux-event 1\nagent=pi\nevent=${name}\n\n{}`);
  files.push({ name, modifiedSeconds: 12, ageMs, size: bytes.length, bytes, ...more });
};
const seen = (): [string | null, number][] =>
  batches.flat().map(({ eventName, eventTime }) => [eventName, eventTime - NOW]);

beforeEach(() => {
  now = NOW;
  timers = [];
  files = [];
  rejected = [];
  glances = 0;
  readFailures = 0;
  batches = [];
  commitFailures = 0;
  drain = createRemoteDrain({
    spool,
    onBatch: (envelopes) => {
      if (commitFailures > 0) {
        commitFailures -= 1;
        throw new Error("the disk is full");
      }
      batches.push(envelopes);
    },
    times: createEventTimes(),
    logger: SILENT_LOGGER,
    clock,
  });
});
afterEach(() => drain.close());

it("dates events by their age: what lay there for hours is old, whatever the far clock says", async () => {
  drop("old", 7_200_000, { modifiedSeconds: 4_000_000_000 });
  drop("new", 0, { modifiedSeconds: 4_000_007_200 });
  await drain.start();
  expect(seen()).toEqual([
    ["old", -7_200_000],
    ["new", 0],
  ]);
  expect(files).toEqual([]);
});

it("never turns the order round, though ages are whole seconds and answers take their time", async () => {
  drop("first", 0);
  await drain.start();
  await pass(100);
  // Written 50 ms ago, and the remote clock has just begun a new second.
  drop("second", 1_000);
  drop("third", 1_000);
  await pass(400);
  expect(seen().map(([name]) => name)).toEqual(["first", "second", "third"]);
  const times = seen().map(([, time]) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(Math.max(...times)).toBeLessThanOrEqual(500);
});

it("takes what comes later by looking a few times a second", async () => {
  await drain.start();
  await pass(10_000);
  expect(glances).toBe(40);
  drop("late", 0);
  await pass(250);
  expect(seen().map(([name]) => name)).toEqual(["late"]);
});

it("looks as often as before after it was asked for what lies there, and nothing did", async () => {
  await drain.start();
  for (let times = 0; times < 10; times += 1) await drain.take();
  await pass(250);
  drop("Stop", 0);
  await pass(250);
  expect(seen().map(([name]) => name)).toEqual(["Stop"]);
});

it("says to who asks that what lies there could not be read or stored", async () => {
  await drain.start();
  readFailures = 1;
  await expect(drain.take()).rejects.toThrow("could not be taken");
  drop("Stop", 0);
  commitFailures = 1;
  await expect(drain.take()).rejects.toThrow("could not be taken");
  await drain.take();
  expect(seen().map(([name]) => name)).toEqual(["Stop"]);
});

it("brings an event again, under the same name, until it was committed", async () => {
  commitFailures = 2;
  drop("Stop", 0);
  await drain.start();
  expect([batches, files.length]).toEqual([[], 1]);
  await pass(10_000);
  expect(seen().map(([name]) => name)).toEqual(["Stop"]);
  expect(files).toEqual([]);
});

it("gives two files of one name that is used again different names of their own", async () => {
  drop("0000042-0", 0, { modifiedSeconds: 12 });
  await drain.start();
  drop("0000042-0", 0, { modifiedSeconds: 13 });
  await pass(1_000);
  const names = batches.flat().map(({ spoolName }) => spoolName);
  expect(new Set(names).size).toBe(2);
});

it("survives a read that fails", async () => {
  readFailures = 1;
  drop("Stop", 0);
  await drain.start();
  await pass(5_000);
  expect(seen().map(([name]) => name)).toEqual(["Stop"]);
});

it("takes what is no event out of the way, and asks less often when nothing of it is for us", async () => {
  drop("nonsense", 0, { bytes: Buffer.from("hello") });
  drop("a folder", 0, { bytes: null });
  drop("Stop", 0);
  await drain.start();
  expect(rejected).toEqual(["nonsense", "a folder"]);
  expect(seen().map(([name]) => name)).toEqual(["Stop"]);
});

it("rests between full batches of a spool that fills without an end, and a start does not wait for its end", async () => {
  let name = 0;
  const workMs = 100;
  const endless: RemoteSpool = {
    ...spool,
    read: async ({ count }) => {
      now += workMs;
      files = [];
      for (let index = 0; index < count; index += 1) drop(`${(name += 1)}-0`, 0);
      return files;
    },
  };
  drain = createRemoteDrain({
    spool: endless,
    onBatch: (envelopes) => void batches.push(envelopes),
    times: createEventTimes(),
    logger: SILENT_LOGGER,
    clock,
  });
  let isStarted = false;
  const started = drain.start().then(() => (isStarted = true));
  await settle();
  await pass(10_000);
  expect(isStarted).toBe(false);
  // A third of the time at most.
  expect(batches.length).toBeGreaterThan(20);
  expect(batches.length).toBeLessThan(40);
  await pass(11_000);
  await started;
  const before = batches.length;
  await pass(3_000);
  expect(batches.length).toBeGreaterThan(before);
});
