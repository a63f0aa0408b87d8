import { expect, it } from "vitest";
import { decideChange, NEVER_SUBMITTED, type WatchedDocument } from "./documentChanges.ts";

const LIMITS = { windowMs: 500, maxCycles: 3 };
const answered = (more: Partial<WatchedDocument> = {}): WatchedDocument => ({
  submitted: "question",
  answeredAt: 1_000,
  cycles: 0,
  ...more,
});

it("submits what the agent does not know, once", () => {
  const change = { text: "question", seen: "answer", at: 5_000 };
  expect(decideChange(NEVER_SUBMITTED, { ...change, seen: null }, LIMITS)).toEqual({
    kind: "submit",
    cycles: 0,
  });
  expect(decideChange(answered(), { ...change, text: "answer" }, LIMITS)).toEqual({
    kind: "ignore",
    why: "known",
  });
  expect(decideChange(answered(), change, LIMITS)).toEqual({ kind: "ignore", why: "same" });
});

it("goes on for so many times where changes follow an answer at once, and again after a person's", () => {
  const soon = { text: "formatted", seen: "answer", at: 1_100 };
  expect(decideChange(answered(), soon, LIMITS)).toEqual({ kind: "submit", cycles: 1 });
  expect(decideChange(answered({ cycles: 2 }), soon, LIMITS)).toEqual({ kind: "submit", cycles: 3 });
  expect(decideChange(answered({ cycles: 3 }), soon, LIMITS)).toEqual({ kind: "ignore", why: "often" });
  expect(decideChange(answered({ cycles: 3 }), { ...soon, at: 1_500 }, LIMITS)).toEqual({
    kind: "submit",
    cycles: 0,
  });
});
