// `agtmux history list`: the sessions that agents keep on disk.
import type { HistoryList, HistorySession } from "../../core/model/history.ts";
import { formatAge } from "../../core/model/words.ts";
import {
  askHistory,
  parseHistoryFilters,
  placeOf,
  refreshHistory,
  type HistoryFilterOptions,
} from "../askHistory.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { parseCount } from "../parse/count.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { type Cell, type Column, renderTable } from "../render/table.ts";

const DEFAULT_LIMIT = 30;
const MAX_LIMIT = 10_000;

const COLUMNS: readonly Column[] = [
  { title: "AGO", min: null, align: "right" },
  { title: "AGENT", min: 6 },
  { title: "SESSION", min: null },
  { title: "FOLDER", min: 10 },
  { title: "WORK", min: 20 },
];

const toRow = (session: HistorySession, now: number): Cell[] => [
  { text: formatAge(now - Date.parse(session.last_at)) },
  { text: cleanLine(session.agent_name) },
  { text: cleanLine(session.short_ref) },
  { text: cleanLine(placeOf(session)) },
  {
    text: cleanLine(
      `${session.pane_ref === null ? "" : "[open] "}${session.title ?? session.first_prompt ?? ""}`,
    ),
  },
];

const renderList = async (context: CliContext, { items, summary }: HistoryList): Promise<string[]> => {
  if (items.length === 0) return ["No session fits."];
  const rows = items.map((session) => toRow(session, context.now()));
  const { width, paint } = context;
  const more = summary.total - items.length;
  return [
    ...renderTable(COLUMNS, rows, { width, paint, measure: await measureFor(items) }),
    ...(more > 0 ? [paint("dim", `${more} more: --limit ${Math.min(summary.total, MAX_LIMIT)}`)] : []),
  ];
};

export const runHistoryList = async (
  context: CliContext,
  words: readonly string[],
  options: HistoryFilterOptions & { limit?: string; json?: boolean },
): Promise<void> => {
  const limit =
    options.limit === undefined
      ? DEFAULT_LIMIT
      : parseCount(options.limit, "--limit", { min: 1, max: MAX_LIMIT });
  const text = words.join(" ").trim();
  const input = { ...parseHistoryFilters(context, options), ...(text === "" ? {} : { text }), limit };
  const list = await withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    return askHistory(client, "list", "query", input);
  });
  if (options.json === true) {
    printDocument<HistoryList>(context, list);
    return;
  }
  context.print(`${(await renderList(context, list)).join("\n")}\n`);
  for (const problem of list.problems) context.stderr.write(`agtmux: ${cleanLine(problem)}\n`);
};
