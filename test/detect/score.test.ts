import { describe, expect, it } from "vitest";
import type { Shown } from "../../bench/detect/playback.ts";
import { score, tooOftenUnknown, type Case } from "../../bench/detect/score.ts";

const shown = (state: string, more: Partial<Shown> = {}): Shown => ({
  agent: "claude",
  state,
  reasonCode: "",
  rule: "",
  ...more,
});

const some = (more: Partial<Case>): Case => ({
  agent: "claude",
  version: "1",
  frame: "f",
  variation: null,
  kind: null,
  mode: "both",
  label: { state: "running" },
  atFrame: shown("running"),
  atLastEvent: shown("running"),
  toldByEvents: new Set(["running"]),
  hasEvents: true,
  hasLead: false,
  eventsOfWait: new Set(),
  isDialogWhole: true,
  isUnread: false,
  approval: "none",
  isTruthCut: false,
  ...more,
});

const judged = (more: Partial<Case>): string => {
  const { outcome, isFailure } = score(some(more));
  return `${outcome}${isFailure ? ", fails" : ""}`;
};
const WAITING = { label: { state: "waiting_approval" }, toldByEvents: new Set(["waiting_approval"]) };
const ENDED = { label: { state: "completed", also: ["idle"] } };

describe("the gate", () => {
  it.each<[string, Partial<Case>, string]>([
    ["the truth", {}, "right"],
    ["a wait that is none", { atFrame: shown("waiting_input") }, "false_wait, fails"],
    ["a wait of the wrong kind", { ...WAITING, atFrame: shown("waiting_input") }, "false_wait, fails"],
    ["a wait that is not shown", { ...WAITING, atFrame: shown("running") }, "missed_wait, fails"],
    ["a wait that is unknown", { ...WAITING, atFrame: shown("unknown") }, "missed_wait, fails"],
    ["another state", { atFrame: shown("idle") }, "wrong, fails"],
    ["unknown with all witnesses", { atFrame: shown("unknown") }, "unknown, fails"],
    ["unknown from the screen", { mode: "screen", atFrame: shown("unknown") }, "unknown"],
    ["unknown after a variation", { variation: "v", atFrame: shown("unknown") }, "unknown"],
    [
      "a false wait after a variation",
      { variation: "v", atFrame: shown("waiting_input") },
      "false_wait, fails",
    ],
    ["the allowed other state from the screen", { ...ENDED, mode: "screen", atFrame: shown("idle") }, "also"],
    ["the allowed other state with events", { ...ENDED, atFrame: shown("idle") }, "wrong, fails"],
    [
      "the allowed other state without any event",
      { ...ENDED, hasEvents: false, atFrame: shown("idle") },
      "also",
    ],
    [
      "the allowed other state without any event, but seen from the start",
      { ...ENDED, hasEvents: false, hasLead: true, atFrame: shown("idle") },
      "wrong, fails",
    ],
    ["a runtime without an agent", { label: { state: "none" } }, "wrong, fails"],
    ["no runtime for an agent", { atFrame: null }, "wrong_agent, fails"],
    ["another agent", { atFrame: shown("running", { agent: "codex" }) }, "wrong_agent, fails"],
    ["nothing where nothing runs", { label: { state: "none" }, atFrame: null }, "right"],
    [
      "the event's older state where the varied screen is not recognised",
      { label: { state: "error" }, variation: "v", isUnread: true },
      "unread",
    ],
    [
      "a wait on a varied screen that is not recognised",
      { label: { state: "error" }, variation: "v", isUnread: true, atFrame: shown("waiting_input") },
      "false_wait, fails",
    ],
    ["another state where its proof is cut away", { isTruthCut: true, atFrame: shown("idle") }, "no_wait"],
    [
      "a wait where the truth's proof is cut away",
      { isTruthCut: true, atFrame: shown("waiting_input") },
      "false_wait, fails",
    ],
    [
      "unknown where the dialog does not fit",
      { ...WAITING, variation: "v", isDialogWhole: false, atFrame: shown("unknown") },
      "no_room",
    ],
    [
      "another state where the dialog does not fit",
      { ...WAITING, variation: "v", isDialogWhole: false, atFrame: shown("idle") },
      "missed_wait, fails",
    ],
  ])("judges %s", (_what, more, expected) => {
    expect(judged(more)).toBe(expected);
  });

  it.each<[string, Partial<Case>, string]>([
    ["the truth", {}, "right"],
    ["what no event tells", { label: { state: "error" } }, "no_event"],
    ["a wait that an event told and that is not shown", WAITING, "missed_wait, fails"],
    ["a wait that no event told", { label: { state: "waiting_approval" } }, "no_event"],
    ["a wait where none was", { atFrame: shown("waiting_approval") }, "false_wait, fails"],
    [
      "a wait right after the last event that is gone later",
      { atLastEvent: shown("waiting_approval") },
      "false_wait, fails",
    ],
    [
      "a wait that looks the same in events and was answered",
      { atFrame: shown("waiting_approval"), eventsOfWait: new Set(["waiting_approval"]) },
      "left_wait",
    ],
    [
      "a wait that a person left without an event",
      { label: { state: "idle", reason_code: "interrupted" }, atFrame: shown("waiting_approval") },
      "left_wait",
    ],
    [
      "a wait that a person left, with an event that says so",
      {
        label: { state: "idle", reason_code: "interrupted" },
        toldByEvents: new Set(["waiting_approval", "idle"]),
        atFrame: shown("waiting_approval"),
      },
      "false_wait, fails",
    ],
  ])("judges by events alone %s", (_what, more, expected) => {
    expect(judged({ mode: "events", ...more })).toBe(expected);
  });

  it("rates the reason only of a right state whose label has one", () => {
    const label = { state: "running", reason_code: "tool" };
    const rated = (reasonCode: string) =>
      score(some({ label, atFrame: shown("running", { reasonCode }) })).isReasonRight;
    expect([rated("tool"), rated("thinking"), score(some({})).isReasonRight]).toEqual([true, false, null]);
  });

  it("names agents of whose recorded screens more than a tenth is unknown", () => {
    const screens = (unknown: number, frames: number, more: Partial<Case> = {}) =>
      Array.from({ length: frames }, (_, index) =>
        score(some({ mode: "screen", atFrame: shown(index < unknown ? "unknown" : "running"), ...more })),
      );
    expect(tooOftenUnknown(screens(1, 10))).toEqual([]);
    expect(tooOftenUnknown(screens(2, 10))).toEqual([{ agent: "claude", unknown: 2, frames: 10 }]);
    expect(tooOftenUnknown(screens(9, 10, { variation: "v", kind: "width" }))).toEqual([]);
  });
});
