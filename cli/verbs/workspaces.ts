// `agtmux worktree list|remove` (worktrees of a repository, and removing what is merged and clean), `agtmux conflicts` (between those
// of agents), `agtmux loads` (what agents read in a folder) and `agtmux restore` (sessions that ended with their tmux server). All of
// it is done by the daemon.
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type {
  ConflictList,
  ConflictSide,
  WorktreeList,
  WorktreeRemoved,
  WorktreeView,
  Loaded,
  Loads,
  LostList,
  LostSession,
  Restored,
} from "../../core/model/workspace.ts";
import { callDaemon, withDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor, renderTable, type Cell, type Column } from "../render/table.ts";
import { folderFrom } from "./start.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { settleRef } from "../command/settleRef.ts";
import { formatAge } from "../../core/model/words.ts";
import { ask, leaveUndone } from "../command/ask.ts";

const sideText = ({ short_ref: ref, branch }: ConflictSide): string =>
  cleanLine(branch === null ? ref : `${ref} (${branch})`);

const conflictLines = (
  { kind, sides, files, more_files: more }: ConflictList["items"][number],
  { paint }: CliContext,
): string[] => [
  `${sides.map(sideText).join(" and ")} ${kind === "merge" ? "conflict in:" : "both edit, not committed yet:"}`,
  ...files.map((file) => `  ${cleanLine(file)}`),
  ...(more === 0 ? [] : [paint("dim", `  and ${more} more`)]),
];

export const runConflicts = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const list = await callDaemon(context, (api) => api.workspaces.conflicts.mutate());
  if (options.json === true) return printDocument<ConflictList>(context, list);
  const { compared, items, not_looked_at: left } = list;
  const none =
    compared < 2
      ? "No two agents work in worktrees of the same repository."
      : `No conflicts between ${compared} worktrees.`;
  const lines = [
    ...(items.length === 0 ? [none] : items.flatMap((item) => conflictLines(item, context))),
    ...left.map(({ work_tree: folder, reason }) =>
      context.paint("dim", `Not compared: ${cleanLine(folder)}: ${cleanLine(reason)}`),
    ),
  ];
  context.print(`${lines.join("\n")}\n`);
};

interface Where {
  target?: string;
  cwd?: string;
  json?: boolean;
}

const WORKTREE_COLUMNS: readonly Column[] = [
  { title: "BRANCH", min: 8 },
  { title: "CHANGES", min: null },
  { title: "MERGED", min: null },
  { title: "AGENTS", min: 6 },
  { title: "FOLDER", min: 16 },
];

const changesOf = ({ changes }: WorktreeView): string =>
  changes === null
    ? "?"
    : changes.files === 0
      ? "clean"
      : changes.files === 1
        ? "1 file"
        : `${changes.files} files`;

const mergedOf = ({ is_main: isMain, is_merged: isMerged }: WorktreeView): string =>
  isMain ? "main" : isMerged === null ? "?" : isMerged ? "yes" : "no";

const toWorktreeRow = (view: WorktreeView): Cell[] => [
  { text: cleanLine(view.branch ?? "(none)") },
  { text: changesOf(view) },
  { text: mergedOf(view) },
  { text: cleanLine(view.agents.join(" ")) },
  { text: cleanLine(view.path) },
];

export const runWorktreeList = async (context: CliContext, options: Where): Promise<void> => {
  const target = options.target ?? HOST_TARGET;
  const list = await callDaemon(context, (api) =>
    api.workspaces.worktreeList.mutate({
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
  const lines = renderTable(WORKTREE_COLUMNS, list.items.map(toWorktreeRow), {
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
  const removed = await callDaemon(context, (api) =>
    api.workspaces.worktreeRemove.mutate({
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

// Loads: what each agent would read when it starts in a folder, that of a pane or one that is named. Names and places only.

const KIND_WIDTH = 13;
const LEVEL_WIDTH = 9;

/** A folder begins with `/`, `./`, `../` or `~/`, or is `.`, `..` or `~`; anything else names a pane. */
const isFolder = (typed: string): boolean => /^(?:\.{1,2}|~)$|^(?:\/|\.{1,2}\/|~\/)/.test(typed);

const placeOf = async (
  context: CliContext,
  client: DaemonClient,
  typed: string | undefined,
  target: string | undefined,
): Promise<{ target: string; folder: string }> => {
  const machine = target ?? HOST_TARGET;
  if (typed === undefined || isFolder(typed))
    return { target: machine, folder: folderFrom(context, machine, typed) };
  if (target !== undefined)
    throw new AgtmuxError("E_USAGE", "--target goes with a folder: a pane says its machine itself");
  const ref = await settleRef(context, client, { ref: typed, says: false });
  const { pane } = await client.call((api) => api.explain.query({ ref }));
  const folder = pane.activity?.folder ?? null;
  if (folder === null)
    throw new AgtmuxError("E_UNSUPPORTED", `can't tell which folder ${ref} works in`, {
      remedy: "Name the folder instead.",
    });
  return { target: pane.identity.target, folder };
};

const itemLines = (item: Loaded, paint: CliContext["paint"]): string[] => {
  const { kind, level, path } = item.identity;
  const names = item.names.length === 0 ? "" : `: ${item.names.join(", ")}${item.has_more ? ", …" : ""}`;
  const indent = " ".repeat(2 + KIND_WIDTH + LEVEL_WIDTH);
  return [
    `  ${kind.padEnd(KIND_WIDTH)}${paint("dim", level.padEnd(LEVEL_WIDTH))}${cleanLine(`${path}${names}`)}`,
    ...(item.problem === null ? [] : [`${indent}${paint("yellow", `! ${cleanLine(item.problem)}`)}`]),
    ...item.notes.map((note) => `${indent}${paint("dim", `! ${cleanLine(note)}`)}`),
  ];
};

const render = ({ agents, items }: Loads, paint: CliContext["paint"]): string[] => {
  const known = agents.filter(({ basis }) => basis !== null);
  const unknown = agents.filter(({ basis }) => basis === null).map(({ agent_name }) => agent_name);
  return [
    ...known.flatMap(({ agent, agent_name, basis, unknown: more }) => {
      const own = items.filter(({ identity }) => identity.agent === agent);
      return [
        paint("bold", cleanLine(agent_name)) + paint("dim", `  by ${cleanLine(basis ?? "")}`),
        ...(own.length === 0 ? ["  nothing here"] : own.flatMap((item) => itemLines(item, paint))),
        ...(more.length === 0 ? [] : [paint("dim", `  not looked at: ${cleanLine(more.join("; "))}`)]),
        "",
      ];
    }),
    ...(unknown.length === 0 ? [] : [`Unknown for: ${cleanLine(unknown.join(", "))}.`]),
  ];
};

export const runLoads = async (
  context: CliContext,
  typed: string | undefined,
  options: {
    agent?: string;
    target?: string;
    json?: boolean;
  },
): Promise<void> => {
  const loads = await withDaemon(context, async (client) =>
    client.call(async (api) =>
      api.workspaces.loads.query({
        ...(await placeOf(context, client, typed, options.target)),
        agent: options.agent ?? null,
      }),
    ),
  );
  if (options.json === true) printDocument<Loads>(context, loads);
  else context.print(`${render(loads, context.paint).join("\n").trimEnd()}\n`);
};

// Restore: brings back the sessions of agents that ended with their tmux server, after one question for the whole list.

const LOST_COLUMNS: readonly Column[] = [
  { title: "SESSION", min: 8 },
  { title: "WINDOW", min: 8 },
  { title: "AGENT", min: 5 },
  { title: "SEEN", min: null, align: "right" },
  { title: "FOLDER", min: 16 },
];

const toLostRow = (lost: LostSession, now: number): Cell[] => [
  { text: cleanLine(lost.target === "host" ? lost.session_name : `${lost.target}/${lost.session_name}`) },
  { text: cleanLine(`${lost.window_index}:${lost.window_name}`) },
  { text: cleanLine(lost.agent) },
  { text: `${formatAge(now - Date.parse(lost.seen_at))} ago` },
  { text: cleanLine(lost.folder) },
];

const printList = async (context: CliContext, { items }: LostList): Promise<void> => {
  const measure = await measureFor(items);
  const rows = items.map((lost) => toLostRow(lost, context.now()));
  const { width, paint } = context;
  context.print(`${renderTable(LOST_COLUMNS, rows, { width, measure, paint }).join("\n")}\n`);
};

const restoredLines = ({ items }: Restored): string[] => {
  const back = items.filter(({ problem }) => problem === null).length;
  return [
    `${back} of ${items.length} came back.`,
    ...items.flatMap(({ lost, started, problem }) => [
      ...(problem === null ? [] : [`! ${lost.agent} in ${lost.session_name}: ${problem}`]),
      ...(problem === null ? (started?.warnings ?? []) : []).map(
        (warning) => `! ${lost.agent} in ${lost.session_name}: ${warning}`,
      ),
    ]),
  ].map(cleanLine);
};

/** Gives the exit status: 1 if some did not come back. */
export const runRestore = async (
  context: CliContext,
  options: {
    dryRun?: boolean;
    yes?: boolean;
    forget?: boolean;
    json?: boolean;
  },
): Promise<number> =>
  withDaemon(context, async (client) => {
    const list = await client.call((api) => api.workspaces.lostList.query());
    const isAsked = options.yes !== true && options.forget !== true && options.dryRun !== true;
    if (options.json === true && (options.dryRun === true || list.items.length === 0)) {
      printDocument<LostList>(context, list);
      return 0;
    }
    if (list.items.length === 0) {
      context.print("No sessions to restore.\n");
      return 0;
    }
    if (options.json !== true) await printList(context, list);
    if (options.dryRun === true) return 0;
    if (isAsked) {
      if (!context.stdin.isTTY || !context.stdout.isTTY || options.json === true)
        throw new AgtmuxError("E_CONFIRMATION_REQUIRED", `restore starts ${list.items.length} agents`);
      const answer = await ask(`Bring back ${list.items.length}? [y/N] `, context);
      if (answer !== true) return leaveUndone(context, answer !== null);
    }
    const ids = list.items.map(({ agent_session_id: id }) => id);
    if (options.forget === true) {
      await client.call((api) => api.workspaces.lostForget.mutate({ ids }));
      context.print("They won't be offered again.\n");
      return 0;
    }
    const restored = await client.call((api) => api.workspaces.restore.mutate({ ids, surface: "cli" }));
    if (options.json === true) printDocument<Restored>(context, restored);
    else context.print(`${restoredLines(restored).join("\n")}\n`);
    return restored.items.every(({ problem }) => problem === null) ? 0 : 1;
  });
