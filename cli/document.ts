// How a verb prints its JSON document: with schema version and time, indented for a person, on one line for a program.
import { SCHEMA_VERSION } from "../core/model/schemaVersion.ts";
import type { CliContext } from "./context.ts";

interface Stamp {
  schema_version: typeof SCHEMA_VERSION;
  generated_at: string;
}

/** What every document begins with. */
export const stamp = (now: number): Stamp => ({
  schema_version: SCHEMA_VERSION,
  generated_at: new Date(now).toISOString(),
});

/** Prints a document of type T; the moment is now unless the body has one of its own. */
export const printDocument = <T extends Stamp>(
  context: CliContext,
  body: Omit<T, keyof Stamp> & Partial<Stamp>,
): void => {
  const document = { ...stamp(context.now()), ...body };
  context.print(`${JSON.stringify(document, null, context.stdout.isTTY ? 2 : 0)}\n`);
};
