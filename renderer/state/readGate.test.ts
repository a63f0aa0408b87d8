import { beforeEach, describe, expect, it } from "vitest";
import { READING_MS, ReadGate, type SeenCard } from "./readGate.ts";

const card = (more: Partial<SeenCard> = {}): SeenCard => ({
  key: "one",
  fingerprint: "fp",
  top: 100,
  left: 10,
  height: 80,
  isWhole: true,
  isStartInView: true,
  isEndInView: true,
  ...more,
});

let now: number;
let frames: (() => void)[];
let gate: ReadGate;
const draw = () => {
  for (const callback of frames.splice(0)) callback();
};
const pressAt = (at: number, key = "one", fingerprint: string | null = "fp") =>
  gate.letsKey(key, fingerprint, at);

beforeEach(() => {
  now = 1_000;
  frames = [];
  gate = new ReadGate({ now: () => now, onFrame: (callback) => frames.push(callback) });
  gate.note([card()], "one");
  draw();
});

const later = (ms: number) => (now += ms);

describe("an answer counts", () => {
  it("once its card was drawn and unmoved for long enough", () => {
    expect(pressAt(later(READING_MS))).toBe(true);
  });

  it("not before that, and a key that was dropped begins the time again", () => {
    expect(pressAt(later(READING_MS - 1))).toBe(false);
    expect(gate.getState()).toBe(true);
    expect(pressAt(later(READING_MS - 1))).toBe(false);
    expect(pressAt(later(READING_MS))).toBe(true);
    expect(gate.getState()).toBe(false);
  });

  it("not while no frame has been drawn", () => {
    gate.note([card({ key: "two" })], "two");
    expect(pressAt(later(10_000), "two")).toBe(false);
  });

  it("by the time of the press, not by that of its arrival", () => {
    const typedAt = now + 100;
    later(5_000);
    expect(pressAt(typedAt)).toBe(false);
  });

  it.each([
    ["it moved", card({ top: 101 })],
    ["it asks something else", card({ fingerprint: "other" })],
    ["it became higher", card({ height: 90 })],
  ])("not when %s", (_name, seen) => {
    later(1_000);
    gate.note([seen], "one");
    draw();
    expect(pressAt(later(READING_MS - 1), "one", seen.fingerprint)).toBe(false);
    expect(pressAt(later(READING_MS), "one", seen.fingerprint)).toBe(true);
  });

  it("not for a movement that is only seen when the key comes", () => {
    later(1_000);
    gate.watch(() => gate.note([card({ top: 40 })], "one"));
    expect(pressAt(now)).toBe(false);
  });

  it("not for a prompt that another one replaced", () => {
    later(1_000);
    expect(pressAt(now, "one", "older")).toBe(false);
  });

  it("not for a text that is cut, nor for one whose end was not seen", () => {
    gate.note([card({ isWhole: false })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(false);
    gate.note([card({ height: 900, isEndInView: false })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(false);
    // Scrolled to its end: the beginning was seen before.
    gate.note([card({ height: 900, top: -500, isStartInView: false })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(true);
  });

  it("not right after the selection came to it, and not right after the window was shown", () => {
    gate.note([card(), card({ key: "two", top: 200 })], "one");
    draw();
    later(1_000);
    gate.note([card(), card({ key: "two", top: 200 })], "two");
    expect(pressAt(later(READING_MS - 1), "two")).toBe(false);
    expect(pressAt(later(READING_MS), "two")).toBe(true);
    gate.restart();
    draw();
    expect(pressAt(later(READING_MS - 1), "two")).toBe(false);
  });
});

it("of twenty keys in 200 ms one counts, whatever card is selected next", () => {
  const two = card({ key: "two", top: 200 });
  gate.note([card(), two], "one");
  draw();
  later(1_000);
  let selected = "one";
  let answered = 0;
  for (let press = 0; press < 20; press += 1) {
    if (pressAt(later(10), selected)) {
      answered += 1;
      selected = "two";
      gate.note([card(), two], selected);
    }
  }
  expect(answered).toBe(1);
});

it("a click counts on a card that did not move, selected or not", () => {
  gate.note([card(), card({ key: "two", top: 200 })], "one");
  draw();
  later(READING_MS);
  expect(gate.letsClick("two", "fp", now)).toBe(true);
  gate.note([card({ key: "two", top: 100 })], "one");
  draw();
  expect(gate.letsClick("two", "fp", later(100))).toBe(false);
});
