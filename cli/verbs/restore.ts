// `agtmux restore`: brings back the sessions of agents that ended with their tmux server, after asking once for the whole list.
import type { LostList, LostSession, Restored } from "../../core/model/lostSession.ts";
import { formatAge } from "../../core/model/words.ts";
import { ask, leaveUndone } from "../ask.ts";
import { askWorkspaces } from "../askWorkspaces.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { renderTable, type Cell, type Column } from "../render/table.ts";

export interface RestoreOptions {
  dryRun?: boolean;
  yes?: boolean;
  forget?: boolean;
  json?: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: "SESSION", min: 8 },
  { title: "WINDOW", min: 8 },
  { title: "AGENT", min: 5 },
  { title: "SEEN", min: null, align: "right" },
  { title: "FOLDER", min: 16 },
];

const toRow = (lost: LostSession, now: number): Cell[] => [
  { text: cleanLine(lost.target === "host" ? lost.session_name : `${lost.target}/${lost.session_name}`) },
  { text: cleanLine(`${lost.window_index}:${lost.window_name}`) },
  { text: cleanLine(lost.agent) },
  { text: `${formatAge(now - Date.parse(lost.seen_at))} ago` },
  { text: cleanLine(lost.folder) },
];

const printList = async (context: CliContext, { items }: LostList): Promise<void> => {
  const measure = await measureFor(items);
  const rows = items.map((lost) => toRow(lost, context.now()));
  const { width, paint } = context;
  context.print(`${renderTable(COLUMNS, rows, { width, measure, paint }).join("\n")}\n`);
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

/** Gives the exit status: 1 where some did not come back. */
export const runRestore = async (context: CliContext, options: RestoreOptions): Promise<number> =>
  withDaemon(context, async (client) => {
    const list = await askWorkspaces(client, "lostList", "query", undefined);
    const isAsked = options.yes !== true && options.forget !== true && options.dryRun !== true;
    if (options.json === true && (options.dryRun === true || list.items.length === 0)) {
      printDocument<LostList>(context, list);
      return 0;
    }
    if (list.items.length === 0) {
      context.print("Nothing was lost with a tmux server.\n");
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
      await askWorkspaces(client, "lostForget", "mutation", { ids });
      context.print("They are not offered any more.\n");
      return 0;
    }
    const restored = await askWorkspaces(client, "restore", "mutation", { ids, surface: "cli" });
    if (options.json === true) printDocument<Restored>(context, restored);
    else context.print(`${restoredLines(restored).join("\n")}\n`);
    return restored.items.every(({ problem }) => problem === null) ? 0 : 1;
  });
