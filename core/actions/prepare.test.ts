import { expect, test } from "vitest";
import type { SubjectNow } from "../engine/guard.ts";
import { actionGuardsSchema, type ActionGuards, type ActionSnapshot } from "../model/action.ts";
import { createGate, type ActionSubject, type PreparedAction, type VerifiedAction } from "./prepare.ts";
import { partOf } from "../../test/fakes/partOf.ts";
import { DEFAULT_TIMING } from "../model/config.ts";

const subject = (change: Partial<ActionSubject> = {}): ActionSubject => ({
  key: { targetId: "t1", server: "default", paneId: "%1" },
  paneRef: "pane:host/work/@1/%1",
  target: "host",
  server: "default",
  links: [
    { sessionName: "work", windowIndex: 0 },
    { sessionName: "work-2", windowIndex: 0 },
  ],
  windowId: "@1",
  paneId: "%1",
  paneIndex: 0,
  runtimeId: "r1",
  ...change,
});

/** A gate on a world that the test changes. */
const setUp = () => {
  const world = {
    now: 1_000,
    subjects: [subject()],
    current: {
      runtimeId: "r1",
      stateVersion: 7,
      state: "waiting_approval",
      fingerprint: "prompt",
      confirmedAt: 900,
      processAlive: true,
    } as SubjectNow | null,
  };
  const snapshots = new Map<string, ActionSnapshot>();
  let count = 0;
  const gate = createGate({
    store: partOf({
      insertSnapshot: (snapshot) => snapshots.set(snapshot.snapshotId, snapshot),
      getSnapshot: (id) => snapshots.get(id) ?? null,
    }),
    clock: partOf({ now: () => world.now }),
    ids: { next: (prefix) => `${prefix}${(count += 1)}`, nonce: () => `nonce${count}` },
    lookup: { subjects: () => world.subjects, current: () => world.current },
    timing: () => ({ ...DEFAULT_TIMING, snapshot_ttl_ms: 5_000 }),
  });
  return { gate, world, snapshots };
};
const guards = (change: Partial<ActionGuards> = {}): ActionGuards => ({
  ...actionGuardsSchema.parse({}),
  ...change,
});
const code = (expected: string, details?: unknown): unknown =>
  expect.objectContaining({ code: expected, ...(details === undefined ? {} : { details }) });

test("prepare writes what it saw, and verify lets it through while nothing changes", () => {
  const { gate, snapshots, world } = setUp();
  const prepared = gate.prepare("pane:host/work-2/@1/%1", guards(), "cli");
  expect([...snapshots.values()]).toEqual([
    {
      snapshotId: "snap1",
      targetId: "t1",
      server: "default",
      paneId: "%1",
      runtimeId: "r1",
      stateVersion: 7,
      observedAt: 1_000,
      expiresAt: 6_000,
      nonce: "nonce1",
      promptFingerprint: null,
    },
  ]);
  world.now = 5_999;
  expect(gate.verify(prepared)).toEqual({ snapshot: prepared.snapshot, subject: subject(), surface: "cli" });
});

test("a reference that fits nothing, several panes, or is none writes no snapshot", () => {
  const { gate, world, snapshots } = setUp();
  expect(() => gate.prepare("runtime:r9", guards(), "cli")).toThrow(code("E_REF_NOT_FOUND"));
  expect(() => gate.prepare("work", guards(), "cli")).toThrow(code("E_REF_INVALID"));
  world.subjects.push(subject({ runtimeId: "r2", windowId: "@2" }));
  expect(() => gate.prepare("pane:host/work/0/%1", guards(), "cli")).toThrow(
    code("E_REF_AMBIGUOUS", ["pane:host/work/@1/%1", "pane:host/work/@2/%1"]),
  );
  expect(snapshots.size).toBe(0);
});

test("verify refuses with everything that changed since", () => {
  const { gate, world } = setUp();
  const prepared = gate.prepare("runtime:r1", guards({ ifState: "waiting_approval" }), "cli");
  world.current = { ...(world.current ?? expect.fail()), stateVersion: 8, state: "running" };
  expect(() => gate.verify(prepared)).toThrow(
    code("E_STALE_SNAPSHOT", [
      expect.stringContaining("version 7 to 8"),
      expect.stringContaining("is running"),
    ]),
  );
  world.current = null;
  expect(() => gate.verify(prepared)).toThrow(code("E_STALE_SNAPSHOT", ["the pane is gone"]));
});

test("an expired snapshot needs --force-stale", () => {
  const { gate, world } = setUp();
  const strict = gate.prepare("runtime:r1", guards(), "cli");
  const forced = gate.prepare("runtime:r1", guards({ forceStale: true }), "cli");
  world.now = 6_000;
  expect(() => gate.verify(strict)).toThrow(code("E_STALE_SNAPSHOT"));
  expect(gate.verify(forced).snapshot.snapshotId).toBe(forced.snapshot.snapshotId);
});

test("a runtime reference never becomes the agent that came after it", () => {
  const { gate, world } = setUp();
  world.current = { ...(world.current ?? expect.fail()), runtimeId: "r2" };
  const prepared = gate.prepare("runtime:r1", guards({ forceStale: true }), "cli");
  expect(() => gate.verify(prepared)).toThrow(code("E_STALE_SNAPSHOT"));
});

test("an action that answers a prompt is bound to it, and needs one", () => {
  const { gate, world } = setUp();
  const current = world.current ?? expect.fail();
  const prepared = gate.prepare("runtime:r1", guards({ forceStale: true }), "cli", { bindsPrompt: true });
  expect(gate.verify(prepared).snapshot.promptFingerprint).toBe("prompt");
  world.current = { ...current, fingerprint: "another" };
  expect(() => gate.verify(prepared)).toThrow(code("E_STALE_SNAPSHOT"));
  world.current = { ...current, fingerprint: null };
  expect(() => gate.prepare("runtime:r1", guards(), "cli", { bindsPrompt: true })).toThrow(
    code("E_STALE_SNAPSHOT", ["the screen shows no open prompt, or another prompt than the announced one"]),
  );
});

test("a snapshot that is not on record, or has another nonce, permits nothing", () => {
  const { gate, snapshots } = setUp();
  const prepared = gate.prepare("runtime:r1", guards(), "cli");
  snapshots.set("snap1", { ...prepared.snapshot, nonce: "other" });
  expect(() => gate.verify(prepared)).toThrow(code("E_STALE_SNAPSHOT"));
  snapshots.clear();
  expect(() => gate.verify(prepared)).toThrow(code("E_STALE_SNAPSHOT"));
});

const act = (action: VerifiedAction): string => action.snapshot.snapshotId;

test("by type, nothing but the gate makes a permission to act", () => {
  const { gate } = setUp();
  const prepared: PreparedAction = gate.prepare("runtime:r1", guards(), "cli");
  // @ts-expect-error A prepared action has not been compared with the present.
  act(prepared);
  // @ts-expect-error A look-alike has no seal.
  act({ snapshot: prepared.snapshot, subject: prepared.subject, surface: "cli" });
  expect(act(gate.verify(prepared))).toBe("snap1");
});

test("the next step of an action that has begun needs the same runtime, not the same state", () => {
  const { gate, world } = setUp();
  const current = world.current ?? expect.fail();
  const action = gate.verify(gate.prepare("runtime:r1", guards({ ifState: "waiting_approval" }), "cli"));
  world.now = 60_000;
  world.current = { ...current, stateVersion: 9, state: "running" };
  expect(gate.renew(action)).toBe(action);
  world.current = { ...current, processAlive: false };
  expect(() => gate.renew(action)).toThrow(code("E_STALE_SNAPSHOT"));
  world.current = { ...current, runtimeId: "r2" };
  expect(() => gate.renew(action)).toThrow(code("E_STALE_SNAPSHOT"));
});
