// `agtmux loads [folder|ref]`: what each agent would read when it starts in a folder. Names and places only.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Loaded, Loads } from "../../core/model/loads.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { askWorkspaces } from "../askWorkspaces.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { cleanLine } from "../render/clean.ts";
import { settleRef } from "../settleRef.ts";
import { folderFrom } from "./start.ts";

export interface LoadsOptions {
  agent?: string;
  target?: string;
  json?: boolean;
}

const KIND_WIDTH = 13;
const LEVEL_WIDTH = 9;

/** A folder has a slash in it, or is `.` or `~`; anything else names a pane. */
const isFolder = (typed: string): boolean => /^(?:\.{1,2}|~)$|^(?:\/|\.{1,2}\/|~\/)/.test(typed);

const placeOf = async (
  context: CliContext,
  client: DaemonClient,
  typed: string | undefined,
  target: string | undefined,
): Promise<{ target: string; folder: string }> => {
  const machine = target ?? HOST_TARGET;
  if (typed === undefined || isFolder(typed))
    return { target: machine, folder: folderFrom(context, machine, typed) };
  if (target !== undefined)
    throw new AgtmuxError("E_USAGE", "--target goes with a folder: a pane says its machine itself");
  const ref = await settleRef(context, client, { ref: typed, says: false });
  const { pane } = await client.call((api) => api.explain.query({ ref }));
  const folder = pane.activity?.folder ?? null;
  if (folder === null)
    throw new AgtmuxError("E_UNSUPPORTED", `it is not known in which folder ${ref} works`, {
      remedy: "Name the folder instead.",
    });
  return { target: pane.identity.target, folder };
};

const itemLines = (item: Loaded, paint: CliContext["paint"]): string[] => {
  const { kind, level, path } = item.identity;
  const names = item.names.length === 0 ? "" : `: ${item.names.join(", ")}${item.has_more ? ", …" : ""}`;
  const indent = " ".repeat(2 + KIND_WIDTH + LEVEL_WIDTH);
  return [
    `  ${kind.padEnd(KIND_WIDTH)}${paint("dim", level.padEnd(LEVEL_WIDTH))}${cleanLine(`${path}${names}`)}`,
    ...(item.problem === null ? [] : [`${indent}${paint("yellow", `! ${cleanLine(item.problem)}`)}`]),
    ...item.notes.map((note) => `${indent}${paint("dim", `! ${cleanLine(note)}`)}`),
  ];
};

const render = ({ agents, items }: Loads, paint: CliContext["paint"]): string[] => {
  const known = agents.filter(({ basis }) => basis !== null);
  const unknown = agents.filter(({ basis }) => basis === null).map(({ agent_name }) => agent_name);
  return [
    ...known.flatMap(({ agent, agent_name, basis, unknown: more }) => {
      const own = items.filter(({ identity }) => identity.agent === agent);
      return [
        paint("bold", cleanLine(agent_name)) + paint("dim", `  by ${cleanLine(basis ?? "")}`),
        ...(own.length === 0 ? ["  nothing here"] : own.flatMap((item) => itemLines(item, paint))),
        ...(more.length === 0 ? [] : [paint("dim", `  not looked at: ${cleanLine(more.join("; "))}`)]),
        "",
      ];
    }),
    ...(unknown.length === 0 ? [] : [`Not known of: ${cleanLine(unknown.join(", "))}.`]),
  ];
};

export const runLoads = async (
  context: CliContext,
  typed: string | undefined,
  options: LoadsOptions,
): Promise<void> => {
  const loads = await withDaemon(context, async (client) =>
    askWorkspaces(client, "loads", "query", {
      ...(await placeOf(context, client, typed, options.target)),
      agent: options.agent ?? null,
    }),
  );
  if (options.json === true) printDocument<Loads>(context, loads);
  else context.print(`${render(loads, context.paint).join("\n").trimEnd()}\n`);
};
