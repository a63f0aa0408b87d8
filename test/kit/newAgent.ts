// `new`: writes the files of a new agent and puts it into the lists that name every agent. It changes nothing where the agent is known
// already or a list cannot be read as expected.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { NPM_ENV } from "../live/install/installAgent.ts";
import { type Family, filesOf, listsWith, MARK, type NewAgent } from "./templates.ts";

const ID = /^[a-z][a-z0-9_-]{0,39}$/;
const manifestSchema = z.object({
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

/** The version that npm installs now, and the first command of the package. @throws Error when the registry does not answer. */
export const viewPackage = async (name: string): Promise<{ version: string; command: string | null }> => {
  const args = ["view", name, "version", "bin", "--json"];
  const { stdout } = await promisify(execFile)("npm", args, { env: NPM_ENV });
  const { version, bin } = manifestSchema.parse(JSON.parse(stdout));
  return { version, command: typeof bin === "object" ? (Object.keys(bin)[0] ?? null) : null };
};

/** What `--npm` or `--program` says of the agent. @throws Error naming what is wrong with them. */
export const describeNew = async (options: {
  id: string;
  npm: string | null;
  program: string | null;
  command: string | null;
  displayName: string | null;
  family: Family;
}): Promise<NewAgent> => {
  const { id, npm, program, family } = options;
  if (!ID.test(id)) throw new Error(`'${id}' is no name for an agent: lower-case letters, digits, _ and -`);
  if ((npm === null) === (program === null)) throw new Error("give one of --npm PACKAGE and --program PATH");
  if (program !== null && !existsSync(program)) throw new Error(`there is no ${program}`);
  const viewed = npm === null ? null : await viewPackage(npm);
  const named = program === null ? (viewed?.command ?? id) : basename(program);
  return {
    id,
    npm,
    program,
    family,
    command: options.command ?? named,
    displayName: options.displayName ?? id,
    version: viewed?.version ?? "0.0.0",
  };
};

/** Writes all of it below `root`. Gives a line for each place that is still to be filled in. @throws Error naming what is there already. */
export const writeNew = (root: string, agent: NewAgent): string[] => {
  const files = Object.entries(filesOf(agent));
  const present = files.find(([path]) => existsSync(join(root, path)));
  if (present !== undefined) throw new Error(`${present[0]} is there already`);
  const lists = Object.entries(listsWith(agent)).map(([path, change]): [string, string] => {
    const before = readFileSync(join(root, path), "utf8");
    const after = change(before);
    if (after === before) throw new Error(`${path} does not look as expected: nothing was written`);
    return [path, after];
  });
  for (const [path, text] of [...files, ...lists]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return files.flatMap(([path, text]) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        line.includes(MARK)
          ? [`${path}:${index + 1}: ${line.slice(line.indexOf(MARK) + MARK.length).trim()}`]
          : [],
      ),
  );
};
