// A database with something in each of its tables, as one release leaves it to the next: kept once for each schema that was released
// (scripts/keepDatabase.ts), and read again by every later version.
import { listEvidence } from "../../core/store/testkit/listEvidence.ts";
import {
  sampleEvidence,
  samplePane,
  samplePending,
  sampleRuntime,
  sampleState,
  sampleTarget,
  sampleTransition,
} from "../../core/store/testkit/samples.ts";
import type { FirstJob } from "../../core/model/job.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { Store } from "../../core/ports/store.ts";
import { makeSendJob, makeWatchJob } from "./job.ts";

const CLAIM = { scope: "r1", key: "key", actionId: "a1", at: 5_000 };
const ARMED = { hash: "h1", rule: "look", at: 1_000, surface: "cli" };
const LIMIT = 100;
/** Nothing that is armed is over when a later version looks. */
const IN_2100 = Date.UTC(2100, 0);
/** As the daemon names this machine. */
const HERE = { targetId: HOST_TARGET };

const firstText: FirstJob = {
  jobId: "first",
  kind: "first",
  createdAt: 1_000,
  surface: "cli",
  state: "armed",
  expiresAt: IN_2100,
  runs: 0,
  maxRuns: 1,
  place: { agentType: "agent", target: "host", server: "default", paneId: "%2", life: "1 2 3" },
  text: "write the tests",
  isVolatile: false,
};

const fillTopology = (store: Store): void => {
  store.upsertTarget(sampleTarget(HERE));
  store.upsertTarget(
    sampleTarget({ targetId: "t2", targetName: "vm1", kind: "ssh", connectionRef: "vm1", isDefault: false }),
  );
  store.replacePanes(HOST_TARGET, "default", [samplePane(HERE), samplePane({ ...HERE, paneId: "%2" })]);
  store.insertRuntime(sampleRuntime(HERE));
  store.insertRuntime(
    sampleRuntime({ ...HERE, runtimeId: "r2", paneId: "%2", name: "docs", mutedUntil: 9_000 }),
  );
  store.setAgentSessionId("r1", "session");
  store.endRuntime("r2", 2_000, "crashed");
  store.upsertAdapter({
    adapterName: "agent",
    agentType: "agent",
    version: "1",
    capabilities: { answer: true },
    enabled: true,
    updatedAt: 1_000,
  });
};

const fillStates = (store: Store): void => {
  store.insertEvent(sampleEvidence(), { session_id: "session" }, { actionId: "a1", sourceEventId: "own-1" });
  store.putCursor({
    runtimeId: "r1",
    source: "hook",
    lastSourceSeq: 7,
    lastOrderEventTime: 1_000.25,
    lastOrderIngestedAt: 1_001,
    lastOrderEventId: "e1",
  });
  store.addPending(samplePending(HERE));
  store.rememberSpoolName(HOST_TARGET, "spool-0", 1_000);
  const stateVersion = store.appendTransition(sampleTransition({ actionId: "a1" }));
  store.appendTransition(sampleTransition({ runtimeId: "r2", at: 2_000, resolution: null, end: "crashed" }));
  store.putState(sampleState({ ...HERE, stateVersion }));
};

const fillActions = (store: Store): void => {
  const common = { runtimeId: "r1", promptFingerprint: "p" };
  store.insertSnapshot({
    ...common,
    snapshotId: "s1",
    ...HERE,
    server: "default",
    paneId: "%1",
    stateVersion: 1,
    observedAt: 1_000,
    expiresAt: 9_000,
    nonce: "nonce",
  });
  store.appendAudit({
    ...common,
    actionId: "a1",
    at: 1_000,
    surface: "cli",
    action: "answer",
    ref: "pane:host/work/@1/%1",
    snapshotId: "s1",
    outcome: "ok",
    textLength: null,
  });
  store.claimKey(CLAIM);
  store.settleKey(CLAIM.scope, CLAIM.key, '{"outcome":"ok"}');
};

const fillAutomation = (store: Store): void => {
  store.insertJob(
    makeWatchJob(
      { kind: "quiet", forMs: 60_000 },
      { jobId: "watch", expiresAt: IN_2100, createdAt: 1_000, maxRuns: 2 },
    ),
  );
  store.insertJob(makeSendJob({ jobId: "send", expiresAt: IN_2100, createdAt: 2_000 }));
  store.insertJob(firstText);
  store.recordRun({ jobId: "watch", at: 2_000, runtimeId: "r1", outcome: "told" });
  store.setPausedAt(3_000);
  store.armRule(ARMED);
  store.insertRuleRun({
    rule: "look",
    hash: "h1",
    at: 1_500,
    runtimeId: "r1",
    ref: "pane:host/work/@1/%1",
    fingerprint: "p",
    verdict: "approve",
    command: "git status",
    outcome: "approved",
    actionId: "a1",
  });
};

export const fillStore = (store: Store): void => {
  for (const fill of [fillTopology, fillStates, fillActions, fillAutomation]) fill(store);
};

/** All that the port gives back of a filled store. Changes nothing in it, because nothing that it asks for is new. */
export const readFilledStore = (store: Store) => ({
  targets: store.listTargets(),
  panes: store.listPanes(),
  runtimes: ["r1", "r2"].map((id) => store.getRuntime(id)),
  live: store.listLiveRuntimes().map(({ runtimeId }) => runtimeId),
  epoch: store.lastPaneEpoch(sampleRuntime(HERE)),
  evidence: listEvidence(store, "r1"),
  cursor: store.getCursor("r1", "hook"),
  ingestedAt: store.lastIngestedAt(),
  pending: store.listPending(),
  isSpoolNameNew: store.rememberSpoolName(HOST_TARGET, "spool-0", 1_000),
  states: store.listStates(),
  transitions: store.listTransitionsAfter(0, LIMIT),
  snapshot: store.getSnapshot("s1"),
  audit: store.listAudit(LIMIT),
  aftermath: store.listAftermath(["a1"]),
  keyOf: store.claimKey({ ...CLAIM, actionId: "a2" })?.result ?? null,
  jobs: store.listJobs(LIMIT),
  runs: store.listRuns("watch", LIMIT),
  pausedAt: store.pausedAt(),
  armed: store.listArmedRules(),
  ruleRuns: store.listRuleRuns(LIMIT),
});
