// `agtmux dismiss <ref>`: marks an error as seen; the row of a crashed agent goes.
import type { DismissedDocument } from "../../core/model/documents.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { parseGuards, type GuardOptions } from "../parse/guards.ts";

export const runDismiss = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { json?: boolean },
): Promise<void> => {
  const guards = parseGuards(options);
  const { paneRef } = await withDaemon(context, (client) =>
    client.call((api) => api.dismiss.mutate({ ref, guards, surface: "cli" })),
  );
  if (options.json === true) printDocument<DismissedDocument>(context, { dismissed: paneRef });
  else context.print(`Dismissed ${paneRef}.\n`);
};
