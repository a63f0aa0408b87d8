// `agtmux integrate` without an agent: how each of them is integrated, and what can be done about it.
import type { IntegrationSummary } from "../../core/api/service.ts";
import type { IntegrationListDocument } from "../../core/model/documents.ts";
import { formatAge } from "../../core/model/words.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { type Cell, type Column, renderTable } from "../render/table.ts";

const COLUMNS: readonly Column[] = [
  { title: "AGENT", min: null },
  { title: "STATE", min: 10 },
  { title: "LAST EVENT", min: null },
  { title: "WHAT CAN BE DONE", min: null },
];

const STATES: Readonly<Record<IntegrationSummary["state"], string>> = {
  installed: "installed",
  partial: "partly installed",
  absent: "not installed",
  unclear: "settings cannot be read",
};

const commandFor = ({ agent, state, lastRealEventAt }: IntegrationSummary, onTarget: string): string => {
  const command = `agtmux integrate ${cleanLine(agent)}${onTarget}`;
  switch (state) {
    case "absent":
      return command;
    case "partial":
      return `${command} --repair`;
    case "unclear":
      return `${command} --dry-run`;
    case "installed":
      return lastRealEventAt === null ? `${command} --verify` : "";
  }
};

const toRow = (one: IntegrationSummary, now: number, onTarget: string): Cell[] => [
  { text: cleanLine(one.agent) },
  { text: STATES[one.state] },
  {
    text:
      one.lastRealEventAt === null ? "none yet" : `${formatAge(now - Date.parse(one.lastRealEventAt))} ago`,
  },
  { text: commandFor(one, onTarget) },
];

export const runIntegrationList = async (
  context: CliContext,
  { target, json }: { target?: string | undefined; json?: boolean | undefined },
): Promise<void> => {
  const all = await withDaemon(context, (client) =>
    client.call((api) => api.integrationList.query({ target })),
  );
  if (json === true) {
    printDocument<IntegrationListDocument>(context, {
      action: "list",
      items: all.map(({ lastRealEventAt, ...one }) => ({ ...one, last_real_event_at: lastRealEventAt })),
    });
    return;
  }
  const rows = all.map((one) => toRow(one, context.now(), target === undefined ? "" : ` --target ${target}`));
  const below = all.map(({ problems, steps }) => [
    ...problems.map((problem) => `  ${cleanLine(problem)}`),
    ...steps.map(({ what, how }) => `  Left to do: ${cleanLine(what)}. ${cleanLine(how)}`),
  ]);
  const lines = renderTable(COLUMNS, rows, {
    width: context.width,
    paint: context.paint,
    measure: await measureFor(all),
    below: (index) => below[index] ?? [],
  });
  context.print(`${lines.join("\n")}\n`);
};
