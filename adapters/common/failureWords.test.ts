// The words of a failed turn as they are recorded, beside the state that they stand for.
import { describe, expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { createAdapterRegistry } from "../index.ts";
import { failureWords } from "./progress.ts";

describe("a failure says", () => {
  it.each([
    ["claude", "400 lab failure 400"],
    ["codex", "lab failure 400"],
    ["gemini", "lab failure 400"],
    ["copilot", "400 lab failure 400"],
    ["opencode", "lab failure 400"],
    ["pi", "lab failure 400"],
    ["omp", "400 lab failure 400 lab failure 400"],
  ])("on %s's screen what failed", (agent, words) => {
    const reading = createAdapterRegistry().byAgentType(agent)?.readScreen(frameOf(agent, "error_400"));
    expect([reading?.status.state, reading?.progress]).toEqual(["error", words]);
  });

  it.each([
    ["API Error: 529 Overloaded", "529 Overloaded"],
    ['{"error":{"message":"say \\"please\\"","type":"x"}}', 'say "please"'],
    ["Error: Error: no route", "no route"],
    ["usage limit reached, resets 15:00", "usage limit reached, resets 15:00"],
    ["", null],
    [null, null],
  ])("%j as %j", (text, words) => expect(failureWords(text)).toBe(words));
});
