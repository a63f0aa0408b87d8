// OpenCode 2 tells all its terminals' events from one background service, whose environment names the pane that started it: whose
// row each event moves. The events are played as our plugin writes them; nobody could run it here.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOpencodeAdapter } from "../../adapters/opencode/index.ts";
import type { Ingest } from "../../core/ingest/ingest.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import type { Store } from "../../core/ports/store.ts";
import { openStore } from "../../core/store/openStore.ts";
import {
  addTarget,
  buildIngest,
  HandClock,
  INSTANCE,
  listPanes,
  SOCKET,
  somePane,
} from "../factories/ingest.ts";

const adapter = createOpencodeAdapter();
/** Of the service; it runs in no pane. */
const SERVICE_PID = 900;

let store: Store;
let ingest: Ingest;
let clock: HandClock;
let count = 0;

/** Terminals in the folders of %1 and %2, and a third one in that of %2. */
const FOLDERS = { "%1": "/home/dev/one", "%2": "/home/dev/two", "%3": "/home/dev/two" };

beforeEach(() => {
  clock = new HandClock();
  store = openStore({
    path: join(mkdtempSync(join(tmpdir(), "agtmux-service-")), "state.db"),
    logger: SILENT_LOGGER,
  });
  ingest = buildIngest({ store, clock, adapterOf: (type) => (type === "opencode" ? adapter : null) });
  addTarget(ingest, HOST_TARGET, clock.now());
  const ids = Object.keys(FOLDERS);
  listPanes(
    ingest,
    HOST_TARGET,
    INSTANCE,
    ids.map((id, index) => somePane(id, { panePid: 500 + index })),
  );
  for (const [index, paneId] of ids.entries())
    ingest.applyRecognised(
      { targetId: HOST_TARGET, server: "default", paneId },
      {
        agentType: "opencode",
        process: {
          pid: 600 + index,
          ppid: 500 + index,
          comm: "opencode",
          args: "opencode",
          startedAt: clock.now() - 5_000,
        },
      },
    );
  for (const { runtime } of ingest.watchedRuntimes(HOST_TARGET))
    ingest.setProcessCwd(runtime.runtimeId, folderOf(runtime.paneId));
});
afterEach(() => store.close());

const folderOf = (paneId: string): string | null =>
  Object.entries(FOLDERS).find(([id]) => id === paneId)?.[1] ?? null;

/** The service was started in %3. */
const tell = (eventName: string, payload: Record<string, unknown>, parentPid = SERVICE_PID): void => {
  clock.advance(1_000);
  ingest.applyEnvelopes(HOST_TARGET, [
    {
      spoolName: `e${String((count += 1)).padStart(6, "0")}`,
      agentType: "opencode",
      eventName,
      tmuxSocket: SOCKET,
      tmuxServerPid: 99,
      paneId: "%3",
      parentPid,
      eventTime: clock.now(),
      payload,
      payloadProblem: null,
    },
  ]);
};
const session = (id: string, directory: string) => ({
  sessionID: id,
  rootID: id,
  parentID: null,
  directory,
});
const states = (): string[] =>
  Object.keys(FOLDERS).map(
    (id) => ingest.rows(true).find(({ identity }) => identity.pane_id === id)?.state ?? "none",
  );
const ONE = session("ses_1", "/home/dev/one");

describe("events of OpenCode 2's service", () => {
  it("move the row of the only terminal in their folder, and its session's from then on", () => {
    expect(states()).toEqual(["unknown", "unknown", "unknown"]);
    tell("session.inbox.enqueued", { ...ONE, prompt: "go" });
    tell("session.execution.started", ONE);
    expect(states()).toEqual(["running", "unknown", "unknown"]);
    tell("permission.asked", { ...ONE, id: "per_1", action: "shell", resources: ["ls"] });
    expect(states()).toEqual(["waiting_approval", "unknown", "unknown"]);
    tell("permission.replied", { ...ONE, requestID: "per_1", reply: "once" });
    expect(states()).toEqual(["running", "unknown", "unknown"]);
    tell("session.execution.succeeded", { ...ONE, said: "Done." });
    expect(states()).toEqual(["completed", "unknown", "unknown"]);
  });

  it("never move the pane that the service was started in, nor one of two in a folder", () => {
    const two = session("ses_2", "/home/dev/two");
    for (const name of ["session.execution.started", "session.execution.succeeded"]) tell(name, two);
    tell("session.inbox.enqueued", { ...two, prompt: "a prompt that is long enough to be found" });
    tell("permission.asked", { ...two, id: "per_1", action: "edit", resources: ["a.ts"] });
    tell("session.execution.started", session("ses_far", "/home/dev/elsewhere"));
    expect(states()).toEqual(["unknown", "unknown", "unknown"]);
  });

  it("of a child count for the root of its family, and its end ends no turn", () => {
    tell("session.inbox.enqueued", { ...ONE, prompt: "go" });
    tell("session.execution.started", ONE);
    const child = { ...ONE, sessionID: "ses_child", parentID: "ses_1" };
    tell("session.execution.started", child);
    tell("permission.asked", { ...child, id: "per_9", action: "shell", resources: ["rm x"] });
    expect(states()[0]).toBe("waiting_approval");
    tell("permission.replied", { ...child, requestID: "per_9", reply: "once" });
    tell("session.execution.succeeded", child);
    expect(states()[0]).toBe("running");
  });

  it("of opencode 1 move the row of the process that tells them, whichever pane it names", () => {
    tell("session.status", { sessionID: "ses_3", status: { type: "busy" } }, 601);
    expect(states()).toEqual(["unknown", "running", "unknown"]);
  });
});
