// Writes the JSON Schemas that are shipped for editors: `node scripts/makeSchemas.mjs`. A test keeps them current.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { adapterJsonSchema } from "../adapters/declarative/schema.ts";

const path = join(import.meta.dirname, "..", "resources", "schemas", "adapter.schema.json");
const schema = { $comment: "Made by scripts/makeSchemas.mjs", ...adapterJsonSchema() };
await writeFile(path, `${JSON.stringify(schema, null, 2)}\n`);
