import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PROGRESS } from "../model/evidence.ts";
import { steadyProgress } from "./activity.ts";

describe("a progress line", () => {
  it.each([
    ["retry 3 of 10 in 8 s", "retry 3 of 10"],
    ["retry 3 of 10 in 7s…", "retry 3 of 10"],
    ["✢ Fixing the parser… (4s · ↓ 16 tokens)", "Fixing the parser…"],
    [
      "⠴ Trying to reach gemini-2.5-pro (Attempt 2/10) (esc to cancel, 8s)",
      "Trying to reach gemini-2.5-pro (Attempt 2/10)",
    ],
    ["2 background tasks · 1m 02s", "2 background tasks"],
    ["Working · 70 B", "Working"],
    ["max 4.2k tokens", "max"],
    ["one\ntwo\u0007\u001b]0;x", "one two ]0;x"],
  ])("keeps of %j only what stays", (text, steady) => {
    expect(steadyProgress(text)).toBe(steady);
  });

  it.each(["", "   ", "12s", "(4s · ↓ 16 tokens)", "· · ·"])("is nothing for %j", (text) => {
    expect(steadyProgress(text)).toBeNull();
  });

  it("does not change from one second to the next", () => {
    fc.assert(
      fc.property(fc.nat(9_999), fc.nat(9_999), (one, two) => {
        const at = (seconds: number) =>
          steadyProgress(`retry 2 of 5 in ${seconds}s (${seconds}s · ↑ ${seconds} tokens)`);
        expect(at(one)).toBe(at(two));
      }),
    );
  });

  it("is one short line of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (text) => {
        const steady = steadyProgress(text);
        if (steady === null) return;
        expect(steady.length).toBeLessThanOrEqual(MAX_PROGRESS);
        // oxlint-disable-next-line no-control-regex -- it looks for them
        expect(steady).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
