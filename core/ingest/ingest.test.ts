import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, INSTANCE, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { APPROVAL, IDLE } from "../../test/factories/evidence.ts";
import { foldEvidence } from "../engine/testkit/foldEvidence.ts";
import { resolve } from "../engine/resolve.ts";
import { DEFAULT_TIMING } from "../model/config.ts";
import type { Status } from "../model/state.ts";
import { listEvidence } from "../store/testkit/listEvidence.ts";

const open: IngestFixture[] = [];
const fixture = (): IngestFixture => {
  const made = createIngestFixture();
  open.push(made);
  return made;
};
afterEach(() => {
  for (const made of open.splice(0)) made.store.close();
});

const running = (): IngestFixture => {
  const f = fixture();
  f.topology([somePane()]);
  f.agent();
  f.hook("SessionStart", { source: "startup" });
  f.clock.advance(1_000);
  f.hook("UserPromptSubmit", { prompt: "go" });
  return f;
};
const ask = (f: IngestFixture): void => {
  f.clock.advance(100);
  f.hook("PreToolUse", {
    tool_name: "Bash",
    tool_input: { command: "rm -rf build" },
    tool_use_id: "toolu_1",
  });
  f.clock.advance(100);
  f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "rm -rf build" } });
};
const reading = (f: IngestFixture, status: Status): void => {
  const runtimeId = f.ingest.rows(false)[0]?.identity.runtime_id ?? "";
  f.ingest.applyReading(runtimeId, "poller", {
    reading: { status, confidence: "medium", matched: "x", request: null, isSteady: false },
    readAt: f.clock.now(),
    isChanged: false,
  });
};

describe("the life of a turn", () => {
  it("goes idle, running, waiting, running, completed, and to idle by time", () => {
    const f = running();
    ask(f);
    expect(f.state()).toBe("waiting_approval/permission_tool");
    f.clock.advance(3_000);
    f.hook("PostToolUse", {
      tool_name: "Bash",
      tool_input: { command: "rm -rf build" },
      tool_use_id: "toolu_1",
      tool_response: {},
    });
    f.clock.advance(1_000);
    f.hook("Stop", { background_tasks: [] });
    expect(f.state()).toBe("completed/turn_ended");
    for (let second = 0; second < 121; second += 1) {
      f.clock.advance(1_000);
      f.agent("%1", 600, f.ingest.liveState.liveRuntimes().next().value?.runtime.processStartedAt ?? 0);
      f.ingest.tick();
    }
    expect(f.transitions()).toEqual([
      "unknown",
      "idle",
      "running",
      "running",
      "waiting_approval",
      "running",
      "completed",
      "idle",
    ]);
  });

  it("that says that it exits stays what it was until its process is gone, for two seconds", () => {
    const f = running();
    f.hook("Stop");
    f.clock.advance(100);
    f.hook("SessionEnd", { reason: "prompt_input_exit" });
    expect(f.state()).toBe("completed/turn_ended");
    f.clock.advance(1_900);
    f.ingest.tick();
    expect(f.state()).toBe("completed/turn_ended");
    f.clock.advance(100);
    f.ingest.tick();
    expect(f.state()).toMatch(/^unknown/);
  });

  it("that says that it exits while it waits does not wait any more", () => {
    const f = running();
    f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "ls" } });
    f.clock.advance(100);
    f.hook("SessionEnd", { reason: "prompt_input_exit" });
    expect(f.state()).not.toMatch(/^waiting/);
  });

  it("leaves waiting by the screen alone when a denial fires no hook", () => {
    const f = running();
    ask(f);
    f.clock.advance(600);
    reading(f, APPROVAL);
    f.clock.advance(500);
    reading(f, IDLE);
    expect(f.state()).toBe("waiting_approval/permission_tool");
    f.clock.advance(500);
    reading(f, IDLE);
    expect(f.state()).toBe("idle/fresh");
  });

  it("bumps the version only when state, reason or prompt change", () => {
    const f = running();
    const version = f.ingest.rows(false)[0]?.state_version;
    for (let index = 0; index < 5; index += 1) {
      f.clock.advance(200);
      f.hook("Notification", { notification_type: "something_new" });
    }
    expect(f.ingest.rows(false)[0]?.state_version).toBe(version);
  });
});

describe("binding", () => {
  it("keeps an event that comes before its agent is known, and applies it then", () => {
    const f = fixture();
    f.topology([somePane()]);
    f.hook("UserPromptSubmit", { prompt: "early" });
    expect(f.store.listPending()).toHaveLength(1);
    f.agent();
    expect(f.state()).toBe("running/thinking");
    expect(f.store.listPending()).toEqual([]);
  });

  it("drops what nothing claims in time, and counts it", () => {
    const f = fixture();
    f.topology([somePane()]);
    f.hook("UserPromptSubmit");
    f.clock.advance(30_001);
    f.ingest.tick();
    expect(f.ingest.dropped.get("dropped_unbound")).toBe(1);
    expect(f.store.listPending()).toEqual([]);
  });

  it("gives what waited over a restart its time again: nobody could have claimed it meanwhile", () => {
    const f = fixture();
    f.topology([somePane()]);
    f.hook("UserPromptSubmit");
    f.clock.advance(3_600_000);
    f.reopen();
    f.ingest.tick();
    f.topology([somePane()]);
    f.agent("%1", 600, f.clock.now() - 3_605_000);
    expect(f.store.listPending()).toEqual([]);
    expect(f.ingest.dropped.get("dropped_unbound")).toBeUndefined();
  });

  it("drops events of an older runtime, of another life of the server and of another agent's process", () => {
    const f = running();
    f.hook("Stop", {}, { eventTime: f.clock.now() - 3_600_000 });
    f.hook("Stop", {}, { tmuxServerPid: 98 });
    f.hook("Stop", {}, { agentType: "nobody" });
    expect(f.state()).toBe("running/thinking");
    expect(Object.fromEntries(f.ingest.dropped)).toMatchObject({
      older_runtime: 1,
      other_server_life: 1,
      unknown_agent: 1,
    });
  });

  it("keeps the start of a session that comes before its agent is known, right after another one ended there", () => {
    const f = running();
    f.hook("SessionEnd", { reason: "prompt_input_exit" });
    f.noAgent();
    f.clock.advance(400);
    const startedAt = f.clock.now();
    f.clock.advance(30);
    f.hook("SessionStart", { source: "resume", session_id: "resumed" });
    // What the one before told last arrives late.
    f.hook("Stop", {}, { eventTime: f.clock.now() - 500 });
    f.clock.advance(600);
    f.agent("%1", 700, startedAt);
    expect(f.ingest.rows(false)[0]?.agent_session_id).toBe("resumed");
    expect(f.state()).toBe("idle/fresh");
  });

  it("applies a redelivered file once", () => {
    const f = running();
    const envelope = f.hook("Stop", { background_tasks: [] });
    const version = f.ingest.feedVersion;
    f.ingest.applyEnvelopes("host", [envelope]);
    expect(f.ingest.feedVersion).toBe(version);
    expect(f.ingest.dropped.get("duplicate")).toBe(1);
  });
});

describe("runtimes", () => {
  it("end with their process, with their pane and with their server; a new process is a new runtime", () => {
    const f = running();
    const first = f.ingest.rows(false)[0]?.identity.runtime_id;
    f.hook("SessionEnd", { reason: "prompt_input_exit" });
    f.noAgent();
    expect(f.state()).toBe("none");
    f.agent("%1", 700);
    expect(f.ingest.rows(false)[0]?.identity.runtime_id).not.toBe(first);
    f.topology([somePane()], { ...INSTANCE, pid: 100, startedAt: 2_000 });
    expect(f.state()).toBe("none");
    f.agent("%1", 800);
    f.topology([]);
    expect(f.ingest.rows(true)).toEqual([]);
    expect(f.transitions().filter((one) => one.startsWith("end:"))).toEqual([
      "end:exited",
      "end:replaced",
      "end:vanished",
    ]);
  });

  it("that died in the middle of a turn without goodbye show a crash until dismissed, also after a restart", () => {
    const f = running();
    f.noAgent();
    expect(f.ingest.rows(false).map((row) => row.reason_code)).toEqual(["crashed"]);
    const ingest = f.reopen();
    expect(ingest.rows(false).map((row) => row.reason_code)).toEqual(["crashed"]);
    expect(ingest.dismiss(ingest.rows(false)[0]?.identity.runtime_id ?? "")).toBe(true);
    expect(ingest.rows(false)).toEqual([]);
  });

  it("never seen alive since a restart end without the claim of a crash", () => {
    const f = running();
    f.reopen();
    f.topology([somePane()]);
    f.noAgent();
    expect(f.transitions().at(-1)).toBe("end:exited");
  });
});

describe("durability", () => {
  it("continues after a restart with the same runtime, state, version and prompt", () => {
    const f = running();
    ask(f);
    const before = f.ingest.rows(false)[0];
    const startedAt = f.ingest.liveState.liveRuntimes().next().value?.runtime.processStartedAt ?? 0;
    f.reopen();
    f.topology([somePane()]);
    f.agent("%1", 600, startedAt);
    expect(f.ingest.rows(false)[0]).toEqual({ ...before, confirmed_at: expect.any(String) as string });
  });

  it("replays to the stored states: events up to the horizon, at the recorded instant, with the recorded liveness", () => {
    const f = running();
    ask(f);
    f.clock.advance(600);
    reading(f, APPROVAL);
    f.clock.advance(500);
    reading(f, IDLE);
    f.clock.advance(500);
    reading(f, IDLE);
    f.hook("UserPromptSubmit");
    f.clock.advance(2_000);
    f.hook("StopFailure", { error: "rate_limit" });
    const transitions = f.store.listTransitionsAfter(0, 1_000).filter((one) => one.resolution !== null);
    expect(transitions.length).toBeGreaterThan(6);
    for (const { runtimeId, eventHorizon, liveness, evaluatedAt, resolution } of transitions) {
      const facts = foldEvidence(
        listEvidence(f.store, runtimeId)
          .filter((one) => one.row <= eventHorizon)
          .map((one) => one.evidence),
      );
      const replayed = resolve({ facts, liveness, at: evaluatedAt, timing: DEFAULT_TIMING });
      expect({ status: replayed.status, request: replayed.request, requestId: replayed.requestId }).toEqual({
        status: resolution?.status,
        request: resolution?.request,
        requestId: resolution?.requestId,
      });
    }
  });
});

describe("rows", () => {
  it("move with a renamed session: the old reference goes, the new one comes", () => {
    const f = running();
    f.changes.length = 0;
    f.topology([somePane("%1", { sessionName: "renamed" })]);
    expect(
      f.changes.map((change) =>
        change.kind === "removed"
          ? change.identity.pane_ref
          : change.kind === "pane"
            ? change.pane.identity.pane_ref
            : "",
      ),
    ).toEqual(["pane:host/main/@1/%1", "pane:host/renamed/@1/%1"]);
  });

  it("say target_unreachable at once when the target goes down, and heal", () => {
    const f = running();
    f.ingest.setHealth("host", "down", "gone");
    expect(f.state()).toBe("unknown/target_unreachable");
    f.ingest.setHealth("host", "ok", null);
    expect(f.state()).toBe("running/thinking");
  });

  it("keep the last known panes when a listing fails", () => {
    const f = running();
    f.ingest.applyTopology({
      targetId: "host",
      server: "default",
      status: "error",
      mode: "polling",
      problem: "wedged",
      instance: null,
      panes: [],
    });
    expect(f.ingest.rows(true)).toHaveLength(1);
    expect(f.ingest.targets()[0]?.servers[0]).toMatchObject({ status: "error", problem: "wedged" });
  });
});
