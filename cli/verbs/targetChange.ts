// `agtmux target connect|set|enable|disable|remove <target>`: what a person does with an existing target.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { TargetDocument, TargetRemovedDocument } from "../../core/model/documents.ts";
import type { TargetView } from "../../core/model/view.ts";
import { uncommittedText } from "../../core/model/workspace.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { ask, leaveUndone } from "../ask.ts";
import { lookAtWorkTrees } from "../askWorkspaces.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { parseTmuxPath, parseTransport } from "../parse/targetSettings.ts";
import { cleanLine } from "../render/clean.ts";
import { describeConnected, describeTrouble } from "../render/targetLines.ts";
import { printDocument } from "../document.ts";

interface Answer {
  json?: boolean;
}

const print = (context: CliContext, target: TargetView, options: Answer, lines: readonly string[]): void => {
  if (options.json === true) printDocument<TargetDocument>(context, { item: target });
  else context.print(`${lines.join("\n")}\n`);
};

/** Makes one attempt now. Fails with the reason why the target is not connected: E_TARGET_UNREACHABLE, _HOST_KEY, _AUTH. */
export const runTargetConnect = async (context: CliContext, name: string, options: Answer): Promise<void> => {
  const target = await withDaemon(context, (client) =>
    client.call((api) => api.targetConnect.mutate({ name })),
  );
  print(context, target, options, [
    `${cleanLine(target.target)} is ${describeConnected(target)}.`,
    ...describeTrouble(target, context.now()),
  ]);
};

/** A disabled target stays in the configuration and in the list, and nothing connects to it. */
export const runTargetSwitch = async (
  context: CliContext,
  name: string,
  isEnabled: boolean,
  options: Answer,
): Promise<void> => {
  const target = await withDaemon(context, (client) =>
    client.call((api) => api.targetChange.mutate({ name, enabled: isEnabled })),
  );
  const shown = cleanLine(target.target);
  print(context, target, options, [
    isEnabled
      ? `${shown} is enabled; 'agtmux target list' shows how connecting goes.`
      : `${shown} is disabled: nothing connects to it until 'agtmux target enable ${shown}'.`,
  ]);
};

export interface TargetSetOptions extends Answer {
  transport?: string;
  tmuxPath?: string;
}

/** Fails with E_USAGE when no setting is given. */
export const runTargetSet = async (
  context: CliContext,
  name: string,
  options: TargetSetOptions,
): Promise<void> => {
  const transport = parseTransport(options.transport);
  const tmuxPath = parseTmuxPath(options.tmuxPath);
  if (transport === undefined && tmuxPath === undefined)
    throw new AgtmuxError("E_USAGE", "target set needs something to set", {
      remedy: "Give --transport or --tmux-path.",
    });
  const target = await withDaemon(context, (client) =>
    client.call((api) => api.targetChange.mutate({ name, transport, tmuxPath })),
  );
  print(context, target, options, [
    `${cleanLine(target.target)} was changed; 'agtmux target list' shows how connecting goes.`,
  ]);
};

export interface TargetRemoveOptions extends Answer {
  yes?: boolean;
}

/** What is not committed on the machine, a line for each work tree. */
const uncommittedLines = async (client: DaemonClient, name: string): Promise<string[]> => {
  await lookAtWorkTrees(client, {});
  const { items } = await client.call((api) => api.panes.query({ target: name }));
  const places = items.map(({ workspace, activity }) =>
    uncommittedText(workspace, activity?.work_tree ?? activity?.folder ?? "its folder"),
  );
  return [...new Set(places)].filter((place) => place !== "").map((place) => `! ${cleanLine(place)}`);
};

/** Forgets a machine, after asking. Resolves with the exit status; 0 when the person said no. */
export const runTargetRemove = async (
  context: CliContext,
  name: string,
  options: TargetRemoveOptions,
): Promise<number> => {
  const shown = cleanLine(name);
  const asJson = options.json === true;
  const canAsk = options.yes !== true && context.stdin.isTTY && context.stdout.isTTY && !asJson;
  return withDaemon(context, async (client) => {
    if (canAsk) {
      context.print(
        `Hooks that were installed on ${shown} stay there: take them out first with 'agtmux integrate <agent> --target ${shown} --uninstall'.\n`,
      );
      for (const line of await uncommittedLines(client, name)) context.print(`${line}\n`);
      const answer = await ask(`Forget ${shown} and its panes? [y/N] `, context);
      if (answer !== true) return leaveUndone(context, answer !== null);
    }
    // Without a terminal and without --yes the daemon refuses, and says what would have happened.
    const isConfirmed = options.yes === true || canAsk;
    await client.call((api) => api.targetRemove.mutate({ name, isConfirmed }));
    if (asJson) printDocument<TargetRemovedDocument>(context, { removed: name });
    else context.print(`${shown} was removed.\n`);
    return 0;
  });
};
