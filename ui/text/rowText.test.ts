import { describe, expect, it } from "vitest";
import { makePane, makePullRequest, makeWorkspace } from "../../test/factories/view.ts";
import type { PaneView } from "../../core/model/view.ts";
import {
  cardBadge,
  isUnreadDone,
  panePlace,
  rowAge,
  rowParts,
  rowSince,
  rowTitle,
  conflictTexts,
  pullRequestText,
  pullRequestTexts,
  sharesText,
  totalsOf,
  workText,
} from "./rowText.ts";

const activity = {
  prompt: "Split the refund service",
  tool: { name: "Bash", subject: "npm test -- refunds" },
  said: "All 14 tests pass.",
  folder: "/home/ann/src/shop-api/billing",
  repository: "shop-api",
  branch: "split-refunds",
  turn_began_at: "2026-11-22T10:00:00.000Z",
};

describe("a row's title", () => {
  it.each([
    ["what the person asked", { prompt: "Split the refunds", session_title: "Refunds" }, "Split the refunds"],
    [
      "the session's name where the prompt says nothing",
      { prompt: "go on", session_title: "Refunds" },
      "Refunds",
    ],
    ["a short prompt where nothing else is known", { prompt: "go on" }, "go on"],
    [
      "a prompt without blanks",
      { prompt: "払い戻しを分割して", session_title: "Refunds" },
      "払い戻しを分割して",
    ],
    ["the session's name without a prompt", { session_title: "Refunds" }, "Refunds"],
  ])("is %s", (_name, told, text) => expect(rowTitle(makePane({ activity: told })).text).toBe(text));

  it.each([
    ["api", { text: "api", source: "window" }],
    ["⠹ fix the login", { text: "fix the login", source: "window" }],
    ["ann@devbox:~/src/web", { text: "web", source: "window" }],
    ["✳ Claude Code", { text: "shop", source: "folder" }],
    ["claude", { text: "shop", source: "folder" }],
    ["node", { text: "shop", source: "folder" }],
    ["-zsh", { text: "shop", source: "folder" }],
    ["~/src/shop", { text: "shop", source: "folder" }],
    ["", { text: "shop", source: "folder" }],
  ])("is without both what the window %j says of the work, else the folder", (windowName, expected) => {
    expect(rowTitle(makePane({ windowName, activity: { folder: "/home/ann/src/shop/" } }))).toEqual(expected);
  });

  it("is the window's name as it stands where nothing at all is known", () => {
    expect(rowTitle(makePane({ windowName: "zsh", agent: null })).text).toBe("zsh");
    expect(rowTitle(makePane({ windowName: "", window: 4 })).text).toBe("window 4");
  });

  it("shows what a hostile text holds instead of obeying it", () => {
    expect(rowTitle(makePane({ activity: { session_title: "a\u202eb\u0007" } })).text).toBe(
      "a⟨U+202E⟩b⟨U+0007⟩",
    );
    expect(rowTitle(makePane({ windowName: "\u202e✳ x" })).text).toBe("⟨U+202E⟩✳ x");
  });
});

describe("a row", () => {
  it("says who works where and on what, and the machine only where there are several", () => {
    const pane = makePane({ state: "running", reason: "tool", activity });
    const texts = (hasMachines: boolean): string[] => rowParts(pane, { hasMachines }).map(({ text }) => text);
    expect(texts(false)).toEqual(["Claude Code", "shop-api", "split-refunds", "running npm test -- refunds"]);
    expect(texts(true)[1]).toBe("host");
  });

  it("says what is not committed there, and who else works there", () => {
    const changes = { files: 3, added: 12, removed: 3, ahead: 2, behind: 0 };
    const more = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ short_ref: `host/%${at + 2}`, place: `pay‮:2.${at}` }));
    const texts = (workspace: PaneView["workspace"], hasMachines = false): string[] =>
      rowParts(
        makePane({
          state: "running",
          reason: "tool",
          activity,
          ...(workspace === null ? {} : { workspace }),
        }),
        {
          hasMachines,
        },
      )
        .filter(({ kind }) => kind === "changes" || kind === "shared")
        .map(({ text }) => text);
    const nothing = {
      not_looked_at: null,
      shares_with: [],
      conflicts: [],
      pull_request: null,
      pull_request_problem: null,
    };
    expect(texts({ changes, ...nothing })).toEqual(["+12 −3 ↑2"]);
    expect(texts({ changes: { ...changes, added: 0, removed: 0, ahead: null }, ...nothing })).toEqual([
      "3 files",
    ]);
    expect(
      texts({ changes: { ...changes, files: 1, added: null, removed: null, ahead: 0 }, ...nothing }),
    ).toEqual(["1 file"]);
    expect(texts({ changes: null, ...nothing, not_looked_at: "no", shares_with: more(1) })).toEqual([
      "shared",
    ]);
    const shares = (count: number, hasMachines: boolean) =>
      sharesText(makePane({ workspace: { changes: null, ...nothing, shares_with: more(count) } }), {
        hasMachines,
      });
    expect([shares(0, false), shares(1, false), shares(3, true)]).toEqual([
      "",
      "shares folder with pay⟨U+202E⟩:2.0",
      "shares folder with host/%2 and 2 others",
    ]);
    expect(texts(null)).toEqual([]);
  });

  it("conflicts with others, by a mark on the row and a sentence for each in the detail", () => {
    const conflict = {
      kind: "merge",
      files: ["src/a.ts", "b\u202E"],
      more_files: 1,
      with: { short_ref: "host/%2", place: "work:2.0", branch: "fix/tax", work_tree: "/w" },
    } as const;
    const edit = { ...conflict, kind: "uncommitted", files: ["x\ny"], more_files: 0 } as const;
    const workspace = {
      ...makeWorkspace(),
      conflicts: [conflict, { ...edit, with: { ...conflict.with, branch: null } }],
    };
    const pane = makePane({
      workspace: {
        ...workspace,
        conflicts: workspace.conflicts.map((one) => ({ ...one, files: [...one.files] })),
      },
    });
    expect(conflictTexts(pane, { hasMachines: false })).toEqual([
      "conflicts with work:2.0 (fix/tax) in src/a.ts and 2 other files",
      expect.stringMatching(/^both edit x\P{Cc}+y: this agent and work:2\.0$/u),
    ]);
    expect(rowParts(pane, { hasMachines: false }).filter(({ kind }) => kind === "conflict")).toHaveLength(1);
    expect(conflictTexts(makePane({ workspace: null }), { hasMachines: false })).toEqual([]);
  });

  it("has a pull request: its state and checks on the row, its title and why nothing newer is known in the detail", () => {
    const of = (more: Parameters<typeof makePullRequest>[0], pull_request_problem: string | null = null) =>
      makePane({ workspace: makeWorkspace({ pull_request: makePullRequest(more), pull_request_problem }) });
    const failed = { state: "failed", failed: "lint\u001B[2J", failed_count: 3 } as const;
    expect(pullRequestText(of({ state: "approved" }))).toBe("#12 approved, checks passed");
    expect(pullRequestText(of({ checks: failed }))).toMatch(/^#12 open, lint\P{Cc}+ and 2 others failed$/u);
    expect(pullRequestText(of({ checks: { ...failed, failed: null } }))).toBe("#12 open, checks failed");
    expect(pullRequestText(of({ checks: { ...failed, failed: "x".repeat(90), failed_count: 1 } }))).toBe(
      `#12 open, ${"x".repeat(29)}… failed`,
    );
    expect(pullRequestText(of({ state: "merged", checks: failed }))).toBe("#12 merged");
    expect(pullRequestText(of({ forge: "gitlab", state: "draft", checks: null }))).toBe("!12 draft");
    expect(pullRequestText(makePane())).toBe("");
    expect(pullRequestTexts(of({}, "gh isn't logged in to github.com"))).toEqual([
      "pull request #12: open, checks passed: “Split refunds”",
      "no news of pull requests: gh isn't logged in to github.com",
    ]);
    expect(rowParts(of({}), { hasMachines: false }).find(({ kind }) => kind === "pull_request")?.text).toBe(
      "#12 checks passed",
    );
    expect(pullRequestTexts(makePane())).toEqual([]);
  });

  it("is in a folder where there is no repository", () => {
    const pane = makePane({ activity: { folder: "/home/ann/notes" } });
    expect(rowParts(pane, { hasMachines: false }).map(({ text }) => text)).toEqual(["Claude Code", "notes"]);
  });

  it("says what it is inside of where only its screen can be read", () => {
    const pane = { ...makePane({}), inside: "ssh" };
    expect(rowParts(pane, { hasMachines: false })[1]).toEqual({ kind: "place", text: "inside ssh" });
    expect(panePlace(pane)).toBe(`${panePlace(makePane({}))} / inside ssh`);
  });

  const work = (options: Parameters<typeof makePane>[0]): string => workText(makePane(options));
  it("says what the agent does", () => {
    const tool = (name: string, subject: string | null) =>
      work({ state: "running", reason: "tool", activity: { tool: { name, subject } } });
    expect([
      tool("Edit", "src/a.ts"),
      tool("read_file", "a.ts"),
      tool("grep", "TODO"),
      tool("Task", null),
      tool("mcp__jira__get", "SHOP-1"),
    ]).toEqual([
      "editing src/a.ts",
      "reading a.ts",
      "searching TODO",
      "using Task",
      "using mcp__jira__get SHOP-1",
    ]);
  });

  it("says beside it what else goes on, each thing once", () => {
    const running = { state: "running", activity } as const;
    expect([
      work({ ...running, progress: "2 queued" }),
      work({ ...running, reason: "retrying", progress: "attempt 3 of 10" }),
      work({ state: "running", reason: "background_task", progress: "background task" }),
      work({ state: "error", reason: "api_error", progress: "529 overloaded" }),
      work({ state: "error", reason: "crashed" }),
      work({ state: "waiting_approval", progress: "1 background shell", activity }),
    ]).toEqual([
      "running npm test -- refunds · 2 queued",
      "retrying · attempt 3 of 10",
      "background task",
      "API error · 529 overloaded",
      "crashed",
      "1 background shell",
    ]);
  });

  it("ends with what the agent said once it is done, and with nothing where its icon says all", () => {
    expect(work({ state: "completed", activity })).toBe("All 14 tests pass.");
    expect(work({ state: "idle", reason: "interrupted", activity })).toBe("interrupted · All 14 tests pass.");
    expect([work({ state: "completed" }), work({ state: "idle" })]).toEqual(["", ""]);
  });

  it("is as old as its turn while it works, else as its state", () => {
    const since = Date.parse("2026-11-22T10:05:00.000Z");
    const now = Date.parse("2026-11-22T10:06:00.500Z");
    const running = makePane({ state: "running", since, activity });
    const completed = makePane({ state: "completed", since, activity });
    expect([rowSince(running), rowAge(running, now)]).toEqual(["2026-11-22T10:00:00.000Z", "6m"]);
    expect([rowSince(completed), rowAge(completed, now)]).toEqual(["2026-11-22T10:05:00.000Z", "1m"]);
    expect(rowAge(makePane({ state: null }), now)).toBe("");
  });
});

describe("a card", () => {
  it("says in one word why it is there", () => {
    expect(cardBadge(makePane({ state: "error", reason: "usage_limit" }))).toEqual({
      tone: "error",
      text: "Limit",
    });
    expect(cardBadge(makePane({ state: "waiting_input", reason: "question" }))).toEqual({
      tone: "question",
      text: "Question",
    });
    expect(cardBadge(makePane({ state: "running" }))).toBeNull();
  });
});

describe("the totals", () => {
  const NONE = {
    error: 0,
    waiting_approval: 0,
    waiting_input: 0,
    running: 0,
    completed: 0,
    idle: 0,
    unknown: 0,
    unread: 0,
  };

  it("count as done what nobody has looked at", () => {
    const texts = totalsOf({ ...NONE, completed: 3, idle: 2, unread: 2 }).map(({ text }) => text);
    expect(texts).toEqual(["2 done"]);
    const seen = makePane({ state: "completed" });
    const ended = { ...seen, unread_since: "2026-11-22T10:00:00.000Z" };
    expect([isUnreadDone(seen), isUnreadDone(ended)]).toEqual([false, true]);
    expect(isUnreadDone({ ...ended, state: "error", needs_action: true })).toBe(false);
    expect(isUnreadDone({ ...ended, state: "unknown" })).toBe(false);
  });

  it("count in words and leave out what nobody is", () => {
    const texts = totalsOf({ ...NONE, error: 1, waiting_approval: 3, running: 8 }).map(({ text }) => text);
    expect(texts).toEqual(["4 need you", "8 working"]);
    expect(totalsOf({ ...NONE, waiting_input: 1 })[0]?.text).toBe("1 needs you");
    expect(totalsOf({ ...NONE, unknown: 1 }).map(({ text }) => text)).toEqual(["1 unknown"]);
  });
});
