// `agtmux channel list|test`: where notifications go beside this desktop.
import { OUTCOME_EXIT_CODES } from "../../core/model/actionView.ts";
import type { ChannelList, ChannelView } from "../../core/model/channel.ts";
import type { ChannelListDocument } from "../../core/model/documents.ts";
import { formatAge } from "../../core/model/words.ts";
import { askAutomation } from "../askAutomation.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { type Cell, type Column, renderTable } from "../render/table.ts";

const COLUMNS: readonly Column[] = [
  { title: "CHANNEL", min: 7 },
  { title: "KIND", min: null },
  { title: "TO", min: 10 },
  { title: "TELLS", min: 10 },
  { title: "WITH", min: null },
  { title: "LAST", min: 8 },
];

const describeLast = ({ enabled, last, waiting, dropped }: ChannelView, now: number): string => {
  if (!enabled) return "switched off";
  const how =
    last === null
      ? "nothing yet"
      : `${last.outcome === "delivered" ? "delivered" : "NOT DELIVERED"} ${formatAge(now - Date.parse(last.at))} ago`;
  return [
    how,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
  ].join(", ");
};

const toRow = (view: ChannelView, now: number): Cell[] => [
  { text: cleanLine(view.name) },
  { text: view.kind },
  { text: cleanLine(view.to) },
  { text: view.events.join(", ") },
  { text: view.include },
  { text: describeLast(view, now) },
];

const describeProblem = ({ line, path, message }: ChannelList["problems"][number]): string =>
  `config.json:${line}: ${path === "" ? "" : `${path}: `}${message}`;

const renderList = async (context: CliContext, { items }: ChannelList): Promise<string[]> => {
  if (items.length === 0)
    return ["No channel is configured, so nothing is sent out: see docs/automation.md."];
  const rows = items.map((view) => toRow(view, context.now()));
  return renderTable(COLUMNS, rows, {
    width: context.width,
    paint: context.paint,
    measure: await measureFor(items),
    below: (index) => {
      const last = items[index]?.last;
      return last?.outcome === "not_delivered" ? [`  ${cleanLine(last.detail)}`] : [];
    },
  });
};

export const runChannelList = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const list = await withDaemon(context, (client) =>
    askAutomation(client, "channelList", "query", undefined),
  );
  const problems = list.problems.map(describeProblem);
  if (options.json === true) {
    printDocument<ChannelListDocument>(context, {
      filters: {},
      summary: { total: list.items.length },
      problems,
      items: list.items.map((view) => ({ identity: { channel: view.name }, ...view })),
    });
    return;
  }
  const lines = [...(await renderList(context, list)), ...problems.map((one) => `! ${cleanLine(one)}`)];
  context.print(`${lines.join("\n")}\n`);
};

/** Gives the exit status. */
export const runChannelTest = async (
  context: CliContext,
  name: string,
  options: { json?: boolean },
): Promise<number> => {
  const result = await withDaemon(context, (client) =>
    askAutomation(client, "channelTest", "mutation", { name }),
  );
  if (options.json === true) printDocument(context, result);
  else
    context.print(
      result.outcome === "delivered" ? "Delivered.\n" : `Not delivered: ${cleanLine(result.detail)}.\n`,
    );
  return OUTCOME_EXIT_CODES[result.outcome];
};
