// `agtmux send|interrupt|dismiss <ref>`: the actions that ask no question first. `answer` and `kill`, which ask, have their own
// files.
import type { DismissedDocument } from "../../core/model/documents.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { parseGuards, type GuardOptions } from "../parse/guards.ts";
import { checkLength, readInput } from "../readInput.ts";
import { printResult } from "../render/outcome.ts";
import { withRef } from "../settleRef.ts";
import type { LaterOptions } from "./sendLater.ts";

export interface SendOptions extends GuardOptions, LaterOptions {
  text?: string;
  stdin?: boolean;
  /** commander's form of --no-enter. */
  enter: boolean;
  toShell?: boolean;
  idempotencyKey?: string;
  json?: boolean;
}

const textOf = async (context: CliContext, { text, stdin }: SendOptions): Promise<string> => {
  if ((text === undefined) === (stdin !== true))
    throw new AgtmuxError("E_USAGE", "send needs either --text <text> or --stdin");
  return text === undefined ? readInput(context) : checkLength(text);
};

const LATER = ["whenReady", "at", "atReset", "cron", "times", "expires", "volatile"] as const;

/** What is checked when a text is sent later is not what the guards of this moment are about. */
const refuseForLater = ({ enter, toShell, idempotencyKey, ...options }: SendOptions): void => {
  const guards = Object.entries(parseGuards(options)).filter(
    ([, value]) => value !== null && value !== false,
  );
  if (enter && toShell !== true && idempotencyKey === undefined && guards.length === 0) return;
  throw new AgtmuxError(
    "E_USAGE",
    "a text that is sent later takes no guards, --no-enter, --to-shell or key",
    {
      remedy: "It goes to this agent in this session alone, once it rests and its input box is empty.",
    },
  );
};

/** Types a text, given as an option or on standard input. Resolves with the exit status of the outcome. */
export const runSend = async (context: CliContext, ref: string, options: SendOptions): Promise<number> => {
  if (LATER.some((name) => options[name] !== undefined)) {
    refuseForLater(options);
    const { runSendLater } = await import("./sendLater.ts");
    await runSendLater(context, ref, await textOf(context, options), options);
    return 0;
  }
  const guards = parseGuards(options);
  const text = await textOf(context, options);
  const result = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) =>
      api.send.mutate({
        ref: settled,
        guards,
        surface: "cli",
        text,
        pressEnter: options.enter,
        toShell: options.toShell === true,
        idempotencyKey: options.idempotencyKey ?? null,
      }),
    ),
  );
  return printResult(context, result, options.json === true);
};

/** Stops a turn the way a person would. Resolves with the exit status of the outcome. */
export const runInterrupt = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { json?: boolean },
): Promise<number> => {
  const guards = parseGuards(options);
  const result = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) => api.interrupt.mutate({ ref: settled, guards, surface: "cli" })),
  );
  return printResult(context, result, options.json === true);
};

/** Marks an error or a finished turn as seen; the row of a crashed agent is removed. */
export const runDismiss = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { json?: boolean },
): Promise<void> => {
  const guards = parseGuards(options);
  const { paneRef } = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) => api.dismiss.mutate({ ref: settled, guards, surface: "cli" })),
  );
  if (options.json === true) printDocument<DismissedDocument>(context, { dismissed: paneRef });
  else context.print(`Dismissed ${paneRef}.\n`);
};
