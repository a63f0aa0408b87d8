// `agtmux list panes|windows|sessions`: asks the daemon once and prints its document as a table, as fields or unchanged.
import { AgtmuxError } from "../../core/model/errors.ts";
import { type CliContext, callDaemon, withDaemon, refreshWorkTrees } from "../command/context.ts";
import {
  listingInput,
  prepareListing,
  renderOptionsOf,
  type AskListing,
  type ListOptions,
  type Scope,
  WIDER,
} from "../command/listing.ts";
import { parseNames } from "../parse/filters.ts";
import type { Marks } from "../render/field.ts";
import { measureFor } from "../render/table.ts";

/** Refuses forms that exclude each other: JSON documents are always whole, and fields have no totals. Fails with E_USAGE. */
export const checkForms = ({ json, plain, columns, totals }: ListOptions): void => {
  if (totals === true && plain === true)
    throw new AgtmuxError("E_USAGE", "--totals and --plain exclude each other: fields are rows only");
  if (json !== true || (plain !== true && columns === undefined)) return;
  const option = plain === true ? "--plain" : "--columns";
  throw new AgtmuxError(
    "E_USAGE",
    `${option} and --json exclude each other: a JSON document always has everything`,
  );
};

const printTable = async (
  context: CliContext,
  listing: Awaited<ReturnType<AskListing>>,
  marks: Marks,
): Promise<void> => {
  const measure = await measureFor(listing.document);
  const lines = listing.table({ ...renderOptionsOf(context, measure, listing.machines), ...marks });
  context.print(`${lines.join("\n")}\n`);
};

/** How long the daemon may take for a list, in milliseconds. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Passes the daemon's document on unchanged. False where the socket client has to ask. */
const passOn = async (context: CliContext, scope: Scope, options: ListOptions): Promise<boolean> => {
  const { queryDocument } = await import("../../core/rpc/queryDocument.ts");
  const document = await queryDocument({
    paths: context.paths(),
    path: scope,
    input: listingInput(scope, options),
    version: context.version,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  if (document === null) return false;
  context.stdout.write(document);
  context.print("\n");
  return true;
};

/** Columns of worktrees: their values are read only when somebody asks for them. */
const LOOKED_AT: ReadonlySet<string> = new Set([
  "changes",
  "changed_files",
  "added",
  "removed",
  "ahead",
  "behind",
  "not_looked_at",
]);
/** Time limits for reading worktrees, in milliseconds: when that was asked for, and when a wide table shows it beside the rest. */
const LOOK_MS = { asked: 3_000, beside: 300 } as const;

/** How long the worktrees may be read before the list is requested; null: they are not read. */
const lookMsFor = (context: CliContext, scope: Scope, options: ListOptions): number | null => {
  if (scope !== "panes") return null;
  const isNamed = parseNames(options.columns ?? [], "--columns").some((name) => LOOKED_AT.has(name));
  if (options.look === true || isNamed) return LOOK_MS.asked;
  const isWide = (context.width ?? 0) >= WIDER && options.columns === undefined && options.json !== true;
  return isWide ? LOOK_MS.beside : null;
};

/** JSON is one line in a pipe, and indented on a terminal. */
export const runList = async (context: CliContext, scope: Scope, options: ListOptions): Promise<void> => {
  checkForms(options);
  const ask = prepareListing(scope, options);
  const isPiped = options.json === true && !context.stdout.isTTY;
  const limitMs = lookMsFor(context, scope, options);
  const canPassOn = isPiped && options.sort === undefined && limitMs === null;
  if (canPassOn && (await passOn(context, scope, options))) return;
  const listing = await withDaemon(context, async (client) => {
    if (limitMs !== null) await refreshWorkTrees(client, { limitMs });
    return client.call(ask);
  });
  if (options.json === true) context.print(`${JSON.stringify(listing.document, null, isPiped ? 0 : 2)}\n`);
  else if (options.plain === true)
    context.print(
      listing
        .plain(context.now())
        .map((line) => `${line}\n`)
        .join(""),
    );
  else await printTable(context, listing, {});
};

export const printList = async (context: CliContext, ask: AskListing, marks: Marks): Promise<void> =>
  printTable(context, await callDaemon(context, ask), marks);
