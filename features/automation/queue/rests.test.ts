import { describe, expect, it } from "vitest";
import { makePane, type PaneOptions } from "../../../test/factories/view.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { NO_TURN_MS, restOf, Rests, STILL_MS, UNSURE_MS } from "./decideSends.ts";

const row = (options: PaneOptions, more: Partial<PaneView> = {}): PaneView => ({
  ...makePane(options),
  confidence: "high",
  ...more,
});

describe("an agent rests", () => {
  it("when that is certain and nobody is asked anything", () => {
    expect(restOf(row({ state: "idle" }))).toBe("ready");
    expect(restOf(row({ state: "completed" }))).toBe("ready");
    expect(restOf(row({ state: "idle" }, { confidence: "medium" }))).toBe("ready");
    expect(restOf(row({ state: "idle" }, { confidence: "low" }))).toBeNull();
    for (const state of ["running", "waiting_input", "waiting_approval", "error", "unknown"] as const)
      expect(restOf(row({ state }))).toBeNull();
    expect(restOf(row({ state: "error", reason: "usage_limit" }))).toBe("limited");
    expect(restOf(row({ state: "error", reason: "rate_limited" }))).toBe("limited");
    const request = { kind: "question" } as unknown as NonNullable<PaneView["request"]>;
    expect(restOf(row({ state: "idle" }, { request }))).toBeNull();
  });

  it("since it did without a change in between", () => {
    const rests = new Rests();
    rests.noteRow(row({ state: "idle", version: 1 }), 10);
    rests.noteRow(row({ state: "idle", version: 1 }), 20);
    expect(rests.restOf("rt1")).toEqual({ rest: "ready", since: 10 });
    rests.noteRow(row({ state: "completed", version: 2 }), 30);
    expect(rests.restOf("rt1")?.since).toBe(30);
    rests.noteRow(row({ state: "completed", version: 2 }, { confidence: "low" }), 40);
    expect(rests.restOf("rt1")).toBeNull();
    rests.noteRow(row({ state: "completed", version: 2 }), 50);
    expect(rests.restOf("rt1")?.since).toBe(50);
    rests.forget("rt1");
    expect(rests.restOf("rt1")).toBeNull();
  });

  it("a second later where it is less certain", () => {
    const rests = new Rests();
    rests.noteRow(row({ state: "completed", version: 1 }, { confidence: "medium" }), 10);
    expect(rests.restOf("rt1")).toEqual({ rest: "ready", since: 10 + UNSURE_MS });
    rests.noteRow(row({ state: "completed", version: 1 }), 500);
    expect(rests.restOf("rt1")?.since).toBe(10);
  });
});

describe("the turn of a text is over", () => {
  const sent = (version: number | null): Rests => {
    const rests = new Rests();
    rests.noteRow(row({ state: "completed", version: 4, since: -1 }), 0);
    rests.noteSent("rt1", 0, version);
    return rests;
  };

  it("once it was seen to work, or to have worked, and not while it seems to rest still", () => {
    const rests = sent(4);
    rests.noteRow(row({ state: "completed", version: 4 }), 1_000);
    expect(rests.isTurnOver("rt1", 5_000)).toBe(false);
    rests.noteRow(row({ state: "running", version: 5 }), 5_000);
    expect(rests.isTurnOver("rt1", 5_000)).toBe(true);
    const quick = sent(4);
    quick.noteRow(row({ state: "completed", version: 6 }), 1_000);
    expect(quick.isTurnOver("rt1", 1_000)).toBe(true);
    const renamed = sent(4);
    renamed.noteRow(row({ state: "idle", version: 5 }), 1_000);
    expect(renamed.isTurnOver("rt1", 1_000)).toBe(false);
  });

  it("when it has come to rest since another daemon sent it", () => {
    const rests = sent(null);
    rests.noteRow(row({ state: "completed", version: 4, since: -1 }), 1_000);
    expect(rests.isTurnOver("rt1", 1_000)).toBe(false);
    rests.noteRow(row({ state: "completed", version: 5, since: 900 }), 1_000);
    expect(rests.isTurnOver("rt1", 1_000)).toBe(true);
    const known = sent(4);
    known.noteRow(row({ state: "completed", version: 5, since: 900 }), 1_000);
    expect(known.isTurnOver("rt1", 1_000)).toBe(false);
  });

  it("once it has certainly rested for ten seconds since, also after one that a daemon before this one sent", () => {
    for (const rests of [sent(4), sent(null)]) {
      expect(rests.isTurnOver("rt1", STILL_MS - 1)).toBe(false);
      expect(rests.isTurnOver("rt1", STILL_MS)).toBe(true);
    }
    // The daemon has come to see it only now.
    const late = new Rests();
    late.noteSent("rt1", 0, null);
    late.noteRow(row({ state: "completed", version: 4, since: -1 }), STILL_MS);
    expect(late.isTurnOver("rt1", STILL_MS)).toBe(false);
    expect(late.isTurnOver("rt1", 2 * STILL_MS)).toBe(true);
  });

  it("after a minute, where that is less than certain, or comes and goes", () => {
    const unsure = sent(4);
    unsure.noteRow(row({ state: "completed", version: 4 }, { confidence: "medium" }), 1_000);
    const unsettled = sent(4);
    for (let at = 0; at < NO_TURN_MS; at += 1_000)
      unsettled.noteRow(
        row({ state: "completed", version: 4, since: -1 }, { confidence: at % 2_000 === 0 ? "low" : "high" }),
        at,
      );
    for (const rests of [unsure, unsettled]) {
      expect(rests.isTurnOver("rt1", NO_TURN_MS - 1)).toBe(false);
      expect(rests.isTurnOver("rt1", NO_TURN_MS)).toBe(true);
    }
  });
});
