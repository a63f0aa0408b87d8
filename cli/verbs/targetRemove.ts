// `agtmux target remove <target>`: forgets a machine, after asking.
import type { TargetRemovedDocument } from "../../core/model/documents.ts";
import { ask, leaveUndone } from "../ask.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { printDocument } from "../document.ts";

export interface TargetRemoveOptions {
  yes?: boolean;
  json?: boolean;
}

/** Resolves with the exit status; 0 when the person said no. */
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
