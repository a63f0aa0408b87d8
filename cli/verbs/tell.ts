// `agtmux tell`: arms a watch, which tells and does nothing else.
import type { ListFilters } from "../../core/api/calls.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { JobDocument, WatchCondition } from "../../core/model/job.ts";
import { CONDITION_FORMS, readCondition } from "../../core/model/watchText.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import type { AutomationInput } from "../../features/automation/calls.ts";
import { askAutomation } from "../askAutomation.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { findPane } from "../findRuntime.ts";
import { parseDuration } from "../parse/duration.ts";
import { parseFilters, type FilterOptions } from "../parse/filters.ts";
import { STATE_NAMES } from "../render/mark.ts";
import { cleanLine } from "../render/clean.ts";

export interface TellOptions extends FilterOptions {
  when?: string;
  every?: boolean;
  channel?: string;
  for?: string;
  json?: boolean;
}

const DEFAULT_MS = 8 * 3_600_000;
/** As the daemon's: loading its schemas would cost more than the whole command. */
const LONGEST_MS = 7 * 86_400_000;

const parseFor = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_MS;
  const ms = parseDuration(text, "--for");
  if (ms >= 1_000 && ms <= LONGEST_MS) return ms;
  throw new AgtmuxError("E_USAGE", `--for ${text} is too long or too short`, { remedy: "1s to 7d." });
};

const NOBODY_HEARS =
  "! Nobody would hear it now: open the app or 'agtmux ui', or configure a channel (docs/automation.md). 'agtmux jobs show' keeps what it tells.\n";

/** Fails with E_USAGE naming the possible forms. */
const parseWatchCondition = (text: string): WatchCondition => {
  const condition = readCondition(text);
  if (condition !== null) return condition;
  throw new AgtmuxError("E_USAGE", `--when does not know '${text.slice(0, 100)}'`, {
    remedy: `Say ${CONDITION_FORMS}. States are ${STATE_NAMES.join(", ")}.`,
  });
};

type Subject = AutomationInput<"watch">["subject"];

/** Fails with E_REF_NOT_FOUND, E_REF_AMBIGUOUS. */
const findSubject = async (
  context: CliContext,
  client: DaemonClient,
  ref: string | undefined,
  filters: ListFilters,
): Promise<Subject> => {
  if (ref === undefined) return { filters };
  const { runtimeId, paneRef } = await findPane(context, client, { ref, says: true });
  return runtimeId === null ? { paneRef } : { runtimeId };
};

export const runTell = async (
  context: CliContext,
  ref: string | undefined,
  options: TellOptions,
): Promise<void> => {
  if (options.when === undefined)
    throw new AgtmuxError("E_USAGE", "tell needs a condition", {
      remedy: `Say --when ${CONDITION_FORMS}.`,
    });
  const condition = parseWatchCondition(options.when);
  const filters = parseFilters(options);
  if (ref !== undefined && Object.keys(filters).length > 0)
    throw new AgtmuxError("E_USAGE", "tell takes either one reference or filters");
  const forMs = parseFor(options.for);
  const job = await withDaemon(context, async (client) =>
    askAutomation(client, "watch", "mutation", {
      subject: await findSubject(context, client, ref, filters),
      condition,
      isRepeated: options.every === true,
      channel: options.channel ?? null,
      forMs,
      surface: "cli",
    }),
  );
  if (options.json === true) {
    printDocument<JobDocument>(context, { job });
    return;
  }
  context.print(`${job.job_id}: armed until ${job.expires_at} for ${cleanLine(job.when)}\n`);
  if (job.is_unheard === true) context.stderr.write(NOBODY_HEARS);
};
