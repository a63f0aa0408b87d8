import { describe, expect, it } from "vitest";
import { makeWatchJob } from "../../../test/factories/job.ts";
import { LineMatcher } from "./screenSigns.ts";

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
