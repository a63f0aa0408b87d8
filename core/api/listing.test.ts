import { describe, expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import type { TargetView } from "../model/view.ts";
import { listPanes, listSessions, listWindows } from "./listing.ts";
import type { ListFilters } from "./calls.ts";

const rows = [
  makePane({ pane: 1, session: "api", window: 1, state: "running" }),
  makePane({ pane: 2, session: "api", window: 1, state: "waiting_approval" }),
  makePane({ pane: 3, session: "api", window: 2, agent: null, state: null }),
  makePane({ pane: 4, session: "web", window: 3, agent: "codex", state: "error", alsoIn: ["pair"] }),
  makePane({ pane: 6, server: "work", session: "api", window: 1, state: "idle" }),
  makePane({ pane: 5, target: "vm1", session: "api", window: 1, state: "idle" }),
];
const target = (name: string, health: TargetView["health"]): TargetView => ({
  target: name,
  kind: "local",
  health,
  health_reason: health === "ok" ? null : "no answer",
  last_seen_at: null,
  connection_ref: null,
  enabled: true,
  transport: null,
  rtt_ms: null,
  remedy: null,
  next_attempt_at: null,
  awake: null,
  newer_release: null,
  limits: [],
  servers: [{ tmux_server: "default", status: "ok", mode: "direct", problem: null, pane_count: 3 }],
});
const input = {
  rows,
  targets: [target("host", "ok"), target("vm1", "down")],
  agents: () => ["claude", "codex", "gemini", "mine"],
  now: 0,
};
const ids = (filters: ListFilters) => listPanes(input, filters).items.map((pane) => pane.identity.pane_id);

describe("list panes", () => {
  it("lists panes with an agent as they are placed, and all of them when asked", () => {
    expect(ids({})).toEqual(["%1", "%2", "%4", "%6", "%5"]);
    expect(ids({ all: true })).toEqual(["%1", "%2", "%3", "%4", "%6", "%5"]);
  });

  it.each<[ListFilters, string[]]>([
    [{ target: "vm1" }, ["%5"]],
    [{ session: "pair" }, ["%4"]],
    [{ targetSession: "host/api" }, ["%1", "%2", "%6"]],
    [{ targetSession: "host:work/api" }, ["%6"]],
    [{ state: "idle", target: "host" }, ["%6"]],
    [{ agent: "codex" }, ["%4"]],
    [{ needsAction: true }, ["%2", "%4"]],
    [{ needsAction: true, session: "api" }, ["%2"]],
    [{ state: ["running", "error"] }, ["%1", "%4"]],
    [{ agent: ["codex", "gemini"], target: ["host", "vm1"] }, ["%4"]],
    [{ targetSession: ["host:work/api", "vm1/api"] }, ["%6", "%5"]],
  ])("combines filters: %j", (filters, expected) => {
    expect(ids(filters)).toEqual(expected);
  });

  it("counts what it lists, repeats the filters and names what is missing", () => {
    const document = listPanes(input, { session: "api", target: ["host", "vm1"], needsAction: false });
    expect(document).toMatchObject({
      schema_version: "1.0",
      filters: { session: ["api"], target: ["host", "vm1"], needs_action: false },
      summary: { total: 4, needs_action: 1, by_agent: { claude: 4 }, by_target: { host: 3, vm1: 1 } },
      problems: ["machine vm1 is down: no answer"],
    });
    expect(document.summary.by_state).toMatchObject({ running: 1, waiting_approval: 1, idle: 2, error: 0 });
  });

  it("names nothing as missing that was not asked for", () => {
    expect(listPanes(input, { target: "host" }).problems).toEqual([]);
    expect(listWindows(input, { targetSession: "vm1/api" }).problems).toHaveLength(1);
  });

  it("refuses a target that is not watched and names those that are", () => {
    for (const filters of [{ target: "vm2" }, { targetSession: "vm2/api" }, { target: ["host", "vm2"] }])
      for (const list of [listPanes, listWindows, listSessions])
        expect(() => list(input, filters)).toThrow(
          expect.objectContaining({ code: "E_TARGET_UNKNOWN", remedy: "Known machines: host, vm1." }),
        );
  });

  it("refuses an agent that nobody knows and names those that are; one that a row shows is known", () => {
    for (const filters of [{ agent: "foo" }, { agent: ["claude", "foo"] }])
      for (const list of [listPanes, listWindows, listSessions])
        expect(() => list(input, filters)).toThrow(
          expect.objectContaining({
            code: "E_USAGE",
            message: "no agent is called 'foo'",
            remedy: "Known agents: claude, codex, gemini, mine.",
          }),
        );
    const gone = [...rows, makePane({ pane: 9, agent: "gone", state: "idle" })];
    expect(listPanes({ ...input, rows: gone }, { agent: "gone" }).items).toHaveLength(1);
    expect(ids({ agent: "mine" })).toEqual([]);
  });

  it("refuses a target session without its slash", () => {
    expect(() => ids({ targetSession: "host" })).toThrow("not <target>/<session>");
  });
});

describe("list windows and sessions", () => {
  it("roll windows up with top state, waiting and running", () => {
    const [first] = listWindows(input, { targetSession: "host/api" }).items;
    expect(first).toMatchObject({
      pane_count: 2,
      agent_count: 2,
      top_state: "waiting_approval",
      waiting_count: 1,
      running_count: 1,
    });
    expect(listWindows(input, { all: true }).items).toHaveLength(5);
  });

  it("show whole windows and sessions in which something fits", () => {
    const windows = listWindows(input, { needsAction: true });
    expect(windows.items.map(({ identity, pane_count }) => [identity.window_id, pane_count])).toEqual([
      ["@1", 2],
      ["@3", 1],
    ]);
    expect(windows.summary.total).toBe(3);
    const [session, ...rest] = listSessions(input, { state: "running" }).items;
    expect([session?.identity.session_name, session?.pane_count, rest]).toEqual(["api", 3, []]);
    const merged = listSessions(input, { needsAction: true, session: "api", groupBy: "session-name" });
    expect([merged.items[0]?.agent_count, merged.filters]).toEqual([
      4,
      { needs_action: true, session: ["api"], group_by: "session-name" },
    ]);
  });

  it("keep sessions of different targets and servers apart, and merge them by name when asked", () => {
    const sessions = listSessions(input, {});
    expect(sessions.filters).toEqual({ group_by: "target-session" });
    const apart = sessions.items.map(
      ({ identity }) => `${identity.target}:${identity.tmux_server}/${identity.session_name}`,
    );
    expect(apart).toEqual(["host:default/api", "host:default/web", "host:work/api", "vm1:default/api"]);
    const [api] = listSessions(input, { groupBy: "session-name" }).items;
    expect(api).toMatchObject({
      identity: { target: null, tmux_server: null, session_name: "api" },
      agent_count: 4,
      window_count: 4,
    });
    expect(api?.targets.map((part) => [part.target, part.tmux_server, part.agent_count])).toEqual([
      ["host", "default", 2],
      ["host", "work", 1],
      ["vm1", "default", 1],
    ]);
  });
});
