// Writes the JSON Schemas that are shipped in resources/schemas: of the files that a person writes, for editors, and of the
// documents that commands print, for scripts. `npm run docs`. A test keeps them current.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { adapterJsonSchema } from "../adapters/declarative/schema.ts";
import { configSchema } from "../core/model/config.ts";
import { DOCUMENTS } from "../core/model/documents.ts";

/** As read by others: a key that they do not know is no error, since one may come with any version. */
const toJsonSchema = (title, schema) => ({ title, ...z.toJSONSchema(schema, { io: "input" }) });

/** File name without its ending → schema. A verb's words are joined by `_`. */
export const makeSchemas = () =>
  new Map([
    ["adapter", adapterJsonSchema()],
    ["config", toJsonSchema("agtmux config.json", configSchema)],
    ...Object.entries(DOCUMENTS).map(([verb, schema]) => [
      verb.replaceAll(" ", "_"),
      toJsonSchema(`agtmux ${verb}`, schema),
    ]),
  ]);

if (import.meta.main)
  for (const [name, schema] of makeSchemas()) {
    const path = join(import.meta.dirname, "..", "resources", "schemas", `${name}.schema.json`);
    const text = JSON.stringify({ $comment: "Made by scripts/makeSchemas.mjs", ...schema }, null, 2);
    await writeFile(path, `${text}\n`);
  }
