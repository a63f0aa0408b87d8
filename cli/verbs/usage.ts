// `agtmux usage`: what agents used, as `agtmux history usage` prints it; with `--limits` what they say of the limits of the person's
// accounts, read from their files now.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { AccountLimits, LimitList } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import { accountText, currentLimits, lengthText, percentText } from "../../ui/text/limitText.ts";
import { THIS_MACHINE } from "../../ui/text/sessionText.ts";
import { callDaemon, type CliContext } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { parseNames } from "../parse/filters.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor, renderTable, type Cell, type Column } from "../render/table.ts";
import { runHistoryUsage, type UsageOptions } from "./history.ts";

const COLUMNS: readonly Column[] = [
  { title: "ACCOUNT", min: 12 },
  { title: "WINDOW", min: null },
  { title: "USED", min: null, align: "right" },
  { title: "RESETS IN", min: null, align: "right" },
  { title: "AS OF", min: null, align: "right" },
  { title: "FROM", min: null },
];

/** One for each window, and one for a limit at which an agent stopped. */
const rowsOf = (limits: AccountLimits, target: string, now: number): Cell[][] => {
  const until = (at: string): string => formatAge(Date.parse(at) - now);
  const where = target === THIS_MACHINE ? "" : `${target}/`;
  const row = (...texts: string[]): Cell[] =>
    [`${where}${accountText(limits)}`, ...texts].map((text) => ({ text: cleanLine(text) }));
  const said = limits.said_at === null ? "-" : `${formatAge(now - Date.parse(limits.said_at))} ago`;
  return [
    ...(limits.reached_until === null
      ? []
      : [row("reached", "-", until(limits.reached_until), "now", "an agent that stopped at it")]),
    ...limits.windows.map(({ minutes, used_percent: used, resets_at: at }) =>
      row(lengthText(minutes), percentText(used), until(at), said, limits.source ?? "-"),
    ),
  ];
};

const printLimits = async (context: CliContext, { target, json: isJson }: UsageOptions): Promise<void> => {
  const names = target === undefined ? undefined : parseNames(target, "--target");
  const list = await callDaemon(context, (api) => api.history.limits.mutate({ target: names }));
  if (isJson === true) {
    printDocument<LimitList>(context, list);
    return;
  }
  for (const problem of list.problems) context.stderr.write(`agtmux: ${cleanLine(problem)}\n`);
  const now = Date.parse(list.generated_at);
  const rows = list.items.flatMap(({ identity, ...limits }) =>
    currentLimits([limits], now).flatMap((current) => rowsOf(current, identity.target, now)),
  );
  if (rows.length === 0) {
    context.print("No agent's file says anything of a limit that still counts.\n");
    return;
  }
  const { width, paint } = context;
  const lines = renderTable(COLUMNS, rows, { width, paint, measure: await measureFor(list.items) });
  context.print(`${lines.join("\n")}\n`);
};

/** Fails with E_USAGE where an option goes with the other form alone. */
export const runUsage = async (
  context: CliContext,
  options: UsageOptions & { limits?: boolean },
): Promise<void> => {
  if (options.limits !== true) return runHistoryUsage(context, options);
  const other = (["agent", "cwd", "since", "by"] as const).find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new AgtmuxError("E_USAGE", `--limits and --${other} exclude each other`, {
      remedy: "Limits are those of now, of every account.",
    });
  return printLimits(context, options);
};
