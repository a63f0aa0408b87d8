// Installs an agent from the npm registry into the cache: only when a person asks for it. A folder appears under its name when it
// is whole, so that a run that was stopped leaves nothing that looks installed.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { findFolder, findInstalled, foldersOf, type CacheFolder } from "./cache.ts";

const execFileAsync = promisify(execFile);
/** npm runs by the Node that runs this: an older one would pick versions that fit itself. */
const PATH = `${dirname(process.execPath)}:${process.env["PATH"]}`;
/** `npm run` hands on the settings of this project, one of which is that no script of a package runs: agents need theirs. */
export const NPM_ENV = Object.fromEntries(
  Object.entries({ ...process.env, PATH }).filter(([name]) => !name.toLowerCase().startsWith("npm_")),
);

/** The version that a tag means now. @throws Error when the registry does not answer. */
export const resolveVersion = async (agent: LiveAgent, asked: string): Promise<string> => {
  if (/^\d/.test(asked)) return asked;
  const args = ["view", `${agent.main.name}@${asked}`, "version", "--json"];
  const { stdout } = await execFileAsync("npm", args, { env: NPM_ENV });
  return z.string().parse(JSON.parse(stdout));
};

const install = async (cache: string, agent: LiveAgent, folder: CacheFolder): Promise<void> => {
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, ".new-"));
  try {
    const packages = folder.packages.map(({ name, version }) => `${name}@${version}`);
    const args = ["install", "--prefix", fresh, "--no-audit", "--no-fund", "--loglevel=error"];
    await execFileAsync("npm", [...args, ...agent.npmFlags, ...packages], { env: NPM_ENV, cwd: fresh });
    await rm(join(cache, folder.versioned), { recursive: true, force: true });
    await rename(fresh, join(cache, folder.versioned));
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
};

/** Installs what is missing of the agent at this version; says what it does. */
export const installAgent = async (options: {
  cache: string;
  agent: LiveAgent;
  version: string;
  say: (line: string) => void;
}): Promise<void> => {
  const { cache, agent, version, say } = options;
  if (findInstalled(cache, agent, version) !== null) return say(`${agent.id} ${version} is there`);
  if (agent.program !== undefined) throw new Error(`${agent.id}: there is no ${agent.program}`);
  for (const folder of foldersOf(agent, version)) {
    if (findFolder(cache, folder) !== null) continue;
    say(`${agent.id} ${version}: installing ${folder.packages.map(({ name }) => name).join(", ")}`);
    await install(cache, agent, folder);
  }
  if (findInstalled(cache, agent, version) === null)
    throw new Error(`npm installed ${agent.id} ${version}, but it is not in ${cache}`);
};
