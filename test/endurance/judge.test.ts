import { expect, it } from "vitest";
import { BOUNDS, COUNTED, judge, slopeOf, type Held } from "./judge.ts";

const MB = 1_024 * 1_024;
const STEADY: Held = {
  heapBytes: 20 * MB,
  residentBytes: 110 * MB,
  objects: 60_000,
  timers: 9,
  handles: 12,
  descriptors: 40,
  children: 2,
  emitters: 50,
  abortSignals: 3,
  processListeners: 8,
  spoolFiles: 0,
  tempFiles: 0,
  homeFiles: 20,
  rows: 8,
};
const hoursOf = (change: (hour: number) => Partial<Held>, count = 8): Held[] =>
  Array.from({ length: count }, (_none, hour) => ({ ...STEADY, ...change(hour) }));

it("finds nothing where nothing grows, whatever an odd hour shows", () => {
  const noise = [0, 30, -20, 700, 10, -30, 20, 0];
  const hours = hoursOf((hour) => ({
    heapBytes: STEADY.heapBytes + (noise[hour] ?? 0) * 1_024,
    timers: STEADY.timers + (hour % 3 === 1 ? 2 : 0),
  }));
  expect(judge(hours, 1_000)).toEqual([]);
});

it("finds an object kept of every fifth event, and texts that are no objects", () => {
  const objects = hoursOf((hour) => ({ objects: STEADY.objects + hour * 700 + (hour % 2) * 100 }));
  expect(judge(objects, 3_500)).toEqual(["objects grow by 700 an hour (bound 350)"]);
  const texts = hoursOf((hour) => ({ heapBytes: STEADY.heapBytes + hour * 128 * 2_000 }));
  expect(judge(texts, 2_000)).toEqual(["the heap grows by 250 kB an hour (bound 160 kB)"]);
});

it("finds resident memory that grows outside of the heap", () => {
  const hours = hoursOf((hour) => ({
    residentBytes: STEADY.residentBytes + hour * (BOUNDS.residentBytes + MB),
  }));
  expect(judge(hours, 1_000)).toEqual([expect.stringContaining("resident memory grows")]);
});

it.each(COUNTED)("finds one more of %s every hour", (name) => {
  const hours = hoursOf((hour) => ({ [name]: STEADY[name] + hour }));
  expect(judge(hours, 1_000)).toEqual([expect.stringContaining(`${name}: `)]);
});

it("does not judge what is too little", () => {
  expect(
    judge(
      hoursOf(() => ({}), 2),
      1_000,
    ),
  ).toEqual(["2 samples are too few to tell"]);
});

it("fits a slope that one outlier does not bend", () => {
  expect(slopeOf([0, 1, 2, 90, 4, 5])).toBe(1);
  expect(slopeOf([3, 5])).toBe(2);
});
