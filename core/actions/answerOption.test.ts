// Which option an answer means, and what is refused.
import { describe, expect, it } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { optionOf, type OptionChoice } from "./answer.ts";

const seen: PromptRequest = {
  kind: "command",
  title: "Run this?",
  body: "x",
  isWhole: true,
  toolName: null,
  options: [
    { label: "Always", keys: ["1"], role: "approve_always" },
    { label: "Yes", keys: ["2"], role: "approve" },
    { label: "No", keys: null, role: "deny" },
    { label: "Leave", keys: ["4"], role: null },
  ],
  expiresAt: null,
};
const pick = (choice: OptionChoice, now = seen): number =>
  optionOf(choice, now, { agentName: "One", paneRef: "pane:x" });

it("approve is this once, never what remembers it", () => {
  expect(pick({ kind: "approve" })).toBe(1);
  const withoutOnce = { ...seen, options: seen.options.filter(({ role }) => role !== "approve") };
  expect(() => pick({ kind: "approve" }, withoutOnce)).toThrow("approves this once and nothing else");
});

it("an option is the one of that number, whatever its role", () => {
  expect([1, 2, 4].map((number) => pick({ kind: "option", number }))).toEqual([0, 1, 3]);
});

describe("refused", () => {
  it.each<[string, OptionChoice, string]>([
    ["keys that are not known", { kind: "deny" }, "E_UNSUPPORTED"],
    ["a number above", { kind: "option", number: 5 }, "E_USAGE"],
  ])("%s", (_name, choice, code) => {
    expect(() => pick(choice)).toThrow(expect.objectContaining({ code }));
  });
  it("an option of a question that takes several, with that reason", () => {
    const several = {
      ...seen,
      takesSeveral: true,
      options: seen.options.map((option) => ({ ...option, keys: null })),
    };
    expect(() => pick({ kind: "option", number: 1 }, several)).toThrow("takes several answers");
  });
});

it("of what was not shown whole nothing but a refusal may be chosen", () => {
  const options = seen.options.map((option) =>
    option.role === "deny" ? { ...option, keys: ["3"] } : option,
  );
  for (const isWhole of [false, undefined]) {
    const { isWhole: _isWhole, ...rest } = seen;
    const part = { ...rest, options, ...(isWhole === undefined ? {} : { isWhole }) };
    expect(pick({ kind: "deny" }, part)).toBe(2);
    expect(pick({ kind: "option", number: 3 }, part)).toBe(2);
    for (const choice of [
      { kind: "approve" },
      { kind: "option", number: 1 },
      { kind: "option", number: 4 },
    ] as const)
      expect(() => pick(choice, part)).toThrow(expect.objectContaining({ code: "E_NOT_SHOWN_WHOLE" }));
  }
});
