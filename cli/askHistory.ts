// What verbs and the picker ask of history.
import { resolve } from "node:path";
import type { HistorySession } from "../core/model/history.ts";
import { THIS_MACHINE } from "../ui/text/sessionText.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import type { HistoryCalls } from "../features/history/calls.ts";
import { createAsk } from "./askFeature.ts";
import type { CliContext } from "./context.ts";
import { parseNames } from "./parse/filters.ts";
import { parseSince } from "./parse/since.ts";

export interface HistoryFilterOptions {
  target?: readonly string[];
  agent?: readonly string[];
  cwd?: string;
  since?: string;
}

export const askHistory = createAsk<HistoryCalls>("history");

/** As the calls take them. Fails with E_USAGE. */
export const parseHistoryFilters = (
  context: CliContext,
  { target, agent, cwd, since }: HistoryFilterOptions,
): { target?: string[]; agent?: string[]; folder?: string; since?: number } => {
  const time = since === undefined ? null : parseSince(since, context.now()).time;
  return {
    ...(target === undefined ? {} : { target: parseNames(target, "--target") }),
    ...(agent === undefined ? {} : { agent: parseNames(agent, "--agent") }),
    ...(cwd === undefined ? {} : { folder: resolve(cwd) }),
    ...(time === null ? {} : { since: time }),
  };
};

/** Waits until what the agents wrote by now is known. */
export const refreshHistory = async (context: CliContext, client: DaemonClient): Promise<void> => {
  let wasTold = false;
  for (;;) {
    const { isDone, sessions } = await askHistory(client, "refresh", "mutation", undefined);
    if (isDone) return;
    context.signal.throwIfAborted();
    if (!wasTold) context.stderr.write(`agtmux: reading the agents' sessions (${sessions} so far) …\n`);
    wasTold = true;
  }
};

/** The machine where it is another one, the last part of the folder, and the branch. */
export const placeOf = ({ identity, folder, branch }: HistorySession): string => {
  const last = folder === null ? "" : (folder.split("/").findLast((part) => part !== "") ?? "/");
  const name = identity.target === THIS_MACHINE ? last : `${identity.target}:${last}`;
  return branch === null ? name : `${name} (${branch})`;
};
