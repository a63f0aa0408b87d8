import { describe, expect, it } from "vitest";
import { somePane } from "../../test/factories/ingest.ts";
import { DEFAULT_TIMING } from "../model/config.ts";
import { isScanDue } from "./processWatch.ts";
import { nextReadAt } from "./screenWatch.ts";
import type { WatchedRuntime } from "./sink.ts";

const AT = 1_000_000_400;
const watched = (
  attention: WatchedRuntime["attention"],
  windowActivity: number,
  isUnsustained = false,
  title = "",
  inside: string | null = null,
) =>
  ({
    runtime: { inside },
    attention,
    isUnsustained,
    pane: somePane("%1", { windowActivity, title }),
  }) as WatchedRuntime;
const wait = (runtime: WatchedRuntime, sameReads = 5, title = ""): number =>
  nextReadAt(runtime, { at: AT, text: "", title, activity: 0, sameReads }, DEFAULT_TIMING) - AT;
const OLD = AT / 1_000 - 100;

describe("a screen is read", () => {
  it("at once when it was never read", () => {
    expect(nextReadAt(watched("quiet", OLD), undefined, DEFAULT_TIMING)).toBe(0);
  });

  it("on a short cadence while a claim or a person waits, rarely while nothing changes", () => {
    expect(wait(watched("close", OLD))).toBe(200);
    expect(wait(watched("waiting", OLD))).toBe(500);
    expect(wait(watched("active", OLD))).toBe(2_000);
    expect(wait(watched("quiet", OLD))).toBe(60_000);
    expect(wait(watched("quiet", OLD, true))).toBe(500);
  });

  it("after twice the time of before while it rests and shows the same, up to a minute", () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 1_000_000].map((sameReads) => wait(watched("quiet", OLD), sameReads));
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it("soon when something changed, the very second of the last read included: tmux counts whole seconds", () => {
    expect(wait(watched("quiet", Math.floor(AT / 1_000)))).toBe(1_000);
    expect(wait(watched("quiet", Math.floor(AT / 1_000) - 1))).toBe(60_000);
  });

  it("soon when it works and moved between the last two reads, before tmux tells whether it still moves", () => {
    expect(wait(watched("active", OLD), 0)).toBe(1_000);
    expect(wait(watched("active", OLD), 1)).toBe(2_000);
    expect(wait(watched("quiet", OLD), 0)).toBe(2_000);
  });

  it("twice as soon where nothing but its screen is known", () => {
    expect(wait(watched("active", OLD, false, "", "ssh"), 0)).toBe(500);
    expect(wait(watched("quiet", Math.floor(AT / 1_000), false, "", "ssh"))).toBe(500);
  });

  it("at once when its pane got another title: agents write there that a turn began, or ended", () => {
    const now = AT / 1_000;
    expect(wait(watched("active", now, false, "project"), 0, "⠇ project")).toBe(200);
    expect(wait(watched("active", now, false, "◇  Ready (project)"), 0, "✦  Working… (project)")).toBe(200);
    expect(wait(watched("quiet", OLD, false, "⠇ project"), 5, "project")).toBe(200);
  });

  it("no sooner for the next frame of a spinner in its title", () => {
    expect(wait(watched("active", AT / 1_000, false, "⠏ project"), 0, "⠇ project")).toBe(1_000);
    expect(wait(watched("quiet", OLD, false, "⠐ Agent"), 5, "⠂ Agent")).toBe(60_000);
  });
});

describe("a pane's processes are read", () => {
  const last = { at: AT, panePid: 500, title: "" };
  it("when the pane is new, respawned, or something moved in it and no agent is known there", () => {
    const moved = somePane("%1", { windowActivity: Math.ceil(AT / 1_000) });
    expect(isScanDue(moved, undefined, false, AT)).toBe(true);
    expect(isScanDue(somePane("%1", { panePid: 501 }), last, true, AT)).toBe(true);
    expect(isScanDue(moved, last, false, AT + 1_000)).toBe(true);
    expect(isScanDue(moved, last, true, AT + 1_000)).toBe(false);
    expect(isScanDue(moved, last, false, AT + 100)).toBe(false);
    expect(isScanDue(somePane(), last, false, AT + 1_000)).toBe(false);
  });

  it("now and then anyway", () => {
    expect(isScanDue(somePane(), last, true, AT + 60_000)).toBe(true);
  });
});
