import { beforeEach, describe, expect, it } from "vitest";
import { BURST_MS, READING_MS, ReadGate, STILL_MS, type SeenCard } from "./readGate.ts";

const VIEW = 500;
/** In a list whose visible part is from 0 to 500. */
const card = (more: Partial<SeenCard> = {}): SeenCard => {
  const seen = {
    key: "one",
    fingerprint: "fp",
    head: "Approve",
    top: 100,
    left: 10,
    height: 80,
    isWhole: true,
    ...more,
  };
  const view = { from: Math.max(0, -seen.top), to: Math.min(seen.height, VIEW - seen.top) };
  return { ...seen, view };
};

let now: number;
let frames: (() => void)[];
let gate: ReadGate;
const draw = () => {
  for (const callback of frames.splice(0)) callback();
};
const note = (cards: readonly SeenCard[], selected: string | null) => gate.note(cards, selected, VIEW);
const pressAt = (at: number, key = "one", fingerprint: string | null = "fp") =>
  gate.letsKey(key, fingerprint, at);

beforeEach(() => {
  now = 1_000;
  frames = [];
  gate = new ReadGate({ now: () => now, onFrame: (callback) => frames.push(callback) });
  note([card()], "one");
  draw();
});

const later = (ms: number) => (now += ms);

describe("an answer counts", () => {
  it("once its card was drawn and unmoved for long enough", () => {
    expect(pressAt(later(READING_MS))).toBe(true);
  });

  it("not before that, and a key that was dropped changes nothing", () => {
    expect(pressAt(later(READING_MS - BURST_MS))).toBe(false);
    expect(gate.getState()).toBe(true);
    expect(pressAt(later(BURST_MS))).toBe(true);
    expect(gate.getState()).toBe(false);
  });

  it("not at the end of a burst that began too early, however long it is", () => {
    for (let press = 0; press < 50; press += 1) expect(pressAt(later(BURST_MS - 1)), `${press}`).toBe(false);
    expect(pressAt(later(BURST_MS))).toBe(true);
  });

  it("not while its head is out of view, nor while the end of what it asks is", () => {
    for (const top of [-1, VIEW - 79]) {
      note([card({ top })], "one");
      draw();
      expect(pressAt(later(10_000))).toBe(false);
    }
  });

  it("not if all of it was in view, but never at the same time, where it fits", () => {
    note([card({ top: -40 })], "one");
    draw();
    later(1_000);
    note([card({ top: VIEW - 40 })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(false);
  });

  it("half a second after it came into view, however long it was selected", () => {
    note([card({ top: -1 })], "one");
    draw();
    later(10_000);
    note([card()], "one");
    draw();
    expect(pressAt(later(READING_MS - 1))).toBe(false);
    expect(pressAt(later(READING_MS))).toBe(true);
  });

  it("not while no frame has been drawn", () => {
    note([card({ key: "two" })], "two");
    expect(pressAt(later(10_000), "two")).toBe(false);
  });

  it("by the time of the press, not by that of its arrival", () => {
    const typedAt = now + 100;
    later(5_000);
    expect(pressAt(typedAt)).toBe(false);
  });

  it("not just after it moved", () => {
    later(1_000);
    note([card({ top: 101 })], "one");
    draw();
    expect(pressAt(later(STILL_MS - 1))).toBe(false);
    expect(pressAt(later(STILL_MS))).toBe(true);
  });

  it.each([
    ["another asks", card({ head: "Approve codex" })],
    ["it asks something else", card({ fingerprint: "other" })],
    ["it became higher", card({ height: 90 })],
  ])("not when %s", (_name, seen) => {
    later(1_000);
    note([seen], "one");
    draw();
    expect(pressAt(later(READING_MS - 1), "one", seen.fingerprint)).toBe(false);
    expect(pressAt(later(READING_MS), "one", seen.fingerprint)).toBe(true);
  });

  it("not for a movement that is only seen when the key comes", () => {
    later(1_000);
    gate.watch(() => note([card({ top: 40 })], "one"));
    expect(pressAt(now)).toBe(false);
  });

  it("not for a prompt that another one replaced", () => {
    later(1_000);
    expect(pressAt(now, "one", "older")).toBe(false);
  });

  it("not for a text that is cut, nor for one whose end was not seen", () => {
    note([card({ isWhole: false })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(false);
    note([card({ height: 900 })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(false);
    // Its end is in view, but what is between was passed over.
    note([card({ height: 900, top: -401 })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(false);
    note([card({ height: 900, top: -300 })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(true);
  });

  it("not for a part that was in view too shortly while it was scrolled through", () => {
    note([card({ height: 900 })], "one");
    draw();
    later(READING_MS - 1);
    note([card({ height: 900, top: -400 })], "one");
    draw();
    expect(pressAt(later(1_000))).toBe(false);
  });

  it("not right after the selection came to it, and not right after the window was shown", () => {
    note([card(), card({ key: "two", top: 200 })], "one");
    draw();
    later(1_000);
    note([card(), card({ key: "two", top: 200 })], "two");
    expect(pressAt(later(READING_MS - 1), "two")).toBe(false);
    expect(pressAt(later(READING_MS), "two")).toBe(true);
    gate.restart();
    draw();
    expect(pressAt(later(READING_MS - 1), "two")).toBe(false);
  });
});

it("of twenty keys in 200 ms one counts, whatever card is selected next", () => {
  const two = card({ key: "two", top: 200 });
  note([card(), two], "one");
  draw();
  later(1_000);
  let selected = "one";
  let answered = 0;
  for (let press = 0; press < 20; press += 1) {
    if (pressAt(later(10), selected)) {
      answered += 1;
      selected = "two";
      note([card(), two], selected);
    }
  }
  expect(answered).toBe(1);
});

it("a click counts on a card that did not move, selected or not", () => {
  note([card(), card({ key: "two", top: 200 })], "one");
  draw();
  later(READING_MS);
  expect(gate.letsClick("two", "fp")).toBe(true);
  note([card({ key: "two", top: 100 })], "one");
  draw();
  later(100);
  expect(gate.letsClick("two", "fp")).toBe(false);
});

it("a click by a pointer counts only if the pointer moved since the card asks this", () => {
  later(READING_MS);
  gate.noteMeans(true);
  expect(gate.letsClick("one", "fp")).toBe(false);
  gate.notePointer(now);
  expect(gate.letsClick("one", "fp")).toBe(true);
  note([card({ fingerprint: "next" })], "one");
  draw();
  later(60_000);
  expect(gate.letsClick("one", "next")).toBe(false);
  gate.notePointer(now);
  expect(gate.letsClick("one", "next")).toBe(true);
});

it("a text answers what was read before, although it is out of view now", () => {
  later(READING_MS);
  note([card({ top: -60 })], "one");
  draw();
  expect(gate.letsText("one", "fp")).toBe(true);
  note([card({ top: -60, fingerprint: "next" })], "one");
  draw();
  later(10_000);
  expect(gate.letsText("one", "next")).toBe(false);
});
