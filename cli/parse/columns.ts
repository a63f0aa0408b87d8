// The columns that a person chooses for a table, by the names of the scope's fields.
import { AgtmuxError } from "../../core/model/errors.ts";
import { parseNames } from "./filters.ts";

/** The fields in the order in which they were named. Fails with E_USAGE, which names the existing fields. */
export const parseColumns = <F>(texts: readonly string[], fields: Readonly<Record<string, F>>): F[] =>
  parseNames(texts, "--columns").map((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined) return field;
    throw new AgtmuxError("E_USAGE", `--columns does not know '${name}' here`, {
      remedy: `Columns are ${Object.keys(fields).join(", ")}.`,
    });
  });
