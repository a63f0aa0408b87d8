// `agtmux target list`: the machines that are watched, and how each is reached.
import type { TargetListDocument } from "../../core/model/documents.ts";
import type { TargetView } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import type { Paint } from "../render/paint.ts";
import { describeLink, describeServers, describeTrouble } from "../render/targetLines.ts";
import { type Cell, type Column, renderTable } from "../render/table.ts";
import { printDocument } from "../document.ts";
import { countBy } from "../countBy.ts";

const COLUMNS: readonly Column[] = [
  { title: "TARGET", min: 6 },
  { title: "KIND", min: null },
  { title: "HEALTH", min: null },
  { title: "VIA", min: null },
  { title: "SEEN", min: null, align: "right" },
  { title: "TMUX SERVERS", min: 12 },
];

const healthCell = (target: TargetView, paint: Paint): Cell => {
  switch (target.health) {
    case "ok":
      return { text: "ok", paint: (text) => paint("green", text) };
    case "degraded":
      return { text: "degraded", paint: (text) => paint("yellow", text) };
    case "down":
      return { text: "down", paint: (text) => paint("red", text) };
  }
};

const toRow = (target: TargetView, context: CliContext): Cell[] => [
  { text: cleanLine(target.target) },
  { text: target.kind },
  healthCell(target, context.paint),
  { text: describeLink(target) },
  {
    text: target.last_seen_at === null ? "never" : formatAge(context.now() - Date.parse(target.last_seen_at)),
  },
  { text: describeServers(target) },
];

export const runTargetList = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const targets = await withDaemon(context, (client) => client.call((api) => api.targets.query()));
  if (options.json === true) {
    printDocument<TargetListDocument>(context, {
      filters: {},
      summary: { total: targets.length, by_health: countBy(targets, ({ health }) => health) },
      items: targets.map((target) => ({ identity: { target: target.target }, ...target })),
    });
    return;
  }
  const troubles = targets.map((target) => describeTrouble(target, context.now()).map((line) => `  ${line}`));
  const rows = targets.map((target) => toRow(target, context));
  const lines = renderTable(COLUMNS, rows, {
    width: context.width,
    paint: context.paint,
    measure: await measureFor(targets),
    below: (index) => troubles[index] ?? [],
  });
  context.print(`${lines.join("\n")}\n`);
};
