// A plan as an event tells it, and as a dialog draws it (recorded with Claude Code 2.1.329).
import { describe, expect, it } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { matchPlan } from "./drawnText.ts";
import { shownPrompt } from "./dialogOwner.ts";

const TOLD =
  "# Lab plan\n\nThe lab needs **a file** so that [the docs](https://example.com/docs) and `npm test` have something to read. <!-- hidden -->\n\n1. Write `hello.txt`\n2. Run it\n\n```sh\nnpm test -- --run\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
const DRAWN = `Lab plan

The lab needs a file so that the docs (https://example.com/docs) and npm test have something to read. <!-- hidden
-->

1. Write hello.txt
2. Run it

npm test -- --run

┌─────┬─────┐
│  a  │  b  │
├─────┼─────┤
│ 1   │ 2   │
└─────┴─────┘`;

const plan = (body: string | null, isWhole: boolean): PromptRequest => ({
  kind: "plan",
  title: "Exit plan mode?",
  body,
  isWhole,
  toolName: "ExitPlanMode",
  options: [],
  expiresAt: null,
});

describe("a plan told as Markdown", () => {
  it("is drawn with all of its words", () => {
    expect(matchPlan(TOLD, DRAWN)).toBe("all");
    expect(shownPrompt(plan(TOLD, true), plan(DRAWN, true))).toMatchObject({ body: TOLD, isWhole: true });
  });
  it("is drawn in part where the rest is out of sight, and not where all was to be seen", () => {
    const part = DRAWN.split("\n").slice(0, 7).join("\n");
    expect(matchPlan(TOLD, part)).toBe("part");
    expect(shownPrompt(plan(TOLD, true), plan(part, false))?.isWhole).toBe(true);
    expect(shownPrompt(plan(TOLD, true), plan(part, true))?.isWhole).toBe(false);
  });
  it.each([
    ["another word", DRAWN.replace("hello", "goodbye")],
    ["a missing step", DRAWN.replace("2. Run it\n", "")],
    ["a step more", DRAWN.replace("2. Run it\n", "2. Run it\n3. Push it\n")],
    ["too little of it", "Lab plan"],
  ])("is another one with %s", (_what, drawn) => {
    expect(shownPrompt(plan(TOLD, true), plan(drawn, true))?.isWhole ?? null).not.toBe(true);
  });
  it("may be answered where the dialog asks without the plan", () => {
    expect(shownPrompt(plan(TOLD, true), plan(null, true))?.isWhole).toBe(true);
    expect(shownPrompt(plan(TOLD, true), plan(null, false))?.isWhole).toBe(false);
  });
});
