import { describe, expect, test } from "vitest";
import { actionGuardsSchema, type ActionGuards, type ActionSnapshot } from "../model/action.ts";
import { judgeSnapshot, type SubjectNow } from "./guard.ts";

const NOW = 10_000;
const judge = (
  change: {
    snapshot?: Partial<ActionSnapshot>;
    guards?: Partial<ActionGuards>;
    current?: Partial<SubjectNow> | null;
  } = {},
) =>
  judgeSnapshot({
    snapshot: {
      snapshotId: "s1",
      targetId: "t1",
      server: "default",
      paneId: "%1",
      runtimeId: "r1",
      stateVersion: 7,
      observedAt: NOW - 1_000,
      expiresAt: NOW + 4_000,
      nonce: "n",
      promptFingerprint: null,
      ...change.snapshot,
    },
    guards: { ...actionGuardsSchema.parse({}), ...change.guards },
    current:
      change.current === null
        ? null
        : {
            runtimeId: "r1",
            stateVersion: 7,
            state: "waiting_approval",
            fingerprint: "prompt",
            confirmedAt: NOW - 500,
            processAlive: true,
            ...change.current,
          },
    now: NOW,
  });
const OK = { ok: true };
const refusal = (...patterns: string[]) => ({
  ok: false,
  changes: patterns.map((pattern): unknown => expect.stringContaining(pattern)),
});
const force = { forceStale: true };

test("an unchanged pane passes, with and without an agent", () => {
  expect(judge()).toEqual(OK);
  const bare = { runtimeId: null, stateVersion: 0 };
  expect(
    judge({ snapshot: bare, current: { ...bare, state: null, fingerprint: null, processAlive: false } }),
  ).toEqual(OK);
});

describe("the snapshot's own version and expiry", () => {
  test.each([
    ["another version", { current: { stateVersion: 8 } }, "version 7 to 8"],
    ["the moment of expiry", { snapshot: { expiresAt: NOW } }, "expired 0 ms ago"],
    ["a fraction after it", { snapshot: { expiresAt: NOW - 1.25 } }, "expired 1 ms ago"],
  ])("%s refuses, unless forced", (_title, change, pattern) => {
    expect(judge(change)).toEqual(refusal(pattern));
    expect(judge({ ...change, guards: force })).toEqual(OK);
  });
});

describe("identity is never relaxed", () => {
  test.each([
    ["a pane that is gone", { current: null }, "pane is gone"],
    ["another runtime", { current: { runtimeId: "r2" } }, "runtime r1 is no longer"],
    ["no runtime any more", { current: { runtimeId: null } }, "runtime r1 is no longer"],
    ["an agent where there was none", { snapshot: { runtimeId: null } }, "an agent has started"],
    ["a dead process", { current: { processAlive: false } }, "has ended"],
    ["another prompt", { snapshot: { promptFingerprint: "old" } }, "prompt is no longer"],
    [
      "a prompt that has gone",
      { snapshot: { promptFingerprint: "prompt" }, current: { fingerprint: null } },
      "prompt is no longer",
    ],
  ])("%s refuses, also when forced", (_title, change, pattern) => {
    expect(judge(change)).toEqual(refusal(pattern));
    expect(judge({ ...change, guards: force })).toEqual(refusal(pattern));
  });
});

describe("explicit guards are never relaxed", () => {
  const cases: [string, Partial<ActionGuards>, Partial<ActionGuards>, string][] = [
    ["--if-runtime", { ifRuntime: "r1" }, { ifRuntime: "r2" }, "runtime is r1, not r2"],
    ["--if-state", { ifState: "waiting_approval" }, { ifState: "idle" }, "waiting_approval, not idle"],
    ["--if-version", { ifVersion: 7 }, { ifVersion: 6 }, "version is 7, not 6"],
    ["--if-prompt", { ifPrompt: "prompt" }, { ifPrompt: "old" }, "prompt is prompt, not old"],
    [
      "--if-updated-within",
      { ifUpdatedWithinMs: 500 },
      { ifUpdatedWithinMs: 499 },
      "confirmed 500 ms ago, not within 499 ms",
    ],
  ];
  test.each(cases)("%s", (_title, holding, failing, pattern) => {
    expect(judge({ guards: holding })).toEqual(OK);
    expect(judge({ guards: failing })).toEqual(refusal(pattern));
    expect(judge({ guards: { ...failing, ...force } })).toEqual(refusal(pattern));
  });

  test("a state that was never confirmed is not fresh", () => {
    expect(judge({ guards: { ifUpdatedWithinMs: 1e9 }, current: { confirmedAt: null } })).toEqual(
      refusal("never"),
    );
    expect(judge({ guards: { ifUpdatedWithinMs: 1e9 }, current: { confirmedAt: Number.NaN } }).ok).toBe(
      false,
    );
  });
});

test("everything that changed is said at once", () => {
  expect(
    judge({
      current: { runtimeId: "r2", stateVersion: 9, state: "running" },
      guards: { ifState: "waiting_approval", ifRuntime: "r1" },
    }),
  ).toEqual(refusal("no longer in the pane", "changed to running", "runtime is r2", "state is running"));
});
