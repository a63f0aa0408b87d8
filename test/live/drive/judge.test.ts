// What counts as true: the look, and everything that was shown once agtmux may no longer be late.
import { describe, expect, it } from "vitest";
import type { PaneView } from "../../../core/model/view.ts";
import { makePane } from "../../factories/view.ts";
import { judge, type Judged } from "./judge.ts";

const SINCE = 10_000;
const row = (state: NonNullable<PaneView["state"]>): PaneView => makePane({ state, reason: "why" });
/** What the feed showed, by milliseconds after the fact, and the look three seconds after it. */
const judged = (history: readonly [number, PaneView | null][], look: PaneView | null): Judged =>
  judge({
    states: ["idle"],
    since: SINCE,
    limitMs: 2_000,
    row: look,
    until: SINCE + 3_000,
    history: history.map(([ms, one]) => ({ at: SINCE + ms, paneId: "%1", row: one })),
  });
const [idle, running, completed, unknown] = [row("idle"), row("running"), row("completed"), row("unknown")];

describe("judge", () => {
  it("is right where look and feed agree with the fact in time", () => {
    expect(
      judged(
        [
          [-5, running],
          [1_900, idle],
        ],
        idle,
      ),
    ).toEqual({ verdict: "right", detail: "" });
  });

  it("is late where what was true before stayed for longer than it may", () => {
    const detail = "running/why from 0.0 s to 2.4 s after the fact";
    expect(
      judged(
        [
          [-5, running],
          [2_400, idle],
        ],
        idle,
      ),
    ).toEqual({ verdict: "late", detail });
  });

  it("is wrong where it still stays at the look", () => {
    const detail = "running/why at the look";
    expect(judged([[-5, running]], running)).toEqual({ verdict: "wrong", detail });
  });

  it("is wrong where the feed showed a new false state, though the look did not see it", () => {
    const history: [number, PaneView][] = [
      [-5, running],
      [300, completed],
      [2_200, idle],
    ];
    const detail = "completed/why from 0.3 s to 2.2 s after the fact";
    expect(judged(history, idle)).toEqual({ verdict: "wrong", detail });
  });

  it("forgives a false state that was over before the limit", () => {
    expect(
      judged(
        [
          [-5, running],
          [300, completed],
          [900, idle],
        ],
        idle,
      ).verdict,
    ).toBe("right");
  });

  it("is unknown where that is the worst that was shown, and says the reason", () => {
    expect(judged([[-5, idle]], unknown)).toEqual({ verdict: "unknown", detail: "unknown/why at the look" });
    expect(
      judged(
        [
          [-5, idle],
          [2_100, unknown],
          [2_500, idle],
        ],
        idle,
      ).verdict,
    ).toBe("unknown");
  });

  it("takes a false state for worse than an unknown one", () => {
    expect(
      judged(
        [
          [-5, running],
          [500, completed],
          [2_300, unknown],
        ],
        unknown,
      ).verdict,
    ).toBe("wrong");
  });

  it("does not take the same state told again for a new one", () => {
    expect(
      judged(
        [
          [-5, running],
          [500, running],
          [2_300, idle],
        ],
        idle,
      ).verdict,
    ).toBe("late");
  });

  it("takes a row that is gone for wrong where the agent is there", () => {
    expect(judged([[-5, idle]], null)).toEqual({ verdict: "wrong", detail: "gone/- at the look" });
  });

  it("does not take a row for gone that is told again under another reference in the same message", () => {
    expect(
      judged(
        [
          [-5, idle],
          [2_600, null],
          [2_601, idle],
        ],
        idle,
      ),
    ).toEqual({ verdict: "right", detail: "" });
  });

  it("leaves out what came after the look", () => {
    expect(
      judged(
        [
          [-5, idle],
          [3_001, running],
        ],
        idle,
      ).verdict,
    ).toBe("right");
  });
});
