// Which runtimes an event is compared with: those of its session and of its pane, out of however many there are.
import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, INSTANCE, somePane, type IngestFixture } from "../../test/factories/ingest.ts";

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
    const at = { targetId: "host", server: "work", status: "ok", mode: "control", problem: null } as const;
    f.ingest.applyTopology({ ...at, instance: other, panes: [pane] });
    const process = { pid: 701, ppid: 700, comm: "claude", args: "claude", startedAt: f.clock.now() };
    f.ingest.applyRecognised(pane, { agentType: "claude", process });
    f.noAgent();
    f.hook("Stop");
    expect(f.ingest.dropped.get("older_runtime")).toBe(1);
    expect(f.store.listPending()).toEqual([]);
  });
});
