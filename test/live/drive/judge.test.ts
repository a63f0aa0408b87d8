// What counts as true: the look, and everything that was shown once agtmux may no longer be late.
import { describe, expect, it } from "vitest";
import type { PaneView } from "../../../core/model/view.ts";
import { makePane } from "../../factories/view.ts";
import { judge, type Judged } from "./judge.ts";

const SINCE = 10_000;
const row = (state: NonNullable<PaneView["state"]>): PaneView => makePane({ state, reason: "why" });
type Shown = readonly [afterMs: number, row: PaneView | null];
/** What the feed showed, by milliseconds after the fact, and the look three seconds after it. */
const judged = (history: readonly Shown[], look: PaneView | null): Judged =>
  judge({
    states: ["idle"],
    since: SINCE,
    limitMs: 2_000,
    row: look,
    until: SINCE + 3_000,
    history: history.map(([ms, one]) => ({ at: SINCE + ms, placeId: "%1", row: one })),
  });
const [idle, running, completed, unknown] = [row("idle"), row("running"), row("completed"), row("unknown")];

const at = (afterMs: number, shown: PaneView | null): Shown => [afterMs, shown];
const CASES: readonly [
  title: string,
  history: readonly Shown[],
  look: PaneView | null,
  verdict: string,
  detail?: string,
][] = [
  [
    "is right where look and feed agree with the fact in time",
    [at(-5, running), at(1_900, idle)],
    idle,
    "right",
    "",
  ],
  [
    "is late where what was true before stayed for longer than it may",
    [at(-5, running), at(2_400, idle)],
    idle,
    "late",
    "running/why from 0.0 s to 2.4 s after the fact",
  ],
  [
    "is wrong where it still stays at the look",
    [at(-5, running)],
    running,
    "wrong",
    "running/why at the look",
  ],
  [
    "is wrong where the feed showed a new false state, though the look did not see it",
    [at(-5, running), at(300, completed), at(2_200, idle)],
    idle,
    "wrong",
    "completed/why from 0.3 s to 2.2 s after the fact",
  ],
  [
    "forgives a false state that was over before the limit",
    [at(-5, running), at(300, completed), at(900, idle)],
    idle,
    "right",
  ],
  [
    "is unknown where that is the worst that was shown, and says the reason",
    [at(-5, idle)],
    unknown,
    "unknown",
    "unknown/why at the look",
  ],
  [
    "is unknown where it was for a while, though the look did not see it",
    [at(-5, idle), at(2_100, unknown), at(2_500, idle)],
    idle,
    "unknown",
  ],
  [
    "takes a false state for worse than an unknown one",
    [at(-5, running), at(500, completed), at(2_300, unknown)],
    unknown,
    "wrong",
  ],
  [
    "does not take the same state told again for a new one",
    [at(-5, running), at(500, running), at(2_300, idle)],
    idle,
    "late",
  ],
  [
    "takes a row that is gone for wrong where the agent is there",
    [at(-5, idle)],
    null,
    "wrong",
    "gone/- at the look",
  ],
  [
    "does not take a row for gone that is told again under another reference in the same message",
    [at(-5, idle), at(2_600, null), at(2_601, idle)],
    idle,
    "right",
    "",
  ],
  ["leaves out what came after the look", [at(-5, idle), at(3_001, running)], idle, "right"],
];

describe("judge", () => {
  it.each(CASES)("%s", (_title, history, look, verdict, detail) => {
    expect(judged(history, look)).toMatchObject({ verdict, ...(detail === undefined ? {} : { detail }) });
  });
});
