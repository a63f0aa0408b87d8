// The content of the file: it holds no secret, nobody else can read it, and rows that no longer parse do no harm.
import { statSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { requestView } from "../model/request.ts";
import { SILENT_LOGGER, type Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openStore } from "./openStore.ts";
import { listEvidence } from "./testkit/listEvidence.ts";
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
import { storedText } from "./testkit/storedText.ts";
import { useStore } from "./testkit/useStore.ts";

let store: Store;
let warnings: Record<string, unknown>[];

const logger: Logger = { ...SILENT_LOGGER, warn: (fields) => warnings.push(fields), child: () => logger };
const { file, reopen } = useStore(
  (path) => openStore({ path, logger }),
  (opened) => (store = opened),
);
/** Runs SQL on the file while the store is closed. */
const tamper = (sql: string): void =>
  reopen((path) => {
    const db = new BetterSqlite3(path);
    db.exec(sql);
    db.close();
  });

beforeEach(() => {
  warnings = [];
});

test("the file holds no secret, wherever it came in", () => {
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
  expect(storedText(file())).not.toContain(secret);
  expect(listEvidence(store, "r1")).toHaveLength(1);
  expect(store.listStates()).toHaveLength(1);
  expect(store.listTransitionsAfter(0, 10)).toHaveLength(1);
  expect(warnings).toEqual([]);
});

test("what an agent does is stored once, redacted, with its state, and not with every transition", () => {
  const secret = `sk-ant-${"A1b2C3d4".repeat(5)}`;
  const activity = {
    prompt: `use ${secret}`,
    session_title: null,
    tool: { name: "Bash", subject: `echo ${secret}` },
    said: null,
    folder: "/home/ann/shop",
    repository: null,
    branch: "main",
    worktree: null,
    work_tree: null,
    turn_began_at: null,
  };
  store.insertRuntime(sampleRuntime());
  store.putState(sampleState({ activity }));
  store.appendTransition(sampleTransition({ view: sampleView({ activity }) }));
  reopen();
  expect(storedText(file())).not.toContain(secret);
  expect(store.listTransitionsAfter(0, 10)[0]?.view.activity).toBeNull();
  expect(store.listStates()[0]?.activity).toMatchObject({ folder: "/home/ann/shop", branch: "main" });
});

test("the file is readable by its owner only, the log included", () => {
  store.upsertTarget(sampleTarget());
  const modes = ["", "-wal", "-shm"].map((suffix) => statSync(file() + suffix).mode & 0o777);
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
