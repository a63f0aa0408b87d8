// `agtmux audit`: what was done to panes, by which surface, and how it ended.
import type { AuditList } from "../../core/model/actionView.ts";
import { formatAge } from "../../core/model/words.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { parseCount } from "../parse/count.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { type Cell, type Column, renderTable } from "../render/table.ts";
import { printDocument } from "../document.ts";
import { countBy } from "../countBy.ts";
import type { AuditDocument } from "../../core/model/documents.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

const COLUMNS: readonly Column[] = [
  { title: "AGO", min: null, align: "right" },
  { title: "ACTION", min: null },
  { title: "OUTCOME", min: 10 },
  { title: "LENGTH", min: null, align: "right" },
  { title: "BY", min: 4 },
  { title: "THEN", min: 8 },
  { title: "REF", min: null },
];

/** The states that followed, in order. An event alone still shows that the agent received the action. */
const describeAftermath = ({ followed_by }: AuditList["items"][number]): string => {
  const steps = followed_by.filter(({ kind }) => kind === "transition");
  const words = (steps.length > 0 ? steps : followed_by.slice(0, 1)).map(({ what }) => cleanLine(what));
  return words.filter((word, index) => word !== words[index - 1]).join(", ");
};

const toRow = (entry: AuditList["items"][number], now: number): Cell[] => [
  { text: formatAge(now - Date.parse(entry.at)) },
  { text: cleanLine(entry.action) },
  { text: cleanLine(entry.outcome) },
  { text: entry.text_length === null ? "" : String(entry.text_length) },
  { text: cleanLine(entry.surface) },
  { text: describeAftermath(entry) },
  { text: cleanLine(entry.ref) },
];

export const runAudit = async (
  context: CliContext,
  options: { limit?: string; json?: boolean },
): Promise<void> => {
  const limit =
    options.limit === undefined
      ? DEFAULT_LIMIT
      : parseCount(options.limit, "--limit", { min: 1, max: MAX_LIMIT });
  const list = await withDaemon(context, (client) => client.call((api) => api.audit.query({ limit })));
  if (options.json === true) {
    printDocument<AuditDocument>(context, {
      generated_at: list.generated_at,
      filters: { limit },
      summary: { total: list.items.length, by_outcome: countBy(list.items, ({ outcome }) => outcome) },
      items: list.items.map((item) => ({
        identity: { action_id: item.action_id, runtime_id: item.runtime_id },
        ...item,
      })),
    });
    return;
  }
  if (list.items.length === 0) {
    context.print("No action is on record yet.\n");
    return;
  }
  const rows = list.items.map((entry) => toRow(entry, context.now()));
  const { width, paint } = context;
  const lines = renderTable(COLUMNS, rows, { width, paint, measure: await measureFor(list) });
  context.print(`${lines.join("\n")}\n`);
};
