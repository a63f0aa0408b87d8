import { describe, expect, it } from "vitest";
import { APPROVAL, COMPLETED, IDLE, RUNNING } from "../../test/factories/evidence.ts";
import type { Status } from "../model/state.ts";
import { observe, type ObservationRun, type Observed } from "./observe.ts";

const OPTIONS = { contestMs: 500, maxGapMs: 45_000 };
const series = (reads: readonly [at: number, status: Status][]): Observed[] => {
  let run: ObservationRun | null = null;
  return reads.map(([at, status]) => {
    const observed: Observed = observe(
      run,
      { status, confidence: "medium", matched: "m", request: null, isSteady: false },
      { at, ...OPTIONS },
    );
    run = observed.run;
    return observed;
  });
};
const last = (reads: readonly [number, Status][]) => series(reads).at(-1)?.run.signal;

describe("a run of readings", () => {
  it("is sustained once two reads half a second apart agree; reads in between count once", () => {
    expect(
      series([
        [0, IDLE],
        [100, IDLE],
        [400, IDLE],
        [500, IDLE],
        [1_000, IDLE],
      ]).map(({ run, isWorthStoring }) => [run.signal.reads, isWorthStoring]),
    ).toEqual([
      [1, true],
      [1, false],
      [1, false],
      [2, true],
      [3, false],
    ]);
  });

  it("begins again with another picture and remembers when a dialog was last seen", () => {
    expect(
      last([
        [0, APPROVAL],
        [700, APPROVAL],
        [1_000, RUNNING],
        [1_600, RUNNING],
      ]),
    ).toMatchObject({ since: 1_000, reads: 2, lastDialogSeenAt: 700, onset: "seen" });
  });

  it("goes on while a person moves the selection of a dialog", () => {
    const dialog = (keys: string[]) => ({
      status: APPROVAL,
      confidence: "high" as const,
      matched: "m",
      request: {
        kind: "command" as const,
        title: "Run?",
        body: null,
        toolName: null,
        options: [{ label: "Yes", keys }],
        expiresAt: null,
      },
      isSteady: false,
    });
    const { run } = observe(null, dialog(["Enter"]), { at: 0, ...OPTIONS });
    const moved = observe(run, dialog(["Up", "Enter"]), { at: 600, ...OPTIONS });
    expect(moved.run.signal).toMatchObject({ since: 0, reads: 2 });
    const other = { ...dialog(["Enter"]), request: { ...dialog([]).request, title: "Delete?" } };
    expect(observe(run, other, { at: 600, ...OPTIONS }).run.signal.since).toBe(600);
  });

  it("does not claim to have seen a change that happened in a long pause", () => {
    expect(last([[0, COMPLETED]])?.onset).toBe("unknown");
    expect(
      last([
        [0, RUNNING],
        [1_000, COMPLETED],
      ])?.onset,
    ).toBe("seen");
    expect(
      last([
        [0, RUNNING],
        [60_000, COMPLETED],
      ]),
    ).toMatchObject({ onset: "unknown", since: 60_000 });
  });
});
