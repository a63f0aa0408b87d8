// `agtmux history usage`: the tokens that agents used, as their logs state them, and what that cost where a log says so.
import {
  USAGE_GROUPS,
  type HistoryUsage,
  type HistoryUsageRow,
  type UsageGroup,
} from "../../core/model/history.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { type Cell, type Column, renderTable } from "../render/table.ts";
import { THIS_MACHINE } from "../../ui/text/sessionText.ts";
import { askHistory, parseHistoryFilters, refreshHistory, type HistoryFilterOptions } from "../askHistory.ts";

const parseGroup = (text: string): UsageGroup => {
  const group = USAGE_GROUPS.find((one) => one === text);
  if (group === undefined)
    throw new AgtmuxError("E_USAGE", `--by does not know '${text}'`, {
      remedy: `It is ${USAGE_GROUPS.join(", ")}.`,
    });
  return group;
};

const columnsFor = (by: UsageGroup): Column[] => [
  { title: by.toUpperCase(), min: 8 },
  { title: "ANSWERS", min: null, align: "right" },
  { title: "INPUT", min: null, align: "right" },
  { title: "OUTPUT", min: null, align: "right" },
  { title: "CACHE READ", min: null, align: "right" },
  { title: "CACHE WRITE", min: null, align: "right" },
  { title: "COST", min: null, align: "right" },
];

const nameOf = ({ identity, session }: HistoryUsageRow): string => {
  const { day, agent, model, target, session_id } = identity;
  if (session_id === undefined) return day ?? model ?? agent ?? target ?? "";
  const work = session?.title ?? session?.first_prompt ?? "";
  return `${target === THIS_MACHINE ? "" : `${target}/`}${agent}:${session?.short_ref ?? session_id.slice(-8)} ${work}`;
};

const grouped = (count: number): string => count.toLocaleString("en-US");
/** A log that states no cost says nothing of it: that is no zero. */
const money = (cost: number | null): string => (cost === null ? "-" : `$${cost.toFixed(cost < 1 ? 4 : 2)}`);

const toRow = (name: string, sum: HistoryUsage["summary"]): Cell[] => [
  { text: cleanLine(name) },
  ...[sum.answers, sum.input, sum.output, sum.cache_read, sum.cache_write].map((count) => ({
    text: grouped(count),
  })),
  { text: money(sum.cost) },
];

export const runHistoryUsage = async (
  context: CliContext,
  options: HistoryFilterOptions & { by?: string; json?: boolean },
): Promise<void> => {
  const by = parseGroup(options.by ?? "day");
  const filters = parseHistoryFilters(context, options);
  const usage = await withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    while (!(await askHistory(client, "readUsage", "mutation", undefined)).isDone)
      context.signal.throwIfAborted();
    return askHistory(client, "usage", "query", { by, ...filters });
  });
  if (options.json === true) {
    printDocument<HistoryUsage>(context, usage);
    return;
  }
  for (const problem of usage.problems) context.stderr.write(`agtmux: ${cleanLine(problem)}\n`);
  if (usage.items.length === 0) {
    context.print("No log says what was used.\n");
    return;
  }
  const rows = [...usage.items.map((row) => toRow(nameOf(row), row)), toRow("total", usage.summary)];
  const { width, paint } = context;
  const lines = renderTable(columnsFor(by), rows, { width, paint, measure: await measureFor(usage.items) });
  context.print(`${lines.join("\n")}\n`);
};
