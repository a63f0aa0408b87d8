import { describe, expect, it } from "vitest";
import { AnswerPress } from "./answerGate.ts";

/** The times at which keys that come at these times act, each read alone. */
const answersOf = (keys: readonly (readonly [name: string, at: number])[]): number[] => {
  const acted: number[] = [];
  let now = 0;
  let timer: { at: number; callback: () => void } | null = null;
  const press = new AnswerPress({
    now: () => now,
    setTimer: (delayMs, callback) => {
      timer = { at: now + delayMs, callback };
      return () => (timer = null);
    },
  });
  const goTo = (at: number): void => {
    if (timer !== null && timer.at <= at) {
      now = timer.at;
      const { callback } = timer;
      timer = null;
      callback();
    }
    now = at;
  };
  for (const [name, at] of keys) {
    goTo(at);
    press.interrupt();
    press.press(name, () => acted.push(now));
  }
  goTo(Number.MAX_SAFE_INTEGER);
  return acted;
};
const every = (name: string, from: number, step: number, count: number) =>
  Array.from({ length: count }, (_, index) => [name, from + index * step] as const);

describe("a key that answers", () => {
  it("counts once when it is pressed twenty times in 200 ms", () => {
    expect(answersOf(every("a", 0, 10, 20))).toEqual([0]);
  });

  it.each([200, 250, 375, 500, 660, 1_000])(
    "that is held counts once, with a keyboard that repeats after %d ms",
    (delay) => {
      expect(answersOf([["a", 0], ...every("a", delay, 33, 60)])).toEqual([0]);
      expect(answersOf([["a", 0], ...every("a", delay, 80, 60)])).toEqual([0]);
    },
  );

  it("counts every time when a person presses it again and again, at their pace", () => {
    expect(answersOf(every("a", 0, 500, 10))).toHaveLength(10);
    expect(answersOf(every("a", 0, 1_500, 10))).toEqual(every("a", 0, 1_500, 10).map(([, at]) => at));
  });

  it("counts when another key answers the next one", () => {
    expect(
      answersOf([
        ["a", 0],
        ["d", 400],
        ["1", 800],
      ]),
    ).toEqual([0, 400, 800]);
  });

  it("is dropped in the middle of a word", () => {
    const word = "anana".split("").map((letter, index) => [letter, 60 + index * 60] as const);
    expect(answersOf([["b", 0], ...word])).toEqual([0]);
  });
});
