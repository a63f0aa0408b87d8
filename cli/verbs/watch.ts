// `agtmux watch`: the lists as they change, as a table that redraws in place or as one JSON object per line.
import { targetsNamed } from "../../core/api/paneFilter.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { parseDuration } from "../parse/duration.ts";
import { parseFilters } from "../parse/filters.ts";
import { parseSince, type Since } from "../parse/since.ts";
import { prepareListing, type AskListing, type ListOptions, type Scope } from "../listing.ts";
import { printList } from "./list.ts";
import { printChanges, printChangesOnce } from "./watchLines.ts";
import { showTable } from "./watchTable.ts";

export interface WatchOptions extends ListOptions {
  scope?: string;
  format?: string;
  interval?: string;
  since?: string;
  once?: boolean;
}

const DEFAULT_INTERVAL_MS = 1_000;
/** The shortest interval: faster redrawing would be of no use to a person. */
const SHORTEST_INTERVAL_MS = 100;
/** The platform's timers support no more: a longer one would fire all the time. */
const LONGEST_INTERVAL_MS = 2_147_483_647;

const parseScope = (text: string): Scope => {
  if (text === "panes" || text === "windows" || text === "sessions") return text;
  throw new AgtmuxError("E_USAGE", `--scope does not know '${text}'`, {
    remedy: "Use panes, windows or sessions.",
  });
};

const watchLines = async (
  context: CliContext,
  options: WatchOptions,
  how: { scope: Scope; ask: AskListing; since: Since },
): Promise<void> => {
  if (options.sort !== undefined || options.columns !== undefined)
    throw new AgtmuxError("E_USAGE", "--sort and --columns are for tables, and --format is jsonl");
  if (options.interval !== undefined)
    throw new AgtmuxError("E_USAGE", "--interval is for tables, and --format is jsonl", {
      remedy: "Leave it out: a change is a line at once.",
    });
  const filters = parseFilters(options);
  // The feed itself does not check filters, so an unknown target or agent has to be refused before.
  if (targetsNamed(filters) !== null || filters.agent !== undefined)
    await withDaemon(context, (client) => client.call(how.ask));
  const input = { ...how, all: options.all === true, filters };
  await (options.once === true ? printChangesOnce(context, input) : printChanges(context, input));
};

/** Runs until Ctrl-C; with --once, until everything present was printed. Fails with E_USAGE before it shows anything. */
export const runWatch = async (context: CliContext, options: WatchOptions): Promise<void> => {
  const scope = parseScope(options.scope ?? "panes");
  const format = options.format ?? "table";
  if (format !== "table" && format !== "jsonl")
    throw new AgtmuxError("E_USAGE", `--format does not know '${format}'`, { remedy: "Use table or jsonl." });
  const since: Since =
    options.since === undefined ? { version: null, time: null } : parseSince(options.since, context.now());
  const intervalMs =
    options.interval === undefined ? DEFAULT_INTERVAL_MS : parseDuration(options.interval, "--interval");
  const ask = prepareListing(scope, options);
  if (format === "jsonl") {
    await watchLines(context, options, { scope, ask, since });
    return;
  }
  if (options.since !== undefined && scope !== "panes")
    throw new AgtmuxError("E_USAGE", `--since marks panes, and --scope is ${scope}`, {
      remedy: "Leave one of them out, or use --format jsonl.",
    });
  const marks = options.since === undefined ? {} : { changedSince: since };
  if (options.once === true) await printList(context, ask, marks);
  else
    await showTable(context, {
      ask,
      marks,
      intervalMs: Math.min(Math.max(intervalMs, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS),
      all: options.all === true,
    });
};
