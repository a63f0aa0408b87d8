import { describe, expect, it } from "vitest";
import { takeNewLines, type ScreenMemory, LineMatcher, LifeSigns } from "./screenSigns.ts";
import { makeWatchJob } from "../../../test/factories/job.ts";
import { makePane } from "../../../test/factories/view.ts";

/** What each look after the first one finds new. */
const looks = (...screens: readonly string[][]): string[][] => {
  let memory: ScreenMemory | null = null;
  return screens
    .map((lines) => {
      const taken = takeNewLines(memory, lines);
      memory = taken.memory;
      return [...taken.added];
    })
    .slice(1);
};

describe("new lines of a screen", () => {
  it("are none at first, and then what was not there before", () => {
    expect(looks(["FAILED", "$"], ["FAILED", "ok", "$"])).toEqual([["ok"]]);
  });

  it("count again when the same is printed once more", () => {
    expect(looks(["FAILED", "$"], ["FAILED", "FAILED", "$"])).toEqual([["FAILED"]]);
  });

  it("are not found again when the screen scrolls or is drawn in another order", () => {
    expect(looks(["a", "b", "c", "$"], ["b", "c", "d", "$"], ["d", "c", "b", "$"])).toEqual([["d"], []]);
  });

  it("are whole: the last row counts once something follows it or it stays", () => {
    expect(looks(["a", "$"], ["a", "$", "FAI"], ["a", "$", "FAILED"], ["a", "$", "FAILED"])).toEqual([
      [],
      [],
      ["FAILED"],
    ]);
  });

  it("say when nothing of the last look is left", () => {
    const { memory } = takeNewLines(null, ["a", "b", "$"]);
    expect(takeNewLines(memory, ["x", "y", "z"]).hasGap).toBe(true);
    expect(takeNewLines(memory, ["b", "y", "z"]).hasGap).toBe(false);
  });
});

const job = (jobId: string, pattern: string) =>
  makeWatchJob({ kind: "match", pattern }, { jobId, subject: { filters: {} } });
const everyone = () => true;

describe("lines that watches wait for", () => {
  it("are the newest with a count, until they were told", () => {
    const matcher = new LineMatcher();
    matcher.follow([job("j", "FAILED")]);
    matcher.noteScreen("rt1", ["FAILED before", "$"], everyone);
    matcher.noteScreen("rt1", ["FAILED before", "FAILED 1", "ok", "FAILED 2", "$"], everyone);
    expect(matcher.matched.get("j")?.get("rt1")).toEqual({ newest: "FAILED 2", count: 2, hasGap: false });
    matcher.noteScreen("rt1", ["FAILED 9", "x", "% "], everyone);
    expect(matcher.matched.get("j")?.get("rt1")).toEqual({ newest: "FAILED 9", count: 3, hasGap: true });
    matcher.told("j", "rt1");
    expect(matcher.matched.get("j")?.size).toBe(0);
  });

  it("are complete once they stood for a whole look, and new only once, however often they are looked at", () => {
    const matcher = new LineMatcher();
    matcher.follow([job("j", "FAILED")]);
    const count = (): number => matcher.matched.get("j")?.get("rt1")?.count ?? 0;
    const counts = [["a"], ["a", "FAILED 1"], ["a", "FAILED 1"], ["a", "FAILED 1"], ["a", "FAILED 1"]].map(
      (lines) => {
        matcher.noteScreen("rt1", lines, everyone);
        return count();
      },
    );
    expect(counts).toEqual([0, 0, 1, 1, 1]);
    // One that is armed while the screen rests gets what comes after that.
    matcher.follow([job("j", "FAILED"), job("late", "FAILED")]);
    for (let look = 0; look < 3; look += 1) matcher.noteScreen("rt1", ["a", "FAILED 1"], everyone);
    matcher.noteScreen("rt1", ["a", "FAILED 1", "FAILED 2", "$"], everyone);
    expect([count(), matcher.matched.get("late")?.get("rt1")]).toMatchObject([
      2,
      { newest: "FAILED 2", count: 1 },
    ]);
  });

  it("are of the agents that the job is about", () => {
    const matcher = new LineMatcher();
    matcher.follow([job("j", "x")]);
    for (const lines of [
      ["a", "$"],
      ["a", "x", "$"],
    ])
      matcher.noteScreen("rt1", lines, () => false);
    expect(matcher.matched.get("j")?.size).toBe(0);
  });

  it("stop a pattern that takes too long, and no other", () => {
    const matcher = new LineMatcher();
    matcher.follow([job("slow", "(a|aa)+$"), job("fast", "b")]);
    const hostile = `${"a".repeat(60)}b`;
    for (const lines of [
      ["x", "$"],
      ["x", hostile, "y", "$"],
    ])
      matcher.noteScreen("rt1", lines, everyone);
    expect(matcher.tooSlow).toEqual(["slow"]);
    expect(matcher.matched.get("fast")?.get("rt1")?.count).toBe(1);
  });
});

const running = (more: object = {}) => makePane({ state: "running", ...more });

describe("signs of life", () => {
  it("are every change of the screen, a spinner's second too", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteScreen("rt1", ["✻ Thinking… (12s)"], 10);
    signs.noteScreen("rt1", ["✻ Thinking… (12s)"], 20);
    expect(signs.silentSince("rt1")).toBe(0);
    signs.noteScreen("rt1", ["✻ Thinking… (13s)"], 30);
    expect(signs.silentSince("rt1")).toBe(30);
  });

  it("are what the row tells of the work, and not that its state became stale", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteRow(running(), 5);
    signs.noteRow(makePane({ state: "unknown", reason: "stale_signal" }), 45);
    expect(signs.silentSince("rt1")).toBe(0);
    signs.noteRow(running({ progress: "step 2" }), 50);
    expect(signs.silentSince("rt1")).toBe(50);
  });

  it("are not given by an agent that stands still until nobody knows its state", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteScreen("rt1", ["working"], 1_000);
    signs.noteRow(makePane({ state: "unknown", reason: "unsupported_signal" }), 20_000);
    expect(signs.silentSince("rt1")).toBe(0);
    signs.noteScreen("rt1", ["a shape that nobody knows"], 21_000);
    expect(signs.silentSince("rt1"), "it has drawn something else").toBeNull();
  });

  it("are not asked of an agent that ended with a screen that nobody knows", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteScreen("rt1", ["working"], 19_000);
    signs.noteScreen("rt1", ["done, in another shape"], 20_000);
    signs.noteRow(makePane({ state: "unknown", reason: "unsupported_signal" }), 20_010);
    expect(signs.silentSince("rt1")).toBeNull();
  });

  it("are asked of nobody who does not work", () => {
    const signs = new LifeSigns();
    signs.noteRow(makePane({ state: "unknown", reason: "stale_signal" }), 0);
    expect([signs.silentSince("rt1"), signs.silentSince("other")]).toEqual([null, null]);
    signs.noteRow(running(), 1);
    signs.noteRow(makePane({ state: "idle" }), 2);
    expect(signs.silentSince("rt1")).toBeNull();
    signs.noteRow(running(), 3);
    signs.forget("rt1");
    expect(signs.silentSince("rt1")).toBeNull();
  });
});
