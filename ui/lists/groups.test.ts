import { describe, expect, it } from "vitest";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { arrange, passesFilter, type Filter } from "./groups.ts";
import { listRows, moveSelection } from "./rows.ts";

const ALL: Filter = { text: "", states: new Set() };
const targetsOf = (...targets: TargetView[]) => new Map(targets.map((target) => [target.target, target]));
const HOST = targetsOf(makeTarget());
const ids = (panes: readonly PaneView[]) => panes.map((pane) => pane.identity.pane_id);
const ask = (title: string, body: string | null): PaneView["request"] => ({
  kind: "command",
  title,
  body,
  is_whole: true,
  tool_name: null,
  options: [],
  expires_at: null,
});

describe("arrange", () => {
  it("puts those that need a person first, longest wait first, and out of their groups", () => {
    const overview = arrange(
      [
        makePane({ pane: 1, state: "running" }),
        makePane({ pane: 2, state: "waiting_approval", since: 2_000 }),
        makePane({ pane: 3, state: "error", since: 1_000 }),
        makePane({ pane: 4, state: "waiting_input", since: 3_000, session: "other" }),
      ],
      HOST,
      ALL,
    );
    expect(ids(overview.inbox)).toEqual(["%3", "%2", "%4"]);
    expect(overview.groups.map((group) => [group.session, ids(group.panes), group.inboxCount])).toEqual([
      ["other", [], 1],
      ["work", ["%1"], 2],
    ]);
  });

  it("rolls up over all panes of a group, those in the inbox included", () => {
    const [group] = arrange(
      [makePane({ pane: 1, state: "running" }), makePane({ pane: 2, state: "waiting_approval" })],
      HOST,
      ALL,
    ).groups;
    expect(group?.counts).toMatchObject({ running: 1, waiting_approval: 1, idle: 0 });
  });

  it("orders local targets first, then names and numbers as people do", () => {
    const overview = arrange(
      [
        makePane({ pane: 1, target: "alpha" }),
        makePane({ pane: 2, session: "s10" }),
        makePane({ pane: 3, session: "s9", window: 2 }),
        makePane({ pane: 4, session: "s9", window: 1 }),
      ],
      targetsOf(makeTarget(), makeTarget({ target: "alpha", kind: "ssh" })),
      ALL,
    );
    expect(overview.groups.map((group) => `${group.target}/${group.session}`)).toEqual([
      "host/s9",
      "host/s10",
      "alpha/work",
    ]);
    expect(ids(overview.groups[0]?.panes ?? [])).toEqual(["%4", "%3"]);
  });

  it("keeps equal session names of two servers and targets apart", () => {
    const overview = arrange(
      [makePane({ pane: 1 }), makePane({ pane: 1, server: "dev" }), makePane({ pane: 1, target: "box" })],
      HOST,
      ALL,
    );
    expect(overview.groups).toHaveLength(3);
  });

  it("counts all panes for the chips, whatever the filter", () => {
    const overview = arrange(
      [makePane({ pane: 1, state: "running" }), makePane({ pane: 2, state: "idle" })],
      HOST,
      { text: "", states: new Set(["idle"]) },
    );
    expect([overview.counts.running, overview.total, overview.shown.length]).toEqual([1, 2, 1]);
  });

  it("names targets and servers that cannot be read, also without panes", () => {
    const broken = makeTarget({
      servers: [{ tmux_server: "dev", status: "error", mode: "none", problem: "denied", pane_count: 0 }],
    });
    const down = makeTarget({ target: "box", kind: "ssh", health: "down", health_reason: "timed out" });
    expect(arrange([], targetsOf(broken, down), ALL).problems.map((problem) => problem.text)).toEqual([
      "host: tmux server dev cannot be read: denied",
      "box is unreachable: timed out",
    ]);
    const [group] = arrange([makePane({ target: "box" })], targetsOf(down), ALL).groups;
    expect(group).toMatchObject({ health: "down", problem: "timed out" });
  });
});

describe("passesFilter", () => {
  const pane = makePane({
    session: "Payments",
    state: "waiting_approval",
    request: ask("Bash", "npm run deploy"),
  });
  it.each([
    ["payments", true],
    ["PAY deploy", true],
    ["needs approval", true],
    ["claude code", true],
    ["payments missing", false],
  ])("matches %j: %j", (text, expected) =>
    expect(passesFilter(pane, { text, states: new Set() })).toBe(expected),
  );
});

describe("rows", () => {
  const overview = arrange(
    [
      makePane({ pane: 1, state: "running" }),
      makePane({ pane: 2, state: "waiting_input", session: "solo" }),
      makePane({ pane: 3 }),
    ],
    HOST,
    ALL,
  );
  const rowsOf = (collapsed: string[]) =>
    listRows({
      view: { kind: "agents" },
      overview,
      targets: HOST,
      collapsed: new Set(collapsed),
      text: "",
      isMerged: false,
    });
  const kinds = (collapsed: string[]) => rowsOf(collapsed).map((row) => row.kind);

  it("lists the inbox, then groups with their panes; a group whose panes are all above says so", () => {
    expect(kinds([])).toEqual(["heading", "pane", "group", "note", "group", "pane", "pane"]);
  });
  it("leaves out the panes of a collapsed group, and never the inbox", () => {
    expect(kinds(overview.groups.map((group) => group.key))).toEqual(["heading", "pane", "group", "group"]);
  });
  it("moves over panes and groups only, and stops at the ends", () => {
    const rows = rowsOf([]);
    const visited = [moveSelection(rows, null, 1)];
    for (let step = 0; step < 6; step += 1) visited.push(moveSelection(rows, visited.at(-1) ?? null, 1));
    expect(visited.map((key) => rows.find((row) => row.key === key)?.kind)).toEqual([
      "pane",
      "group",
      "group",
      "pane",
      "pane",
      "pane",
      "pane",
    ]);
    expect(moveSelection(rows, null, -1)).toBe(rows.at(-1)?.key);
    expect(moveSelection(rows, "gone", 1)).toBe(visited[0]);
    expect(moveSelection([], null, 1)).toBeNull();
  });
});
