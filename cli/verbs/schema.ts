// `agtmux schema [command]`: the JSON Schema of what a command prints, as it is shipped in resources/schemas.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "../context.ts";

const ENDING = ".schema.json";

/** Names of the documents, with a space where the verb has one. */
const listSchemas = async (folder: string): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length).replaceAll("_", " "))
    .toSorted();

/** Fails with E_USAGE naming what there is. */
export const runSchema = async (
  context: CliContext,
  words: readonly string[],
  options: { list?: boolean },
): Promise<void> => {
  const folder = join(context.root, "resources", "schemas");
  const names = await listSchemas(folder);
  if (options.list === true || words.length === 0) {
    context.print(`${names.join("\n")}\n`);
    return;
  }
  const name = words.join(" ");
  if (!names.includes(name))
    throw new AgtmuxError("E_USAGE", `there is no JSON document '${name}'`, {
      remedy: "'agtmux schema --list' names them.",
    });
  context.print(await readFile(join(folder, `${name.replaceAll(" ", "_")}${ENDING}`), "utf8"));
};
