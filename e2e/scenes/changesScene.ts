// What an agent has changed on its branch: files of every kind, one of them large, and lines that would like to be more than text.
import type { DiffHunk, FileDiff, TreeDiff } from "../../core/model/treeDiff.ts";
import type { PaneView } from "../../core/model/view.ts";
import { SCHEMA_VERSION } from "../../core/model/schemaVersion.ts";
import { tenScene } from "./workScene.ts";

const file = (
  path: string,
  lines: readonly string[],
  change: Partial<FileDiff> = {},
  heading = "",
): FileDiff => {
  const hunk: DiffHunk = { old_start: 41, new_start: 41, heading, lines: [...lines] };
  return {
    identity: { path },
    old_path: null,
    change: "modified",
    is_untracked: false,
    is_binary: false,
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    hunks: lines.length === 0 ? [] : [hunk],
    left_out: null,
    ...change,
  };
};

const REFUND = [
  " export const splitRefund = (refund: Refund): Part[] => {",
  "-  const total = refund.amount;",
  "-  return parts(total, refund.currency);",
  "+  const total = round(refund.amount, refund.currency);",
  "+  // The last part takes what rounding left, so that the parts together are the refund.",
  "+  return partsOf(total, refund.currency, { lastTakesRest: true });",
  " };",
  " ",
  ' const NAMES = ["<b>not markup</b>"];',
  "+\u001B[31mred\u001B[0m \u202Eevil",
];

export const changesDiff = (lines = 5_000): TreeDiff => {
  const items = [
    file("src/refunds/splitRefund.ts", REFUND, {}, 'import { round } from "../money.ts";'),
    file("src/refunds/parts.ts", [" one", "-two", "+2", " three"], {
      old_path: "src/parts.ts",
      change: "renamed",
    }),
    file("docs/refunds.md", ["+# Refunds", "+", "+A refund in several currencies is split by currency."], {
      change: "added",
      is_untracked: true,
    }),
    file(
      "test/fixtures/ledger.csv",
      Array.from({ length: lines }, (_, index) => `+${index},EUR,${index * 3}`),
    ),
    file("docs/flow.png", [], { is_binary: true, added: null, removed: null }),
    file("package-lock.json", [], {
      added: 12_431,
      removed: 9_870,
      left_out: "22301 changed lines are too many to show",
    }),
  ];
  const sum = (key: "added" | "removed"): number => items.reduce((all, one) => all + (one[key] ?? 0), 0);
  return {
    schema_version: SCHEMA_VERSION,
    generated_at: "2026-11-22T10:00:00.000Z",
    target: "host",
    work_tree: "/home/ann/src/shop-api",
    branch: "feat/refunds",
    base: { kind: "branch", name: "origin/main", commit: "3f2a1c09d4b7e4f0a9c610b1f6f0c5b113f2a1c0" },
    summary: { files: items.length, added: sum("added"), removed: sum("removed") },
    left_out: [],
    items,
  };
};

/** The ten agents, those that work in a repository in a worktree of it. */
export const worktreeScene = (now: number): readonly PaneView[] =>
  tenScene(now).map((pane) => ({
    ...pane,
    activity:
      pane.activity === null || pane.activity.branch === null
        ? pane.activity
        : { ...pane.activity, work_tree: pane.activity.folder },
  }));
