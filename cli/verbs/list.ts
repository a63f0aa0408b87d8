// `agtmux list panes|windows|sessions`: asks the daemon once and prints its document, as a table, as fields or as it is.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "../context.ts";
import { withDaemon } from "../context.ts";
import { prepareListing, renderOptionsOf, type ListOptions, type Scope } from "../listing.ts";
import { measureFor } from "../render/measure.ts";

/** JSON documents are always whole. Fails with E_USAGE. */
export const checkForms = ({ json, plain, columns }: ListOptions): void => {
  if (json !== true || (plain !== true && columns === undefined)) return;
  const option = plain === true ? "--plain" : "--columns";
  throw new AgtmuxError(
    "E_USAGE",
    `${option} and --json exclude each other: a JSON document is always whole`,
  );
};

export const runList = async (context: CliContext, scope: Scope, options: ListOptions): Promise<void> => {
  checkForms(options);
  const ask = prepareListing(scope, options);
  const listing = await withDaemon(context, (client) => client.call(ask));
  if (options.json === true) context.print(`${JSON.stringify(listing.document, null, 2)}\n`);
  else if (options.plain === true)
    context.print(
      listing
        .plain(context.now())
        .map((line) => `${line}\n`)
        .join(""),
    );
  else {
    const measure = await measureFor(listing.document);
    context.print(`${listing.table(renderOptionsOf(context, measure)).join("\n")}\n`);
  }
};
