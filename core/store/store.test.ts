// The contract of core/ports/store.ts on a real file.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SILENT_LOGGER, type Logger } from "../ports/logger.ts";
import { requestView } from "../model/request.ts";
import type { Store } from "../ports/store.ts";
import { openStore } from "./openStore.ts";
import {
  sampleEvidence,
  samplePane,
  samplePending,
  sampleResolution,
  sampleRuntime,
  sampleState,
  sampleTarget,
  sampleTransition,
  sampleView,
} from "./testkit/samples.ts";
import { listEvidence } from "./testkit/listEvidence.ts";

let folder: string;
let path: string;
let store: Store;
let warnings: Record<string, unknown>[];

const logger: Logger = { ...SILENT_LOGGER, warn: (fields) => warnings.push(fields), child: () => logger };
const open = (): Store => openStore({ path, logger });
const reopen = (): void => {
  store.close();
  store = open();
};
/** Runs SQL on the file while the store is closed. */
const tamper = (sql: string): void => {
  store.close();
  const db = new BetterSqlite3(path);
  db.exec(sql);
  db.close();
  store = open();
};
const storedText = (): string => {
  const db = new BetterSqlite3(path, { readonly: true });
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  const text = JSON.stringify(tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all()));
  db.close();
  return text;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-store-"));
  path = join(folder, "state.db");
  warnings = [];
  store = open();
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("aggregates", () => {
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
    expect(storedText()).toContain('"end_reason":"exited"');
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
      { row: a, evidence: first },
      { row: b, evidence: second },
    ]);
    expect(b).toBeGreaterThan(a ?? Number.NaN);
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
    store.rememberSpoolName("t1", "a", 1);
    store.rememberSpoolName("t1", "a", 2);
    reopen();
    expect([store.isSpoolNameKnown("t1", "a"), store.isSpoolNameKnown("t2", "a")]).toEqual([true, false]);
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
    expect(storedText()).toContain('"version":"2","capabilities":"{\\"x\\":true}","enabled":0');
  });
});

describe("what is stored", () => {
  test("holds no secret, wherever it came in", () => {
    const secret = `sk-ant-${"A1b2C3d4".repeat(5)}`;
    const request = {
      ...(sampleResolution().request ?? expect.fail()),
      title: `run ${secret}`,
      body: `curl -H "Authorization: Bearer ${secret}"`,
      options: [{ label: `Yes, allow ${secret}`, keys: null }],
    };
    const verdict = {
      eventId: "e1",
      source: "poller" as const,
      eventType: "screen",
      lane: "turn",
      status: { state: "running", reasonCode: "tool" } as const,
      confidence: "high" as const,
      eventTime: 1,
      outcome: "won" as const,
      rule: "newest",
      matched: `saw ${secret}`,
    };
    const resolution = sampleResolution({ request, verdicts: [verdict] });
    store.insertRuntime(sampleRuntime());
    store.insertEvent(
      sampleEvidence({
        signal: {
          kind: "observation",
          status: verdict.status,
          confidence: "high",
          matched: `key ${secret}`,
          request,
          since: 1,
          reads: 2,
          lastDialogSeenAt: null,
          onset: "seen",
          steady: false,
        },
      }),
      { tool_input: { command: `export KEY=${secret}` }, password: secret },
    );
    store.addPending(samplePending({}, { payload: { prompt: `use ${secret}` } }));
    store.putState(sampleState({ resolution }));
    store.appendTransition(
      sampleTransition({ resolution, view: sampleView({ request: requestView(request), title: secret }) }),
    );
    reopen();
    expect(storedText()).not.toContain(secret);
    expect(listEvidence(store, "r1")).toHaveLength(1);
    expect(store.listStates()).toHaveLength(1);
    expect(store.listTransitionsAfter(0, 10)).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test("gives a transition that was stored with the older names of a request's fields", () => {
    const request = { kind: "command" as const, title: "Bash", body: "ls", toolName: "Bash", options: [] };
    const stored = { ...request, expiresAt: 1_800_000_000_000, textEntry: ["3"] };
    store.appendTransition(sampleTransition({ view: sampleView() }));
    reopen();
    const db = new BetterSqlite3(path);
    db.prepare("UPDATE state_transitions SET view = json_set(view, '$.request', json(?))").run(
      JSON.stringify(stored),
    );
    db.close();
    expect(store.listTransitionsAfter(0, 10).map(({ view }) => view.request)).toEqual([
      {
        kind: "command",
        title: "Bash",
        body: "ls",
        tool_name: "Bash",
        options: [],
        expires_at: "2027-01-15T08:00:00.000Z",
        text_entry: ["3"],
      },
    ]);
    expect(warnings).toEqual([]);
  });

  test("is readable by its owner only, the log included", () => {
    store.upsertTarget(sampleTarget());
    const modes = ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test("a row that no longer parses is left out and logged without its content", () => {
    store.insertRuntime(sampleRuntime());
    store.insertEvent(sampleEvidence(), null);
    store.insertEvent(sampleEvidence({ eventId: "e2", dedupeKey: "e2" }), null);
    store.putState(sampleState());
    store.appendTransition(sampleTransition());
    store.addPending(samplePending());
    store.replacePanes("t1", "default", [samplePane()]);
    tamper(`
      UPDATE events SET signal = '{"kind":"gossip"}' WHERE event_id = 'e1';
      UPDATE states SET resolution = 'not json';
      UPDATE state_transitions SET pulse = 'null';
      UPDATE pending_events SET envelope = '[]';
      UPDATE panes SET detail = 'null';
      UPDATE runtimes SET pane_id = 'hostile';`);
    expect(listEvidence(store, "r1").map(({ evidence }) => evidence.eventId)).toEqual(["e2"]);
    expect(store.listStates()).toEqual([]);
    expect(store.listTransitionsAfter(0, 10)).toEqual([]);
    expect(store.listPending()).toEqual([]);
    expect(store.listPanes()).toEqual([]);
    expect(store.getRuntime("r1")).toBeNull();
    expect(warnings.map((fields) => fields["table"])).toEqual([
      "events",
      "states",
      "state_transitions",
      "pending_events",
      "panes",
      "runtimes",
    ]);
    expect(JSON.stringify(warnings)).not.toMatch(/gossip|hostile|not json/);
  });
});

const insert = (id: string): void => {
  store.insertEvent(sampleEvidence({ eventId: id, dedupeKey: id }), null);
};
const stored = (): string[] => listEvidence(store, "r1").map(({ evidence }) => evidence.eventId);
const fail = (): never => {
  throw new Error("bad event");
};

describe("transactions", () => {
  beforeEach(() => store.insertRuntime(sampleRuntime()));

  test("a throw undoes everything and comes through", () => {
    expect(() =>
      store.transaction(() => {
        insert("a");
        fail();
      }),
    ).toThrow("bad event");
    expect(stored()).toEqual([]);
    expect(store.lastIngestedAt()).toBe(0);
  });

  test("a failing savepoint undoes its own part and leaves the rest", () => {
    const result = store.transaction(() => {
      store.savepoint(() => insert("a"));
      expect(() =>
        store.savepoint(() => {
          insert("b");
          store.savepoint(() => insert("c"));
          fail();
        }),
      ).toThrow("bad event");
      expect(() => store.savepoint(() => insert("a2"))).not.toThrow();
      return "done";
    });
    expect(result).toBe("done");
    reopen();
    expect(stored()).toEqual(["a", "a2"]);
  });

  test("a database error inside a savepoint leaves the rest too", () => {
    store.transaction(() => {
      store.savepoint(() => insert("a"));
      expect(() =>
        store.savepoint(() => store.insertEvent(sampleEvidence({ runtimeId: "nobody", eventId: "x" }), null)),
      ).toThrow(/FOREIGN KEY/);
      store.savepoint(() => insert("b"));
    });
    expect(stored()).toEqual(["a", "b"]);
  });

  test("states, cursors and the mark of a batch are there after it, those of a failed savepoint are not", () => {
    store.transaction(() => {
      store.savepoint(() => {
        insert("a");
        store.putState(sampleState({ stateVersion: 1 }));
        store.putState(sampleState({ stateVersion: 2 }));
      });
      expect(() =>
        store.savepoint(() => {
          insert("b");
          store.putState(sampleState({ stateVersion: 3 }));
          fail();
        }),
      ).toThrow("bad event");
    });
    reopen();
    expect(store.listStates()).toEqual([sampleState({ stateVersion: 2 })]);
    store.transaction(() => {
      store.putState(sampleState({ stateVersion: 4 }));
      expect(store.listStates()).toEqual([sampleState({ stateVersion: 4 })]);
      store.deleteState("r1");
    });
    expect(store.listStates()).toEqual([]);
  });

  test("misuse is refused: nesting, a savepoint outside, asynchronous work", () => {
    expect(() => store.savepoint(() => insert("a"))).toThrow(/outside of a transaction/);
    expect(() => store.transaction(() => store.transaction(() => insert("a")))).toThrow(/already in one/);
    expect(() => store.transaction(async () => insert("a"))).toThrow(/promise/);
    expect(stored()).toEqual([]);
  });
});

test("what was committed survives SIGKILL", async () => {
  store.insertRuntime(sampleRuntime());
  store.close();
  const script = `
    import { openStore } from ${JSON.stringify(new URL("openStore.ts", import.meta.url).href)};
    import { sampleEvidence } from ${JSON.stringify(new URL("testkit/samples.ts", import.meta.url).href)};
    import { SILENT_LOGGER } from ${JSON.stringify(new URL("../ports/logger.ts", import.meta.url).href)};
    import { writeSync } from "node:fs";
    const store = openStore({ path: process.argv[1], logger: SILENT_LOGGER });
    for (let batch = 0; ; batch += 1) {
      store.transaction(() => {
        for (const n of [0, 1, 2]) {
          const id = batch + "-" + n;
          store.insertEvent(sampleEvidence({ eventId: id, dedupeKey: id }), { text: "x".repeat(500) });
        }
      });
      writeSync(1, batch + "\\n");
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_code, signal) => resolve(signal));
  });
  let lastReported = -1;
  // Reads on to the end, so that every batch reported before the kill counts.
  for await (const line of createInterface({ input: child.stdout })) {
    lastReported = Number(line);
    if (lastReported === 200) child.kill("SIGKILL");
  }
  expect(await exited).toBe("SIGKILL");
  store = open();
  const ids = listEvidence(store, "r1").map(({ evidence }) => evidence.eventId);
  const expected = Array.from({ length: lastReported + 1 }, (_, batch) =>
    [0, 1, 2].map((n) => `${batch}-${n}`),
  ).flat();
  expect(lastReported).toBeGreaterThanOrEqual(200);
  expect(ids.slice(0, expected.length)).toEqual(expected);
  // A batch is there as a whole or not at all.
  expect(ids.length % 3).toBe(0);
});
