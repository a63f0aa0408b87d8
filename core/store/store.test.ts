// The contract of core/ports/store.ts on a real file: stored values come out again, also after reopening.
import { expect, test } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openStore } from "./openStore.ts";
import { listEvidence } from "./testkit/listEvidence.ts";
import {
  sampleEvidence,
  samplePane,
  samplePending,
  sampleRuntime,
  sampleState,
  sampleTarget,
  sampleTransition,
} from "./testkit/samples.ts";
import { storedText } from "./testkit/storedText.ts";
import { useStore } from "./testkit/useStore.ts";

let store: Store;
const { file, reopen } = useStore(
  (path) => openStore({ path, logger: SILENT_LOGGER }),
  (opened) => (store = opened),
);

test("targets are upserted by id and survive reopening", () => {
  store.upsertTarget(sampleTarget());
  const changed = sampleTarget({
    health: "down",
    healthReason: "refused",
    lastSeenAt: 5.5,
    isDefault: false,
  });
  store.upsertTarget(changed);
  const other = sampleTarget({ targetId: "t2", targetName: "vm", kind: "ssh", connectionRef: "alias" });
  store.upsertTarget(other);
  reopen();
  expect(store.listTargets()).toEqual([other, changed]);
});

test("panes of one server are made equal to the list, others stay, unchanged rows keep their time", () => {
  const elsewhere = samplePane({ server: "other" });
  store.replacePanes("t1", "other", [elsewhere]);
  store.replacePanes("t1", "default", [
    samplePane(),
    samplePane({ paneId: "%2" }),
    samplePane({ paneId: "%3" }),
  ]);
  const moved = samplePane({ paneId: "%2", windowId: "@9", updatedAt: 2_000 });
  store.replacePanes("t1", "default", [samplePane({ updatedAt: 2_000 }), moved]);
  reopen();
  expect(store.listPanes()).toEqual([samplePane(), moved, elsewhere]);
});

test("a pane's title and its window's name are stored without secrets", () => {
  const secret = `ghp_${"A1b2C3d4E5f6".repeat(3)}`;
  store.replacePanes("t1", "default", [samplePane({ title: `x ${secret}`, windowName: secret })]);
  expect(store.listPanes()).toEqual([samplePane({ title: "x [redacted]", windowName: "[redacted]" })]);
});

test("panes of another server are refused as a whole", () => {
  expect(() =>
    store.replacePanes("t1", "default", [samplePane(), samplePane({ server: "other", paneId: "%2" })]),
  ).toThrow(/belongs to another server/);
  expect(store.listPanes()).toEqual([]);
});

test("a runtime lives until it ends once", () => {
  store.insertRuntime(sampleRuntime());
  store.insertRuntime(sampleRuntime({ runtimeId: "r2", server: "other" }));
  store.setAgentSessionId("r1", "session");
  store.endRuntime("r1", 2_000, "exited");
  store.endRuntime("r1", 3_000, "crashed");
  reopen();
  expect(store.getRuntime("r1")).toEqual(sampleRuntime({ agentSessionId: "session", endedAt: 2_000 }));
  expect(store.listLiveRuntimes().map((runtime) => runtime.runtimeId)).toEqual(["r2"]);
  expect(store.getRuntime("none")).toBeNull();
  expect(storedText(file())).toContain('"end_reason":"exited"');
});

test("two runtimes cannot have one epoch, and epochs are counted per pane of a server", () => {
  store.insertRuntime(sampleRuntime({ paneEpoch: 4 }));
  expect(() => store.insertRuntime(sampleRuntime({ runtimeId: "r2", paneEpoch: 4 }))).toThrow(/UNIQUE/);
  expect(store.lastPaneEpoch(sampleRuntime())).toBe(4);
  expect(store.lastPaneEpoch(sampleRuntime({ server: "other" }))).toBe(0);
});

test("evidence is stored once per runtime, source and dedupe key, and comes back in order", () => {
  store.insertRuntime(sampleRuntime());
  const first = sampleEvidence();
  const second = sampleEvidence({ eventId: "e2", source: "poller", ingestedAt: 999, sourceSeq: 7 });
  const a = store.insertEvent(first, { session_id: "s" });
  const b = store.insertEvent(second, null);
  expect(store.insertEvent(sampleEvidence({ eventId: "e3", ingestedAt: 5_000 }), null)).toBeNull();
  reopen();
  expect(listEvidence(store, "r1")).toEqual([
    { row: a?.row, evidence: first },
    { row: b?.row, evidence: second },
  ]);
  expect(b?.row).toBeGreaterThan(a?.row ?? Number.NaN);
  expect(store.lastIngestedAt()).toBe(1_001);
});

test("the same event id under another key is an error, not silence", () => {
  store.insertRuntime(sampleRuntime());
  store.insertEvent(sampleEvidence(), null);
  expect(() => store.insertEvent(sampleEvidence({ dedupeKey: "other" }), null)).toThrow(/UNIQUE/);
});

test("cursors are kept per runtime and source", () => {
  store.insertRuntime(sampleRuntime());
  const cursor = {
    runtimeId: "r1",
    source: "hook" as const,
    lastSourceSeq: null,
    lastOrderEventTime: 1.5,
    lastOrderIngestedAt: 2,
    lastOrderEventId: "e1",
  };
  store.putCursor(cursor);
  store.putCursor({ ...cursor, lastSourceSeq: 3, lastOrderEventId: "e2" });
  reopen();
  expect(store.getCursor("r1", "hook")).toEqual({ ...cursor, lastSourceSeq: 3, lastOrderEventId: "e2" });
  expect(store.getCursor("r1", "poller")).toBeNull();
});

test("a pending event is held once, also without a server, until it is removed", () => {
  const unknown = samplePending();
  const known = samplePending({ server: "default", ingestedAt: 7_000 });
  expect([store.addPending(unknown), store.addPending(unknown), store.addPending(known)]).toEqual([
    true,
    false,
    true,
  ]);
  reopen();
  expect(store.listPending()).toEqual([unknown, known]);
  store.removePending(unknown);
  expect(store.listPending()).toEqual([known]);
  expect(store.lastIngestedAt()).toBe(7_000);
});

test("spool names are remembered per target", () => {
  const isNew = (targetId: string): boolean => store.rememberSpoolName(targetId, "a", 1);
  expect([isNew("t1"), isNew("t1")]).toEqual([true, false]);
  reopen();
  expect([isNew("t1"), isNew("t2")]).toEqual([false, true]);
});

test("a pane has one state: the newer runtime takes over", () => {
  store.insertRuntime(sampleRuntime());
  store.insertRuntime(sampleRuntime({ runtimeId: "r2", paneEpoch: 2 }));
  store.insertRuntime(sampleRuntime({ runtimeId: "r3", server: "other" }));
  store.putState(sampleState());
  const newer = sampleState({ runtimeId: "r2", stateVersion: 2, fingerprint: null });
  store.putState(newer);
  const elsewhere = sampleState({ runtimeId: "r3", server: "other" });
  store.putState(elsewhere);
  reopen();
  expect(store.listStates()).toEqual([newer, elsewhere]);
  store.deleteState("r2");
  expect(store.listStates()).toEqual([elsewhere]);
});

test("transitions are numbered upwards and read both ways", () => {
  expect(store.transitionRange()).toEqual({ first: 0, last: 0 });
  const end = sampleTransition({ at: 3_000, resolution: null, end: "crashed", previousState: "running" });
  const versions = [
    store.appendTransition(sampleTransition()),
    store.appendTransition(sampleTransition({ at: 2_000, runtimeId: "r2" })),
    store.appendTransition(end),
  ];
  reopen();
  const [a = 0, b = 0, c = 0] = versions;
  expect(store.listTransitionsAfter(a, 10).map((t) => t.version)).toEqual([b, c]);
  expect(store.listTransitionsAfter(0, 1)).toEqual([{ ...sampleTransition(), version: a }]);
  expect(store.listTransitionsOf("r1", 1)).toEqual([{ ...end, version: c }]);
  expect(store.transitionRange()).toEqual({ first: a, last: c });
  expect([
    store.firstVersionSince(1_500),
    store.firstVersionSince(2_000),
    store.firstVersionSince(3_001),
  ]).toEqual([b, b, null]);
});

test("snapshots, audit and adapters are kept", () => {
  const snapshot = {
    snapshotId: "s1",
    targetId: "t1",
    server: "default",
    paneId: "%1",
    runtimeId: null,
    stateVersion: 0,
    observedAt: 1,
    expiresAt: 2,
    nonce: "n",
    promptFingerprint: "p",
  };
  const entry = {
    actionId: "a1",
    at: 1,
    surface: "cli",
    action: "attach",
    ref: "pane:host/work/@1/%1",
    runtimeId: "r1",
    snapshotId: "s1",
    outcome: "ok",
    promptFingerprint: null,
    textLength: 12,
  };
  store.insertSnapshot(snapshot);
  store.appendAudit(entry);
  store.appendAudit({ ...entry, outcome: "second" });
  const adapter = {
    adapterName: "a",
    agentType: "a",
    version: "1",
    capabilities: { x: true },
    enabled: true,
    updatedAt: 1,
  };
  store.upsertAdapter(adapter);
  store.upsertAdapter({ ...adapter, version: "2", enabled: false });
  reopen();
  expect(store.getSnapshot("s1")).toEqual(snapshot);
  expect(store.getSnapshot("s2")).toBeNull();
  expect(store.listAudit(10)).toEqual([{ ...entry, outcome: "second" }, entry]);
  expect(storedText(file())).toContain('"version":"2","capabilities":"{\\"x\\":true}","enabled":0');
});

test("a key is taken once per scope, tells who has it, survives a restart and can be given back", () => {
  const claim = { scope: "r1", key: "k", actionId: "a1", at: 5 };
  expect(store.claimKey(claim)).toBeNull();
  expect(store.claimKey({ ...claim, scope: "r2" })).toBeNull();
  expect(store.claimKey({ ...claim, actionId: "a2" })).toEqual({ actionId: "a1", at: 5, result: null });
  store.settleKey("r1", "k", "{}");
  store.releaseKey("r2", "k");
  reopen();
  expect(store.claimKey({ ...claim, actionId: "a3" })).toEqual({ actionId: "a1", at: 5, result: "{}" });
  expect(store.claimKey({ ...claim, scope: "r2", actionId: "a4" })).toBeNull();
});
