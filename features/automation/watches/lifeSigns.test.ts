import { describe, expect, it } from "vitest";
import { makePane } from "../../../test/factories/view.ts";
import { LifeSigns } from "./screenSigns.ts";

const running = (more: object = {}) => makePane({ state: "running", ...more });

describe("signs of life", () => {
  it("are every change of the screen, a spinner's second too", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteScreen("rt1", ["✻ Thinking… (12s)"], 10);
    signs.noteScreen("rt1", ["✻ Thinking… (12s)"], 20);
    expect(signs.silentSince("rt1")).toBe(0);
    signs.noteScreen("rt1", ["✻ Thinking… (13s)"], 30);
    expect(signs.silentSince("rt1")).toBe(30);
  });

  it("are what the row tells of the work, and not that its state became stale", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteRow(running(), 5);
    signs.noteRow(makePane({ state: "unknown", reason: "stale_signal" }), 45);
    expect(signs.silentSince("rt1")).toBe(0);
    signs.noteRow(running({ progress: "step 2" }), 50);
    expect(signs.silentSince("rt1")).toBe(50);
  });

  it("are not given by an agent that stands still until nobody knows its state", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteScreen("rt1", ["working"], 1_000);
    signs.noteRow(makePane({ state: "unknown", reason: "unsupported_signal" }), 20_000);
    expect(signs.silentSince("rt1")).toBe(0);
    signs.noteScreen("rt1", ["a shape that nobody knows"], 21_000);
    expect(signs.silentSince("rt1"), "it has drawn something else").toBeNull();
  });

  it("are not asked of an agent that ended with a screen that nobody knows", () => {
    const signs = new LifeSigns();
    signs.noteRow(running(), 0);
    signs.noteScreen("rt1", ["working"], 19_000);
    signs.noteScreen("rt1", ["done, in another shape"], 20_000);
    signs.noteRow(makePane({ state: "unknown", reason: "unsupported_signal" }), 20_010);
    expect(signs.silentSince("rt1")).toBeNull();
  });

  it("are asked of nobody who does not work", () => {
    const signs = new LifeSigns();
    signs.noteRow(makePane({ state: "unknown", reason: "stale_signal" }), 0);
    expect([signs.silentSince("rt1"), signs.silentSince("other")]).toEqual([null, null]);
    signs.noteRow(running(), 1);
    signs.noteRow(makePane({ state: "idle" }), 2);
    expect(signs.silentSince("rt1")).toBeNull();
    signs.noteRow(running(), 3);
    signs.forget("rt1");
    expect(signs.silentSince("rt1")).toBeNull();
  });
});
