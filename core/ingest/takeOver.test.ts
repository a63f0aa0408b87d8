// A session that leaves its pane, or is taken up in one, in the middle of a turn: another runtime, which goes on with what is known.
import { afterEach, describe, expect, it } from "vitest";
import {
  createIngestFixture,
  servedAdapter,
  somePane,
  type IngestFixture,
} from "../../test/factories/ingest.ts";
import { PROMPT_DRAWN_MS } from "../engine/bind.ts";
import type { Status } from "../model/state.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";

/** Before the clock of the fixture. */
const STARTED_AT = 999_000_000;
const BACKGROUND = somePane("bg-b1", {
  server: BACKGROUND_SERVER,
  panePid: 700,
  sessionName: BACKGROUND_SERVER,
});
const TOOL = { tool_name: "Bash", tool_use_id: "toolu_1", tool_input: { command: "make all" } };

let made: IngestFixture | null = null;
const running = (): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  const process = { pid: 600, ppid: 500, comm: "claude", args: "claude attach b1", startedAt: STARTED_AT };
  f.ingest.applyRecognised(somePane(), { agentType: "claude", process, isViewer: true });
  f.hook("SessionStart", { source: "startup" });
  f.hook("UserPromptSubmit", { prompt: "go" });
  f.clock.advance(1_000);
  return f;
};
const asks = (f: IngestFixture): void => {
  f.hook("PreToolUse", TOOL);
  f.hook("PermissionRequest", TOOL);
  f.clock.advance(1_000);
};
const showsWork = (f: IngestFixture): void => {
  const status = { state: "running", reasonCode: "thinking" } as const;
  const reading = {
    status,
    confidence: "high",
    matched: "✻ Working",
    request: null,
    isSteady: false,
  } as const;
  const runtimeId = f.ingest.rows(false)[0]?.identity.runtime_id ?? "";
  f.ingest.applyReading(runtimeId, "poller", { reading, readAt: f.clock.now(), isChanged: true });
};
/** The session without its pane, in another process. */
const leave = (f: IngestFixture): void => {
  f.noAgent();
  const at = {
    targetId: "host",
    server: BACKGROUND_SERVER,
    status: "ok",
    mode: "direct",
    problem: null,
  } as const;
  f.ingest.applyTopology({ ...at, instance: null, panes: [BACKGROUND] });
  const process = { pid: 700, ppid: 1, comm: "claude", args: "claude", startedAt: STARTED_AT };
  f.ingest.applyRecognised(BACKGROUND, { agentType: "claude", process, sessionId: "s1" });
};
const rowOf = (f: IngestFixture) =>
  f.ingest.rows(false).find(({ background, state }) => background !== null && state !== null);
afterEach(() => made?.store.close());

describe("a session that goes on elsewhere", () => {
  it("asks there what it asked, to the letter, also after a restart: then not whole", () => {
    const f = running();
    asks(f);
    leave(f);
    expect(rowOf(f)).toMatchObject({
      state: "waiting_approval",
      request: { body: "make all", is_whole: true },
      activity: { prompt: "go" },
    });
    f.reopen();
    expect(rowOf(f)).toMatchObject({
      state: "waiting_approval",
      request: { body: "make all", is_whole: false },
    });
  });

  it("does not ask what was answered there", () => {
    const f = running();
    asks(f);
    f.hook("PostToolUse", TOOL);
    leave(f);
    expect(rowOf(f)).toMatchObject({ state: "running", request: null });
  });

  it("does not ask what the pane has shown to be answered", () => {
    const f = running();
    asks(f);
    for (let read = 0; read < 6; read += 1) {
      f.clock.advance(1_000);
      showsWork(f);
    }
    expect(f.state()).toMatch(/^running/);
    leave(f);
    expect(rowOf(f)?.state).not.toBe("waiting_approval");
  });

  it("does not report the end of its turn a second time, and after a minute nothing that was known counts", () => {
    const f = running();
    f.hook("Stop", { background_tasks: [] });
    leave(f);
    expect(rowOf(f)?.state).toBe("unknown");
    const late = running();
    asks(late);
    late.noAgent();
    late.clock.advance(61_000);
    leave(late);
    expect(rowOf(late)?.state).toBe("unknown");
  });
});

describe("a session of which only looks tell", () => {
  type Look = [source: "poller" | "transcript", status: Status];
  const WORKS = { state: "running", reasonCode: "thinking" } as const;
  const ASKS = { state: "waiting_approval", reasonCode: "permission_tool" } as const;
  const ENDED = { state: "completed", reasonCode: "turn_ended" } as const;
  const look = (f: IngestFixture, runtimeId: string, [source, status]: Look): void => {
    const reading = { status, confidence: "medium", matched: "x", request: null, isSteady: false } as const;
    for (let read = 0; read < 3; read += 1) {
      f.clock.advance(300);
      f.ingest.applyReading(runtimeId, source, { reading, readAt: f.clock.now(), isChanged: true });
    }
  };
  const idOf = (f: IngestFixture): string => f.ingest.rows(false)[0]?.identity.runtime_id ?? "";
  const shown = (f: IngestFixture): void => {
    f.topology([somePane()]);
    const process = { pid: 600, ppid: 500, comm: "claude", args: "claude attach b1", startedAt: STARTED_AT };
    f.ingest.applyRecognised(somePane(), { agentType: "claude", process, sessionId: "s1", isViewer: true });
  };
  const start = (): IngestFixture => {
    made = createIngestFixture();
    return made;
  };

  it("is what its last screen showed until its files are read", () => {
    const f = start();
    shown(f);
    look(f, idOf(f), ["poller", WORKS]);
    leave(f);
    expect(rowOf(f)?.state).toBe("running");
    look(f, rowOf(f)?.identity.runtime_id ?? "", ["transcript", ENDED]);
    expect(rowOf(f)?.state).toBe("completed");
  });

  it("does not wait in a new process for what the old one asked", () => {
    const f = start();
    leave(f);
    look(f, rowOf(f)?.identity.runtime_id ?? "", ["transcript", ASKS]);
    expect(rowOf(f)?.state).toBe("waiting_approval");
    const process = { pid: 701, ppid: 1, comm: "claude", args: "claude", startedAt: STARTED_AT + 1 };
    f.ingest.applyRecognised(BACKGROUND, { agentType: "claude", process, sessionId: "s1" });
    expect(rowOf(f)?.state).toBe("unknown");
  });

  it("asks in a pane what the pane shows, in its words", () => {
    const f = start();
    leave(f);
    look(f, rowOf(f)?.identity.runtime_id ?? "", ["transcript", ASKS]);
    shown(f);
    const row = f.ingest.rows(false).find(({ background }) => background === null);
    expect(row?.state).toBe("unknown");
  });
});

describe("a session without a pane that somebody chose in a terminal", () => {
  it("asks there what it asked before the screen could tell which terminal it is", () => {
    const f = createIngestFixture(undefined, servedAdapter());
    made = f;
    leave(f);
    f.topology([somePane()]);
    f.agent("%1", 600, STARTED_AT);
    const fromServer = { paneId: null, tmuxSocket: null, parentPid: 700 };
    f.hook("UserPromptSubmit", { prompt: "the turn before this one" }, fromServer);
    const [unread] = f.ingest.rows(false).filter(({ background }) => background === null);
    const look = (text: string): void => {
      f.clock.advance(PROMPT_DRAWN_MS);
      f.ingest.offerScreens(new Map([[unread?.identity.runtime_id ?? "", text]]), f.clock.now());
    };
    look("nothing of it");
    f.hook("Stop", { background_tasks: [] }, fromServer);
    f.clock.advance(1_000);
    f.hook("UserPromptSubmit", { prompt: "make all of it, please" }, fromServer);
    f.clock.advance(20);
    f.hook("PreToolUse", TOOL, fromServer);
    f.hook("PermissionRequest", TOOL, fromServer);
    look("> make all of it, please");
    const shown = f.ingest.rows(false).find(({ background }) => background === null);
    expect(shown).toMatchObject({
      state: "waiting_approval",
      agent_session_id: "s1",
      request: { body: "make all" },
      activity: { prompt: "make all of it, please" },
    });
  });
});

it("a terminal that turns to another session says nothing of it that was known of the one before", () => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  const process = { pid: 600, ppid: 500, comm: "claude", args: "claude", startedAt: STARTED_AT };
  const turn = (view?: string | null, sessionId: string | null = null): string => {
    const viewing = view === undefined ? {} : { view, isViewer: true, sessionId };
    f.ingest.applyRecognised(somePane(), { agentType: "claude", process, ...viewing });
    return f.ingest.rows(false)[0]?.identity.runtime_id ?? "";
  };
  const own = turn();
  f.hook("SessionStart", { source: "startup" });
  f.hook("UserPromptSubmit", { prompt: "go" });
  f.clock.advance(1_000);
  expect(f.ingest.rows(false)[0]).toMatchObject({ state: "running", activity: { prompt: "go" } });
  const list = turn(null);
  expect(list).not.toBe(own);
  expect(f.ingest.rows(false)[0]).toMatchObject({ state: "unknown", activity: null });
  // Being verified, it stays what it is.
  f.ingest.applyRecognised(somePane(), { agentType: "claude", process });
  expect(turn(null)).toBe(list);
  const other = turn("b1", "s-b1");
  expect(other).not.toBe(list);
  expect([turn("b1", "s-b1"), turn(null) === other]).toEqual([other, false]);
});
