import { describe, expect, it } from "vitest";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { arrange, type Filter } from "./groups.ts";
import { totalsOf } from "../text/rowText.ts";
import { groupAbove, listRows, moveSelection } from "./rows.ts";

const ALL: Filter = { text: "", states: new Set() };
const targetsOf = (...targets: TargetView[]) => new Map(targets.map((target) => [target.target, target]));
const HOST = targetsOf(makeTarget());
const ids = (panes: readonly PaneView[]) => panes.map((pane) => pane.identity.pane_id ?? "");
const ask = (title: string, body: string | null): NonNullable<PaneView["request"]> => ({
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

  it("counts for the totals what the search leaves, whatever states are chosen", () => {
    const panes = [
      makePane({ pane: 1, state: "running", windowName: "api" }),
      makePane({ pane: 2, state: "idle", windowName: "api" }),
      makePane({ pane: 3, state: "running", windowName: "web" }),
    ];
    const countsOf = (text: string) => {
      const { counts, total, shown } = arrange(panes, HOST, { text, states: new Set(["idle"]) });
      return [counts.running, counts.idle, total, shown.length];
    };
    expect([countsOf(""), countsOf("api"), countsOf("nothing")]).toEqual([
      [2, 1, 3, 1],
      [1, 1, 3, 1],
      [0, 0, 3, 0],
    ]);
  });

  it("shows for a total exactly what it counts", () => {
    const unread = { unread_since: "2026-11-22T10:00:00.000Z" };
    const panes = [
      makePane({ pane: 1, state: "completed" }),
      { ...makePane({ pane: 2, state: "completed" }), ...unread },
      { ...makePane({ pane: 3, state: "idle" }), ...unread },
      { ...makePane({ pane: 4, state: "error", reason: "crashed" }), ...unread },
      makePane({ pane: 5, state: "running" }),
      // Its machine is gone.
      { ...makePane({ pane: 6, state: "unknown", reason: "target_unreachable" }), ...unread },
    ];
    const shownOf = (states: Filter["states"]) => arrange(panes, HOST, { text: "", states }).shown.length;
    const totals = totalsOf(arrange(panes, HOST, ALL).counts);
    expect(totals.map(({ text, states }) => [text, shownOf(new Set(states))])).toEqual([
      ["1 needs you", 1],
      ["1 working", 1],
      ["2 done", 2],
      ["1 unknown", 1],
    ]);
  });

  it("puts the longest wait first across machines", () => {
    const at = (minutes: number) => Date.UTC(2026, 10, 22, 10, minutes);
    const panes = [
      makePane({ pane: 1, target: "alpha", state: "waiting_approval", since: at(4) }),
      makePane({ pane: 2, state: "error", since: at(2) }),
      makePane({ pane: 3, target: "zeta", state: "waiting_input", since: at(0) }),
      makePane({ pane: 4, state: "waiting_input", since: at(3) }),
    ];
    expect(ids(arrange(panes, HOST, ALL).inbox)).toEqual(["%3", "%2", "%4", "%1"]);
  });

  it("shows no pane twice", () => {
    const states = ["waiting_approval", "running", "error", "idle", null] as const;
    const panes = states.map((state, pane) => makePane({ pane, state, since: pane }));
    const { inbox, groups } = arrange(panes, HOST, ALL);
    const listed = [...inbox, ...groups.flatMap((group) => group.panes)];
    expect(ids(listed).toSorted()).toEqual(ids(panes).toSorted());
  });

  it("names targets and servers that cannot be read, also without panes", () => {
    const broken = makeTarget({
      servers: [{ tmux_server: "dev", status: "error", mode: "none", problem: "denied", pane_count: 0 }],
    });
    const down = makeTarget({ target: "box", kind: "ssh", health: "down", health_reason: "timed out" });
    expect(arrange([], targetsOf(broken, down), ALL).problems.map((problem) => problem.text)).toEqual([
      "host: can't read tmux server dev: denied",
      "box is unreachable: timed out",
    ]);
    const [group] = arrange([makePane({ target: "box" })], targetsOf(down), ALL).groups;
    expect(group).toMatchObject({ health: "down", problem: "timed out" });
  });
});

describe("a search", () => {
  const pane = makePane({
    session: "Payments",
    state: "waiting_approval",
    target: "build-box",
    progress: "2 queued",
    activity: {
      prompt: "go on",
      session_title: "Split the refund service",
      said: "All 14 tests pass.",
      tool: { name: "Bash", subject: "npm run lint" },
      folder: "/home/ann/src/billing",
      repository: "shop-api",
      branch: "fix/rounding",
    },
    request: {
      ...ask("Bash", "npm run deploy"),
      options: [{ label: "Banker’s rounding", keys: null, description: null }],
    },
  });
  it.each([
    ["payments", true],
    ["PAY deploy", true],
    ["needs approval", true],
    ["claude code", true],
    ["payments missing", false],
    ["split refund", true],
    ["go on", true],
    ["fix/rounding", true],
    ["shop-api", true],
    ["src/billing", true],
    ["build-box", true],
    ["14 tests pass", true],
    ["npm run lint", true],
    ["2 queued", true],
    ["banker", true],
  ])("matches %j: %j", (text, expected) =>
    expect(arrange([pane], HOST, { ...ALL, text }).shown.length).toBe(expected ? 1 : 0),
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

  it("lists the inbox, then groups with their panes; a group whose panes are all above is left out", () => {
    expect(kinds([])).toEqual(["heading", "pane", "group", "pane", "pane"]);
  });
  it("leaves out the panes of a collapsed group, and never the inbox", () => {
    expect(kinds(overview.groups.map((group) => group.key))).toEqual(["heading", "pane", "group"]);
  });
  it("moves over panes only, past the heads of open groups, and stops at the ends", () => {
    const rows = rowsOf([]);
    const visited = [moveSelection(rows, null, 1)];
    for (let step = 0; step < 4; step += 1) visited.push(moveSelection(rows, visited.at(-1) ?? null, 1));
    const panes = rows.flatMap((row) => (row.kind === "pane" ? [row.key] : []));
    expect(visited).toEqual([...panes, panes[2], panes[2]]);
    expect(moveSelection(rows, panes[1] ?? null, -1)).toBe(panes[0]);
    expect(moveSelection(rows, panes[0] ?? null, -1)).toBe(panes[0]);
    expect(moveSelection(rows, null, -1)).toBe(rows.at(-1)?.key);
    expect(moveSelection(rows, "gone", 1)).toBe(visited[0]);
    expect(moveSelection([], null, 1)).toBeNull();
  });
  it("stops on the head of a folded group, which stands for its panes; from a clicked open head it goes on from there", () => {
    const folded = rowsOf(overview.groups.map((group) => group.key));
    const head = folded.find(({ kind }) => kind === "group")?.key ?? "";
    expect(moveSelection(folded, moveSelection(folded, null, 1), 1)).toBe(head);
    const rows = rowsOf([]);
    const panes = rows.flatMap((row) => (row.kind === "pane" ? [row.key] : []));
    expect([1, -1].map((step) => moveSelection(rows, head, step === 1 ? 1 : -1))).toEqual([
      panes[1],
      panes[0],
    ]);
    expect(panes.map((key) => groupAbove(rows, key)?.key)).toEqual([undefined, head, head]);
  });
});
