// Which runtimes an event is compared with: those of its session and of its pane, out of however many there are.
import { afterEach, describe, expect, it } from "vitest";
import {
  createIngestFixture,
  INSTANCE,
  servedAdapter,
  SOCKET,
  somePane,
  type IngestFixture,
} from "../../test/factories/ingest.ts";
import { DEFAULT_TIMING } from "../model/config.ts";
import type { Envelope } from "../model/envelope.ts";

/** Before the clock of the fixture. */
const STARTED_AT = 999_000_000;

let made: IngestFixture | null = null;
const running = (): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  f.agent("%1", 600, STARTED_AT);
  f.hook("SessionStart", { source: "startup" });
  f.hook("UserPromptSubmit", { prompt: "go" });
  return f;
};
afterEach(() => made?.store.close());

describe("binding among many", () => {
  it("finds the session of an event without a pane, until its runtime has another session or ends", () => {
    const f = running();
    const hookWithoutPane = (eventName: string, sessionId: string): string => {
      f.clock.advance(1_000);
      f.hook(eventName, { session_id: sessionId, prompt: "go" }, { paneId: null, tmuxSocket: null });
      return `${f.state()} ${f.ingest.dropped.get("no_pane") ?? 0}`;
    };
    expect(hookWithoutPane("Stop", "s1")).toBe("completed/turn_ended 0");
    expect(hookWithoutPane("UserPromptSubmit", "s2")).toBe("completed/turn_ended 1");
    f.hook("SessionStart", { source: "clear", session_id: "s2" });
    expect(hookWithoutPane("UserPromptSubmit", "s1")).toBe("idle/fresh 2");
    expect(hookWithoutPane("UserPromptSubmit", "s2")).toBe("running/thinking 2");
    f.reopen();
    f.topology([somePane()]);
    f.agent("%1", 600, STARTED_AT);
    expect(hookWithoutPane("Stop", "s2")).toBe("completed/turn_ended 0");
    f.noAgent();
    expect(hookWithoutPane("Stop", "s2")).toBe("none 1");
  });

  it("takes two live runtimes of one session for neither's proof, and a restart for no change", () => {
    const f = running();
    f.topology([somePane(), somePane("%2", { panePid: 501 })]);
    f.agent("%2", 601);
    f.clock.advance(1_000);
    f.hook("SessionStart", { source: "startup", session_id: "s2" }, { paneId: "%2" });
    f.hook("SessionStart", { source: "resume", session_id: "s2" });
    f.reopen();
    f.hook("Stop", { session_id: "s2" }, { paneId: null, tmuxSocket: null });
    expect(f.ingest.dropped.get("no_pane")).toBe(1);
  });

  it("knows a late event of an ended runtime also while another server has an agent in a pane of the same id", () => {
    const f = running();
    const other = { ...INSTANCE, server: "work", socketPath: "/tmp/tmux-1000/work", pid: 98 };
    const pane = somePane("%1", { server: "work", panePid: 700 });
    const at = { targetId: "host", server: "work", status: "ok", mode: "direct", problem: null } as const;
    f.ingest.applyTopology({ ...at, instance: other, panes: [pane] });
    const process = { pid: 701, ppid: 700, comm: "claude", args: "claude", startedAt: f.clock.now() };
    f.ingest.applyRecognised(pane, { agentType: "claude", process });
    f.noAgent();
    f.hook("Stop");
    expect(f.ingest.dropped.get("older_runtime")).toBe(1);
    expect(f.store.listPending()).toEqual([]);
  });
});

describe("binding beside another target", () => {
  const FAR = "t_vm1";
  const claim = (f: IngestFixture, eventName: string, more: Partial<Envelope> = {}): void =>
    f.ingest.applyEnvelopes(FAR, [
      {
        spoolName: `far${String((claims += 1))}`,
        agentType: "claude",
        eventName,
        tmuxSocket: null,
        tmuxServerPid: null,
        paneId: null,
        parentPid: 600,
        eventTime: f.clock.now(),
        payload: { session_id: "s1", hook_event_name: eventName, prompt: "go" },
        payloadProblem: null,
        ...more,
      },
    ]);
  let claims = 0;
  const HERE = { tmuxSocket: SOCKET, tmuxServerPid: 99, paneId: "%1" };

  /** The same pane, process and session ids on a remote machine, whose tmux says that it has the same socket. */
  const remoteAgent = (f: IngestFixture, pid = 600): void => {
    const [target] = f.store.listTargets();
    if (target === undefined) throw new Error("no target");
    f.ingest.setTarget({ ...target, targetId: FAR, targetName: "vm1", kind: "ssh", isDefault: false });
    const pane = somePane("%1", { targetId: FAR });
    const at = { targetId: FAR, server: "default", status: "ok", mode: "direct", problem: null } as const;
    f.ingest.applyTopology({ ...at, instance: INSTANCE, panes: [pane] });
    const process = { pid, ppid: 500, comm: "claude", args: "claude", startedAt: STARTED_AT };
    f.ingest.applyRecognised(pane, { agentType: "claude", process });
  };
  const stateOf = (f: IngestFixture, target: string): string | null | undefined =>
    f.ingest.rows(true).find(({ identity }) => identity.target === target)?.state;

  it("finds no agent of this one by session, process, pane or server", () => {
    const f = running();
    for (const more of [{}, HERE, { ...HERE, tmuxServerPid: null }, { paneId: "%1" }]) claim(f, "Stop", more);
    claim(f, "wrapper.exit", { ...HERE, payload: { pid: 600, status: 1 } });
    expect(f.state()).toBe("running/thinking");
    expect([...f.ingest.liveState.liveRuntimes()].map((entry) => entry.wrapperExitStatus)).toEqual([null]);
    remoteAgent(f);
    f.clock.advance(1_000);
    claim(f, "Stop", HERE);
    expect([f.state(), stateOf(f, "vm1")]).toEqual(["running/thinking", "completed"]);
  });

  it("takes no session from an agent of this one", () => {
    const f = running();
    remoteAgent(f);
    claim(f, "SessionStart", HERE);
    f.clock.advance(1_000);
    f.hook("Stop", { session_id: "s1" }, { paneId: null, tmuxSocket: null });
    expect(f.state()).toBe("completed/turn_ended");
  });

  it("does not keep an agent's events from being placed by saying that it has their session", () => {
    const f = createIngestFixture(undefined, servedAdapter());
    made = f;
    f.topology([somePane(), somePane("%2", { panePid: 501 })]);
    f.agent("%1", 600, STARTED_AT);
    f.agent("%2", 601, STARTED_AT);
    remoteAgent(f, 700);
    claim(f, "SessionStart", {
      ...HERE,
      parentPid: 700,
      payload: { session_id: "s1", hook_event_name: "SessionStart" },
    });
    const waiting = f.hook("UserPromptSubmit", { prompt: "a prompt that is long enough to find" });
    expect([...f.ingest.unplacedAgents("host", [])]).toEqual(["claude"]);
    expect(f.store.listPending().map(({ envelope }) => envelope.spoolName)).toEqual([waiting.spoolName]);
  });

  it("waits longer for an agent behind a connection, which is seen later", () => {
    const f = createIngestFixture();
    made = f;
    const [target] = f.store.listTargets();
    if (target === undefined) throw new Error("no target");
    f.ingest.setTarget({ ...target, targetId: FAR, targetName: "vm1", kind: "ssh", isDefault: false });
    f.topology([somePane()]);
    f.hook("UserPromptSubmit", { prompt: "go" });
    claim(f, "UserPromptSubmit", HERE);
    const waiting = (): string[] => f.store.listPending().map(({ targetId }) => targetId);
    const after = (ms: number): string[] => {
      f.clock.advance(ms);
      f.ingest.tick();
      return waiting();
    };
    expect(waiting()).toEqual(["host", FAR]);
    expect(after(DEFAULT_TIMING.pending_bind_local_ms + 1)).toEqual([FAR]);
    expect(after(DEFAULT_TIMING.pending_bind_ssh_ms - DEFAULT_TIMING.pending_bind_local_ms)).toEqual([]);
  });

  it("waits for nobody without end: of too many events of nobody the oldest go, and no other target's", () => {
    const f = createIngestFixture();
    made = f;
    f.topology([somePane()]);
    const waiting = f.hook("UserPromptSubmit", { prompt: "go" });
    const [target] = f.store.listTargets();
    if (target === undefined) throw new Error("no target");
    f.ingest.setTarget({ ...target, targetId: FAR, targetName: "vm1", kind: "ssh", isDefault: false });
    for (let batch = 0; batch < 25; batch += 1)
      f.ingest.applyEnvelopes(
        FAR,
        Array.from({ length: 100 }, (_, at) => ({ ...waiting, spoolName: `flood-${batch}-${at}` })),
      );
    const pending = f.store.listPending();
    expect(pending.filter(({ targetId }) => targetId === FAR)).toHaveLength(2_000);
    expect(pending.at(-1)?.envelope.spoolName).toBe("flood-24-99");
    expect(pending.filter(({ targetId }) => targetId === "host")).toHaveLength(1);
  });
});
