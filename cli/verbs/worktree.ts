// `agtmux worktree list|remove`: the work trees of a repository, and removing what is merged and clean.
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { WorktreeList, WorktreeRemoved, WorktreeView } from "../../core/model/worktreeView.ts";
import { askWorkspaces } from "../askWorkspaces.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { renderTable, type Cell, type Column } from "../render/table.ts";
import { folderFrom } from "./start.ts";

interface Where {
  target?: string;
  cwd?: string;
  json?: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: "BRANCH", min: 8 },
  { title: "CHANGES", min: null },
  { title: "MERGED", min: null },
  { title: "AGENTS", min: 6 },
  { title: "FOLDER", min: 16 },
];

const changesOf = ({ changes }: WorktreeView): string =>
  changes === null ? "?" : changes.files === 0 ? "clean" : `${changes.files} files`;

const mergedOf = ({ is_main: isMain, is_merged: isMerged }: WorktreeView): string =>
  isMain ? "main" : isMerged === null ? "?" : isMerged ? "yes" : "no";

const toRow = (view: WorktreeView): Cell[] => [
  { text: cleanLine(view.branch ?? "(none)") },
  { text: changesOf(view) },
  { text: mergedOf(view) },
  { text: cleanLine(view.agents.join(" ")) },
  { text: cleanLine(view.path) },
];

export const runWorktreeList = async (context: CliContext, options: Where): Promise<void> => {
  const target = options.target ?? HOST_TARGET;
  const list = await withDaemon(context, (client) =>
    askWorkspaces(client, "worktreeList", "mutation", {
      target,
      folder: folderFrom(context, target, options.cwd),
    }),
  );
  if (options.json === true) {
    printDocument<WorktreeList>(context, list);
    return;
  }
  const measure = await measureFor(list.items);
  const below = (index: number): string[] => {
    const view = list.items[index];
    if (view === undefined || view.is_main) return [];
    const why = view.keeps.length > 0 ? `kept: ${view.keeps.join(", ")}` : "may be removed";
    const ignored = view.ignored.length > 0 ? `; ignored in it: ${view.ignored.slice(0, 5).join(", ")}` : "";
    return [`  ${cleanLine(`${why}${ignored}`)}`];
  };
  const lines = renderTable(COLUMNS, list.items.map(toRow), {
    width: context.width,
    measure,
    paint: context.paint,
    below,
  });
  context.print(`${lines.join("\n")}\n`);
};

export const runWorktreeRemove = async (
  context: CliContext,
  wanted: string,
  options: Where & { withIgnored?: boolean; yes?: boolean },
): Promise<void> => {
  const target = options.target ?? HOST_TARGET;
  const removed = await withDaemon(context, (client) =>
    askWorkspaces(client, "worktreeRemove", "mutation", {
      target,
      folder: folderFrom(context, target, options.cwd),
      wanted,
      withIgnored: options.withIgnored === true,
      isDryRun: options.yes !== true,
      surface: "cli",
    }),
  );
  if (options.json === true) {
    printDocument<WorktreeRemoved>(context, removed);
    return;
  }
  const { path, branch, dry_run: isDryRun, ignored } = removed;
  const lines = [
    isDryRun ? `Would remove ${path}; repeat with --yes to do it.` : `Removed ${path}.`,
    ...(ignored.length > 0
      ? [`${isDryRun ? "With it would go" : "With it went"} ${ignored.join(", ")}.`]
      : []),
    ...(branch === null ? [] : [`The branch ${branch} stays.`]),
  ];
  context.print(`${lines.map(cleanLine).join("\n")}\n`);
};
