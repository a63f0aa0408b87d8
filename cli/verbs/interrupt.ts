// `agtmux interrupt <ref>`: stops a turn the way a person would.
import { withDaemon, type CliContext } from "../context.ts";
import { parseGuards, type GuardOptions } from "../parse/guards.ts";
import { printResult } from "../render/outcome.ts";

/** Resolves with the exit status of the outcome. */
export const runInterrupt = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { json?: boolean },
): Promise<number> => {
  const guards = parseGuards(options);
  const result = await withDaemon(context, (client) =>
    client.call((api) => api.interrupt.mutate({ ref, guards, surface: "cli" })),
  );
  return printResult(context, result, options.json === true);
};
