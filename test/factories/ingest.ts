// An Ingest over a real store in a temporary folder, with a clock that tests move by hand.
import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClaudeAdapter } from "../../adapters/claude/index.ts";
import { createPromptFingerprint } from "../../core/actions/fingerprint.ts";
import { Ingest } from "../../core/ingest/ingest.ts";
import type { FeedChange } from "../../core/model/view.ts";
import { DEFAULT_TIMING } from "../../core/model/config.ts";
import type { Envelope } from "../../core/model/envelope.ts";
import { HOST_TARGET, type Pane, type ServerInstance } from "../../core/model/runtime.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { Clock, IdSource } from "../../core/ports/clock.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import type { Store } from "../../core/ports/store.ts";
import { openStore } from "../../core/store/openStore.ts";
import { redactText } from "../../core/store/redact.ts";
import { somePane } from "../../adapters/testkit/pane.ts";

export { somePane };

export const SOCKET = "/tmp/tmux-1000/default";
export const INSTANCE: ServerInstance = { server: "default", socketPath: SOCKET, pid: 99, startedAt: 1_000 };

export class HandClock implements Clock {
  private time: number;
  constructor(time = 1_000_000_000) {
    this.time = time;
  }
  now(): number {
    return this.time;
  }
  advance(ms: number): void {
    this.time += ms;
  }
  /** Never back. */
  set(time: number): void {
    this.time = Math.max(this.time, time);
  }
  setTimer(): () => void {
    return () => {};
  }
}

const counterIds = (): IdSource => {
  let count = 0;
  return {
    next: (prefix) => `${prefix}_${String((count += 1)).padStart(8, "0")}`,
    nonce: () => String((count += 1)).padStart(32, "0"),
  };
};

/** As the daemon makes it, but for the ids, which count up where none are given. */
export const buildIngest = (parts: {
  store: Store;
  clock: Clock;
  adapterOf: (agentType: string) => AgentAdapter | null;
  ids?: IdSource;
}): Ingest =>
  new Ingest({
    ids: counterIds(),
    ...parts,
    logger: SILENT_LOGGER,
    timing: () => DEFAULT_TIMING,
    runtimeIdOf: (of) => `rt_${createHash("sha1").update(of.join("|")).digest("hex").slice(0, 12)}`,
    redactText,
    fingerprintOf: createPromptFingerprint(),
  });

/** The target is there and well. */
export const addTarget = (ingest: Ingest, targetId: string, at: number): void => {
  const isHost = targetId === HOST_TARGET;
  ingest.setTarget({
    targetId,
    targetName: targetId,
    kind: isHost ? "local" : "ssh",
    connectionRef: isHost ? null : targetId,
    isDefault: isHost,
    health: "ok",
    healthReason: null,
    lastSeenAt: at,
    updatedAt: at,
    link: null,
  });
};

/** A listing of the default server that succeeded. */
export const listPanes = (
  ingest: Ingest,
  targetId: string,
  instance: ServerInstance,
  panes: readonly Pane[],
): void =>
  ingest.applyTopology({
    targetId,
    server: "default",
    status: "ok",
    mode: "direct",
    problem: null,
    instance,
    panes,
  });

/** Of an agent whose events come from one server, whatever pane they name. */
export const servedAdapter = (): AgentAdapter => {
  const claude = createClaudeAdapter();
  return {
    ...claude,
    eventsMayNameOtherPanes: true,
    normalize: (envelope, options) => {
      const event = claude.normalize(envelope, options);
      const prompt = envelope.payload?.["prompt"];
      return event === null || typeof prompt !== "string" ? event : { ...event, promptText: prompt };
    },
  };
};

export const createIngestFixture = (
  storePath = join(mkdtempSync(join(tmpdir(), "agtmux-ingest-")), "state.db"),
  adapter: AgentAdapter = createClaudeAdapter(),
) => {
  const clock = new HandClock();
  const store = openStore({ path: storePath, logger: SILENT_LOGGER });
  const ids = counterIds();
  const adapterOf = (agentType: string) => (agentType === "claude" ? adapter : null);
  const build = (): Ingest => buildIngest({ store, clock, ids, adapterOf });
  let ingest = build();
  const changes: FeedChange[] = [];
  let dropped = 0;
  addTarget(ingest, HOST_TARGET, clock.now());
  ingest.onChanges((batch) => changes.push(...batch));
  const key = (paneId: string) => ({ targetId: HOST_TARGET, server: "default", paneId });
  return {
    get ingest() {
      return ingest;
    },
    store,
    clock,
    changes,
    storePath,
    /** A Claude with hooks, in the middle of its first turn. */
    beginTurn(): void {
      this.topology([somePane()]);
      this.agent();
      this.hook("SessionStart", { source: "startup" });
      this.hook("UserPromptSubmit", { prompt: "go" });
    },
    /** A second Ingest over the same store, as after a restart. */
    reopen: (): Ingest => (ingest = build()),
    topology: (panes: readonly Pane[], instance: ServerInstance = INSTANCE): void =>
      listPanes(ingest, HOST_TARGET, instance, panes),
    /** A Claude process in the pane. */
    agent: (paneId: string = "%1", pid: number = 600, startedAt: number = clock.now() - 5_000): void =>
      ingest.applyRecognised(key(paneId), {
        agentType: "claude",
        process: { pid, ppid: 500, comm: "claude", args: "claude", startedAt },
      }),
    noAgent: (paneId: string = "%1"): void => ingest.applyRecognised(key(paneId), null),
    /** A hook event from the pane, dropped now; returns the envelope. */
    hook: (
      eventName: string,
      payload: Record<string, unknown> = {},
      more: Partial<Envelope> = {},
    ): Envelope => {
      const envelope: Envelope = {
        spoolName: `e${String((dropped += 1)).padStart(6, "0")}`,
        agentType: "claude",
        eventName,
        tmuxSocket: SOCKET,
        tmuxServerPid: 99,
        paneId: "%1",
        parentPid: 1,
        eventTime: clock.now(),
        payload: { session_id: "s1", hook_event_name: eventName, ...payload },
        payloadProblem: null,
        ...more,
      };
      ingest.applyEnvelopes(HOST_TARGET, [envelope]);
      return envelope;
    },
    state: (paneId: string = "%1"): string => {
      const row = ingest.rows(true).find((one) => one.identity.pane_id === paneId);
      return row?.state === undefined || row.state === null ? "none" : `${row.state}/${row.reason_code}`;
    },
    transitions: (): string[] =>
      store
        .listTransitionsAfter(0, 10_000)
        .map(({ resolution, end }) => (resolution === null ? `end:${end}` : resolution.status.state)),
  };
};

export type IngestFixture = ReturnType<typeof createIngestFixture>;
