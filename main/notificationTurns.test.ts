import { beforeEach, describe, expect, it } from "vitest";
import { NotificationTurns } from "./notifications.ts";

let shown: string[];
let timers: (() => void)[];
let explained: PromiseWithResolvers<void>;
let explanations: number;
let remembered: number;
const create = (isNew: boolean): NotificationTurns =>
  new NotificationTurns({
    explain: isNew
      ? () => {
          explanations += 1;
          return explained.promise;
        }
      : null,
    onExplained: () => (remembered += 1),
    setTimer: (_delayMs, callback) => {
      timers.push(callback);
      return () => {};
    },
  });
const take = (turns: NotificationTurns, ...names: string[]): void => {
  for (const name of names) turns.take(name.replace(/\d/, ""), () => shown.push(name));
};

beforeEach(() => {
  shown = [];
  timers = [];
  explanations = 0;
  remembered = 0;
  explained = Promise.withResolvers();
});

describe("notifications", () => {
  it("with a new set of buttons come one after the other; others pass", () => {
    const turns = create(false);
    take(turns, "A1", "B1", "A2", "", "C1", "B2");
    expect(shown).toEqual(["A1", "A2", ""]);
    turns.settle("A");
    expect(shown).toEqual(["A1", "A2", "", "B1", "B2"]);
    turns.settle("A");
    expect(shown).toHaveLength(5);
    turns.settle("B");
    take(turns, "A3", "B3");
    expect(shown.slice(5)).toEqual(["C1", "A3", "B3"]);
  });

  it("do not wait for one of which the system says nothing", () => {
    const turns = create(false);
    take(turns, "A1", "B1");
    timers[0]?.();
    expect(shown).toEqual(["A1", "B1"]);
  });

  it("wait until it was said what they are for, which is said once", async () => {
    const turns = create(true);
    expect(explanations).toBe(0);
    take(turns, "A1", "");
    expect([shown, explanations]).toEqual([[], 1]);
    explained.resolve();
    await expect.poll(() => shown).toEqual(["A1", ""]);
    take(turns, "A2");
    expect([shown.length, explanations, remembered]).toEqual([3, 1, 1]);
  });

  it("come at once where a page has said it", () => {
    const turns = create(true);
    turns.explained();
    take(turns, "A1");
    expect([shown, explanations, remembered]).toEqual([["A1"], 0, 1]);
  });
});
