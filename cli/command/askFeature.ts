// Asks a feature of the daemon by the name of its call: what it answers is what the feature's table says.
import type { AnswerFrom, SentTo } from "../../core/api/calls.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import type { AutomationCalls } from "../../features/automation/calls.ts";
import { resolve } from "node:path";
import type { HistorySession } from "../../core/model/history.ts";
import { THIS_MACHINE } from "../../ui/text/sessionText.ts";
import type { HistoryCalls } from "../../features/history/calls.ts";
import type { CliContext } from "./context.ts";
import { parseNames } from "../parse/filters.ts";
import { parseSince } from "../parse/values.ts";
import type { WorkspacesCalls } from "../../features/workspaces/calls.ts";
import type { DocumentsCalls } from "../../features/documents/calls.ts";

/** `feature`: the first part of its calls. */
const createAsk =
  <Table extends Record<string, { kind: "query" | "mutation" }>>(feature: string) =>
  async <Name extends keyof Table & string>(
    client: DaemonClient,
    name: Name,
    kind: Table[Name]["kind"],
    input: SentTo<Table[Name]>,
  ): Promise<AnswerFrom<Table[Name]>> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the daemon answers what the feature's table says
    (await client.forward(`${feature}.${name}`, kind, input)) as AnswerFrom<Table[Name]>;

// The calls of automation over the socket.

export const askAutomation = createAsk<AutomationCalls>("automation");

// What verbs and the picker ask of history.

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

export const askWorkspaces = createAsk<WorkspacesCalls>("workspaces");

/** So that the rows that are asked for next say what has changed in their work trees. What cannot be looked at says so itself. */
export const lookAtWorkTrees = async (
  client: DaemonClient,
  input: SentTo<WorkspacesCalls["look"]>,
): Promise<void> => {
  try {
    await askWorkspaces(client, "look", "mutation", input);
  } catch {
    // A daemon without this feature shows its rows without it.
  }
};

export const askDocuments = createAsk<DocumentsCalls>("documents");
