// When worktrees are looked at, on a clock that the test moves.
import { describe, expect, it } from "vitest";
import { makePane, makePullRequest } from "../../test/factories/view.ts";
import { handClock } from "../../test/workspaces/handClock.ts";
import type { RowConflict, WorkspaceView } from "../../core/model/workspace.ts";
import { RowWorkspaces, findSharing } from "./rowWorkspaces.ts";
import type { Look, WorkTreeKey, WorkTrees } from "./workTrees.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const NO_PULLS: Pick<WorkspaceView, "pull_request" | "pull_request_problem"> = {
  pull_request: null,
  pull_request_problem: null,
};
const CHANGES = { files: 1, added: 1, removed: 0, ahead: null, behind: null };

const fixture = (
  options: {
    tookMs?: number;
    reason?: string | null;
    conflicts?: RowConflict[];
    pulls?: typeof NO_PULLS;
  } = {},
) => {
  const clock = handClock();
  let rows = [
    makePane({ pane: 1, activity: { folder: "/r/src", work_tree: "/r" } }),
    makePane({ pane: 2, activity: { folder: "/r", work_tree: "/r" } }),
    makePane({ pane: 3, activity: { folder: "/q", work_tree: "/q" } }),
    makePane({ pane: 4, activity: { folder: "/p" } }),
  ];
  const looked: string[] = [];
  const known = new Map<string, Look>();
  let shown: (areShown: boolean) => void = () => {};
  const trees = partOf<WorkTrees>({
    known: ({ workTree }: WorkTreeKey) => known.get(workTree) ?? null,
    keepOnly: (keys) => {
      if (keys.size === 0) known.clear();
    },
    look: ({ workTree }) => {
      looked.push(workTree);
      const reason = options.reason ?? null;
      const look = {
        at: clock.now(),
        tookMs: options.tookMs ?? 10,
        changes: reason === null ? CHANGES : null,
        paths: [],
        reason,
      };
      known.set(workTree, look);
      return Promise.resolve(look);
    },
  });
  const told = new Map<string, WorkspaceView | null>();
  const workspaces = new RowWorkspaces(
    partOf({
      clock,
      target: () => ({ kind: "local" }) as never,
      rows: {
        all: () => rows,
        onScreens: () => () => {},
        isInFront: () => Promise.resolve(false),
        isConfirmed: () => true,
        readScreen: () => Promise.resolve(null),
        setArmed: () => {},
        onShown: (listener) => {
          shown = listener;
          return () => {};
        },
        setWorkspace: (runtimeId, workspace) => {
          told.set(runtimeId, workspace);
          rows = rows.map((row) => (row.identity.runtime_id === runtimeId ? { ...row, workspace } : row));
        },
      },
    }),
    trees,
    {
      conflicts: { of: (key) => (key.workTree === "/r" ? (options.conflicts ?? []) : []) },
      pulls: { of: (key) => (key.workTree === "/r" ? (options.pulls ?? NO_PULLS) : NO_PULLS) },
    },
  );
  /** Step by step, because what a look gives comes a moment later. */
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 500) {
      clock.advance(500);
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { workspaces, looked, told, pass, show: (areShown: boolean) => shown(areShown) };
};

describe("worktrees", () => {
  it("are looked at only while rows are shown, each once in ten seconds", async () => {
    const { workspaces, looked, pass, show } = fixture();
    workspaces.handleChanges();
    await pass(60_000);
    expect(looked).toEqual([]);
    show(true);
    await pass(60_000);
    expect(looked.filter((tree) => tree === "/r").length).toBeGreaterThan(4);
    expect(looked.filter((tree) => tree === "/r").length).toBeLessThanOrEqual(6);
    const before = looked.length;
    show(false);
    await pass(60_000);
    expect(looked.length).toBe(before);
    workspaces.close();
  });

  it("of which a look is slow are looked at more rarely, and those that cannot be looked at too", async () => {
    const slow = fixture({ tookMs: 1_000 });
    slow.show(true);
    await slow.pass(60_000);
    expect(slow.looked.filter((tree) => tree === "/r").length).toBeLessThanOrEqual(3);
    const failing = fixture({ reason: "git cannot read it" });
    failing.show(true);
    await failing.pass(60_000);
    expect(failing.looked.filter((tree) => tree === "/r")).toHaveLength(1);
    expect(failing.told.get("rt1")).toMatchObject({ changes: null, not_looked_at: "git cannot read it" });
  });

  it("say who shares them though nobody looks, and take back what was seen when nobody looks any more", async () => {
    const { workspaces, told, pass, show } = fixture();
    workspaces.handleChanges();
    await pass(1_000);
    const shares_with = [{ short_ref: "host/%2", place: "work:1.0" }];
    expect(told.get("rt1")).toEqual({
      changes: null,
      not_looked_at: null,
      shares_with,
      conflicts: [],
      ...NO_PULLS,
    });
    expect(told.has("rt3")).toBe(false);
    show(true);
    await pass(2_000);
    expect(told.get("rt1")).toEqual({
      changes: CHANGES,
      not_looked_at: null,
      shares_with,
      conflicts: [],
      ...NO_PULLS,
    });
    show(false);
    await pass(61_000);
    expect(told.get("rt1")).toEqual({
      changes: null,
      not_looked_at: null,
      shares_with,
      conflicts: [],
      ...NO_PULLS,
    });
    expect(told.get("rt3")).toBeNull();
  });

  it("that conflict say so though nobody looks", async () => {
    const side = { short_ref: "host/%3", place: "work:3.0", branch: "b", work_tree: "/q" };
    const conflicts = [{ kind: "merge" as const, files: ["a"], more_files: 0, with: side }];
    const { workspaces, told } = fixture({ conflicts });
    workspaces.handleNews();
    expect(told.get("rt1")?.conflicts).toEqual(conflicts);
    expect(told.get("rt3")).toBeUndefined();
    workspaces.close();
  });

  it("whose branch has a pull request, or of which none could be asked for, say so though nobody looks", () => {
    const problem = fixture({ pulls: { ...NO_PULLS, pull_request_problem: "gh isn't installed" } });
    problem.workspaces.handleNews();
    expect(problem.told.get("rt1")?.pull_request_problem).toBe("gh isn't installed");
    const { workspaces, told } = fixture({ pulls: { ...NO_PULLS, pull_request: makePullRequest() } });
    workspaces.handleNews();
    expect(told.get("rt1")?.pull_request).toEqual(makePullRequest());
    expect(told.get("rt3")).toBeUndefined();
    workspaces.close();
    problem.workspaces.close();
  });

  it("that are asked for are looked at once, of these rows alone", async () => {
    const { workspaces, looked, told, pass } = fixture();
    await workspaces.look([makePane({ pane: 3, activity: { folder: "/q", work_tree: "/q" } })], {
      maxAgeMs: 0,
      limitMs: 1_000,
    });
    expect(looked).toEqual(["/q"]);
    expect(told.get("rt3")).toMatchObject({ changes: CHANGES });
    await pass(61_000);
    expect(told.get("rt3")).toBeNull();
  });
});

const at = (pane: number, folder: string | null, more: Parameters<typeof makePane>[0] = {}) =>
  makePane({ pane, ...more, activity: { folder } });

it("finds agents in one worktree, also in different folders of it", () => {
  const rows = [
    makePane({ pane: 1, activity: { folder: "/r/src", work_tree: "/r" } }),
    makePane({ pane: 2, session: "pay", activity: { folder: "/r", work_tree: "/r" } }),
    makePane({ pane: 3, activity: { folder: "/r-two", work_tree: "/r-two" } }),
  ];
  expect([...findSharing(rows)]).toEqual([
    ["rt1", [{ short_ref: "host/%2", place: "pay:1.0" }]],
    ["rt2", [{ short_ref: "host/%1", place: "work:1.0" }]],
  ]);
});

it("finds agents in one folder outside of a worktree, on the same machine only", () => {
  const rows = [at(1, "/p"), at(2, "/p/"), at(3, "/p", { target: "vm1" }), at(4, "/p/sub"), at(5, null)];
  expect([...findSharing(rows).keys()]).toEqual(["rt1", "rt2"]);
});

it("counts only living agents", () => {
  const rows = [
    at(1, "/p"),
    at(2, "/p", { state: null, agent: null }),
    at(3, "/p", { state: "error", reason: "crashed" }),
  ];
  expect(findSharing(rows).size).toBe(0);
});
