import { describe, expect, it } from "vitest";
import type { WatchJob } from "../../../core/model/job.ts";
import { LineMatcher } from "./lineMatcher.ts";

const job = (jobId: string, pattern: string): WatchJob => ({
  jobId,
  kind: "watch",
  createdAt: 0,
  surface: "cli",
  subject: { filters: {} },
  condition: { kind: "match", pattern },
  channel: null,
  state: "armed",
  expiresAt: 1,
  runs: 0,
  maxRuns: 1,
});
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
    const began = performance.now();
    for (const lines of [
      ["x", "$"],
      ["x", hostile, "y", "$"],
    ])
      matcher.noteScreen("rt1", lines, everyone);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(matcher.tooSlow).toEqual(["slow"]);
    expect(matcher.matched.get("fast")?.get("rt1")?.count).toBe(1);
  });
});
