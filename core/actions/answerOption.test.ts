// Which option an answer means, and what is refused.
import { describe, expect, it } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { optionOf, type OptionChoice } from "./answerOption.ts";

const seen: PromptRequest = {
  kind: "command",
  title: "Run this?",
  body: "x",
  toolName: null,
  options: [
    { label: "Always", keys: ["1"], role: "approve_always" },
    { label: "Yes", keys: ["2"], role: "approve" },
    { label: "No", keys: null, role: "deny" },
    { label: "Leave", keys: ["4"], role: null },
  ],
  expiresAt: null,
};
const pick = (choice: OptionChoice, announced: Partial<PromptRequest> = {}, now = seen): number =>
  optionOf(choice, now, { announced: { ...seen, ...announced }, agentName: "One", paneRef: "pane:x" });

it("approve is this once, never what remembers it", () => {
  expect(pick({ kind: "approve" })).toBe(1);
  const withoutOnce = { ...seen, options: seen.options.filter(({ role }) => role !== "approve") };
  expect(() => pick({ kind: "approve" }, {}, withoutOnce)).toThrow("approves this once and nothing else");
});

it("an option is the one of that number, whatever its role", () => {
  expect([1, 2, 4].map((number) => pick({ kind: "option", number }))).toEqual([0, 1, 3]);
});

describe("refused", () => {
  it.each<[string, OptionChoice, Partial<PromptRequest>, string]>([
    ["keys that are not known", { kind: "deny" }, {}, "E_UNSUPPORTED"],
    ["a number above", { kind: "option", number: 5 }, {}, "E_USAGE"],
    ["options that nobody had read", { kind: "option", number: 1 }, { options: [] }, "E_STALE_SNAPSHOT"],
    [
      "options that changed",
      { kind: "option", number: 1 },
      { options: seen.options.toReversed() },
      "E_STALE_SNAPSHOT",
    ],
  ])("%s", (_name, choice, announced, code) => {
    expect(() => pick(choice, announced)).toThrow(expect.objectContaining({ code }));
  });
});
