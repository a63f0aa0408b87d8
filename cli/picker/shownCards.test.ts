import { beforeEach, describe, expect, it } from "vitest";
import { ShownCards, type DrawnCard } from "./answerGate.ts";

let now: number;
let timers: { at: number; callback: () => void }[];
let cards: ShownCards;
/** Timers run before input that waited is read; what is to follow the input runs last. */
let afterInput: (() => void)[];

beforeEach(() => {
  now = 0;
  timers = [];
  afterInput = [];
  cards = new ShownCards({
    now: () => now,
    setTimer: (delayMs, callback) => {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return () => (timers = timers.filter((one) => one !== timer));
    },
    afterInput: (callback) => afterInput.push(callback),
  });
});

/** One turn of the loop at this time: timers, then the input that waited, then the rest. */
const turn = (at: number, onInput: () => void = () => {}): void => {
  now = at;
  for (const timer of timers.filter((one) => one.at <= at)) {
    timers = timers.filter((one) => one !== timer);
    timer.callback();
  }
  onInput();
  for (const callback of afterInput.splice(0)) callback();
};

const card = (look: string, more: Partial<DrawnCard> = {}): DrawnCard => ({
  key: "a",
  look,
  isWhole: true,
  ...more,
});

describe("a card", () => {
  it("was read once it stood there for 300 ms", () => {
    cards.note([card("row 3")]);
    turn(299);
    expect(cards.wasRead("a")).toBe(false);
    turn(300);
    expect(cards.wasRead("a")).toBe(true);
  });

  it("was read in spite of frames in which it did not move", () => {
    for (let at = 0; at < 300; at += 50) {
      turn(at);
      cards.note([card("row 3"), card("row 9", { key: `b${at}` })]);
    }
    turn(300);
    expect([cards.wasRead("a"), cards.wasRead("b250")]).toEqual([true, false]);
  });

  it("has to be read again when it moved, or shows something else", () => {
    cards.note([card("row 3")]);
    turn(400);
    cards.note([card("row 4")]);
    expect(cards.wasRead("a")).toBe(false);
    turn(699);
    expect(cards.wasRead("a")).toBe(false);
    turn(700);
    expect(cards.wasRead("a")).toBe(true);
  });

  it("is not read by keys that were typed while the loop stood still, however late it goes on", () => {
    cards.note([card("row 3")]);
    let wasRead = true;
    turn(5_000, () => (wasRead = cards.wasRead("a")));
    expect(wasRead).toBe(false);
    expect(cards.wasRead("a")).toBe(true);
  });

  it("that left the screen is not read, and not when it comes back", () => {
    cards.note([card("row 3")]);
    turn(400);
    cards.note([]);
    expect(cards.wasRead("a")).toBe(false);
    cards.note([card("row 3")]);
    turn(500);
    expect(cards.wasRead("a")).toBe(false);
  });
});
