import { expect, test } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openStore } from "./openStore.ts";
import {
  sampleEvidence,
  samplePending,
  sampleRuntime,
  sampleState,
  sampleTransition,
} from "./testkit/samples.ts";
import { listEvidence } from "./testkit/listEvidence.ts";
import { useStore } from "./testkit/useStore.ts";

let store: Store;
useStore(
  (path) => openStore({ path, logger: SILENT_LOGGER }),
  (opened) => (store = opened),
);

const NOTHING: ReadonlySet<string> = new Set();

const insertEvents = (runtimeId: string, ...ingestedAt: number[]): void => {
  for (const at of ingestedAt) {
    const id = `${runtimeId}-${at}`;
    store.insertEvent(sampleEvidence({ runtimeId, eventId: id, dedupeKey: id, ingestedAt: at }), null);
  }
};
const eventsOf = (runtimeId: string): string[] =>
  listEvidence(store, runtimeId).map(({ evidence }) => evidence.eventId);

test("evidence goes by age, but what a living runtime's candidate points to stays", () => {
  store.insertRuntime(sampleRuntime());
  insertEvents("r1", 10, 20, 30);
  expect(store.prune({ olderThan: 25, maxEvents: 100, keepEventIds: new Set(["r1-10"]) })).toBe(1);
  expect(eventsOf("r1")).toEqual(["r1-10", "r1-30"]);
});

test("evidence goes by number, oldest first, sparing the kept", () => {
  store.insertRuntime(sampleRuntime());
  insertEvents("r1", 10, 20, 30, 40);
  expect(store.prune({ olderThan: 0, maxEvents: 2, keepEventIds: new Set(["r1-10"]) })).toBe(2);
  expect(eventsOf("r1")).toEqual(["r1-10", "r1-40"]);
});

test("transitions go by number too, oldest first: what a heavy day leaves is bounded", () => {
  for (const at of [10, 20, 30, 40]) store.appendTransition(sampleTransition({ at }));
  expect(store.prune({ olderThan: 0, maxEvents: 3, keepEventIds: NOTHING })).toBe(1);
  expect(store.transitionRange()).toEqual({ first: 2, last: 4 });
});

test("an ended runtime goes with its evidence and cursors; the kept list does not hold it", () => {
  store.insertRuntime(sampleRuntime({ paneEpoch: 3 }));
  insertEvents("r1", 10, 1_000);
  store.putCursor({
    runtimeId: "r1",
    source: "hook",
    lastSourceSeq: null,
    lastOrderEventTime: 1,
    lastOrderIngestedAt: 1,
    lastOrderEventId: "r1-10",
  });
  store.endRuntime("r1", 50, "exited");
  expect(store.prune({ olderThan: 100, maxEvents: 100, keepEventIds: new Set(["r1-10"]) })).toBe(3);
  expect([store.getRuntime("r1"), store.getCursor("r1", "hook"), eventsOf("r1")]).toEqual([null, null, []]);
  expect(store.lastPaneEpoch(sampleRuntime())).toBe(3);
});

test("an ended runtime that is still shown stays", () => {
  store.insertRuntime(sampleRuntime());
  store.putState(sampleState());
  store.endRuntime("r1", 50, "crashed");
  expect(store.prune({ olderThan: 100, maxEvents: 100, keepEventIds: NOTHING })).toBe(0);
  expect(store.getRuntime("r1")).not.toBeNull();
});

test("the newest transition survives, and versions go on where they were", () => {
  const versions = [1, 2, 3].map((at) => store.appendTransition(sampleTransition({ at })));
  expect(store.prune({ olderThan: 100, maxEvents: 100, keepEventIds: NOTHING })).toBe(2);
  expect(store.transitionRange()).toEqual({ first: versions[2], last: versions[2] });
  expect(store.appendTransition(sampleTransition())).toBe((versions[2] ?? Number.NaN) + 1);
});

test("audit, snapshots, spool names and pending events go by age, and the highest ingest time is not forgotten", () => {
  for (const at of [10, 200]) {
    store.rememberSpoolName("t1", `spool-${at}`, at);
    store.addPending(samplePending({ ingestedAt: at }, { spoolName: `spool-${at}` }));
    store.insertSnapshot({
      snapshotId: `s${at}`,
      targetId: "t1",
      server: "default",
      paneId: "%1",
      runtimeId: null,
      stateVersion: 0,
      observedAt: at,
      expiresAt: at,
      nonce: "n",
      promptFingerprint: null,
    });
    store.appendAudit({
      actionId: `a${at}`,
      at,
      surface: "cli",
      action: "attach",
      ref: "runtime:r1",
      runtimeId: "r1",
      snapshotId: null,
      outcome: "ok",
      promptFingerprint: null,
      textLength: null,
    });
    store.claimKey({ scope: "r1", key: `k${at}`, actionId: `a${at}`, at });
  }
  expect(store.prune({ olderThan: 100, maxEvents: 100, keepEventIds: NOTHING })).toBe(5);
  const isNew = (spoolName: string): boolean => store.rememberSpoolName("t1", spoolName, 200);
  expect([isNew("spool-10"), isNew("spool-200")]).toEqual([true, false]);
  expect(store.listPending().map((event) => event.envelope.spoolName)).toEqual(["spool-200"]);
  expect([store.getSnapshot("s10"), store.getSnapshot("s200")?.snapshotId]).toEqual([null, "s200"]);
  expect(store.listAudit(10).map((entry) => entry.actionId)).toEqual(["a200"]);
  store.prune({ olderThan: 1_000, maxEvents: 0, keepEventIds: NOTHING });
  expect(store.lastIngestedAt()).toBe(200);
});
