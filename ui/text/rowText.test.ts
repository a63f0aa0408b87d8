import { describe, expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { cardBadge, rowParts, rowSince, rowTitle, totalsOf, workText } from "./rowText.ts";

const activity = {
  prompt: "Split the refund service",
  tool: { name: "Bash", subject: "npm test -- refunds" },
  said: "All 14 tests pass.",
  folder: "/home/ann/src/shop-api",
  branch: "split-refunds",
  worktree: null,
  turn_began_at: "2026-11-22T10:00:00.000Z",
};

describe("a row", () => {
  it("is titled with what the person asked, else with the window's name", () => {
    expect(rowTitle(makePane({ activity }))).toEqual({ text: "Split the refund service", source: "prompt" });
    expect(rowTitle(makePane({ windowName: "api" }))).toEqual({ text: "api", source: "window" });
  });

  it("says who works where and on what, and the machine only where there are several", () => {
    const pane = makePane({ state: "running", reason: "tool", activity });
    const texts = (hasMachines: boolean): string[] => rowParts(pane, { hasMachines }).map(({ text }) => text);
    expect(texts(false)).toEqual([
      "Claude Code",
      "shop-api",
      "split-refunds",
      "running Bash npm test -- refunds",
    ]);
    expect(texts(true)[1]).toBe("host");
  });

  it("ends with what the agent said once it is done", () => {
    expect(workText(makePane({ state: "completed", activity }))).toBe("All 14 tests pass.");
    expect(workText(makePane({ state: "completed" }))).toBe("done");
  });

  it("is as old as its turn while it works, else as its state", () => {
    const since = Date.parse("2026-11-22T10:05:00.000Z");
    expect(rowSince(makePane({ state: "running", since, activity }))).toBe("2026-11-22T10:00:00.000Z");
    expect(rowSince(makePane({ state: "completed", since, activity }))).toBe("2026-11-22T10:05:00.000Z");
  });
});

describe("a card", () => {
  it("says in one word why it is there", () => {
    expect(cardBadge(makePane({ state: "error", reason: "usage_limit" }))).toEqual({
      tone: "error",
      text: "Limit",
    });
    expect(cardBadge(makePane({ state: "waiting_input", reason: "question" }))).toEqual({
      tone: "question",
      text: "Question",
    });
    expect(cardBadge(makePane({ state: "running" }))).toBeNull();
  });
});

describe("the totals", () => {
  const NONE = {
    error: 0,
    waiting_approval: 0,
    waiting_input: 0,
    running: 0,
    completed: 0,
    idle: 0,
    unknown: 0,
  };

  it("count in words and leave out what nobody is", () => {
    const texts = totalsOf({ ...NONE, error: 1, waiting_approval: 3, running: 8 }).map(({ text }) => text);
    expect(texts).toEqual(["4 need you", "8 working"]);
    expect(totalsOf({ ...NONE, waiting_input: 1 })[0]?.text).toBe("1 needs you");
  });
});
