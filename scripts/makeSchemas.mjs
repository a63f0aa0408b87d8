// Writes the JSON Schemas that are shipped in resources/schemas: of the files that a person writes, for editors, and of the
// documents that commands print, for scripts. `npm run docs`. A test keeps them current.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { adapterJsonSchema } from "../adapters/declarative/schema.ts";
import { documentSchemas } from "../core/model/documents.ts";

for (const [name, schema] of documentSchemas().set("adapter", adapterJsonSchema())) {
  const path = join(import.meta.dirname, "..", "resources", "schemas", `${name}.schema.json`);
  const text = JSON.stringify({ $comment: "Made by scripts/makeSchemas.mjs", ...schema }, null, 2);
  await writeFile(path, `${text}\n`);
}
