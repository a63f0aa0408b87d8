// Where agents are installed: a cache of its own, one folder per agent and version. An existing folder of the layout
// `<cache>/<agent>/node_modules` counts too where the version in it is the one that is asked for.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { LiveAgent } from "../agents/liveAgent.ts";

export interface InstalledAgent {
  version: string;
  /** The folder of this name in the cache. */
  folder: (name: string) => string;
  /** What goes first in the PATH of the agent. */
  programs: readonly string[];
}

/** One `npm install`: a folder of the cache and what goes into it. */
export interface CacheFolder {
  name: string;
  /** With the version in its name, unless its packages are the same for every version of the agent. */
  versioned: string;
  packages: readonly { name: string; version: string }[];
}

const manifestSchema = z.looseObject({ version: z.string() });

/** `AGTMUX_LIVE_CACHE`, or below the user's cache folder. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env["AGTMUX_LIVE_CACHE"] ?? join(env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "agtmux-live");

export const foldersOf = (agent: LiveAgent, version: string): CacheFolder[] => {
  const all = [{ ...agent.main, version: "=", folder: null }, ...agent.companions];
  const groups = Map.groupBy(all, ({ folder }) => folder ?? agent.id);
  return [...groups].map(([name, packages]) => ({
    name,
    versioned: packages.some((one) => one.version === "=") ? `${name}@${version}` : name,
    packages: packages.map((one) => ({
      name: one.name,
      version: one.version === "=" ? version : one.version,
    })),
  }));
};

const versionIn = (folder: string, name: string): string | null => {
  const manifest = join(folder, "node_modules", name, "package.json");
  return existsSync(manifest)
    ? manifestSchema.parse(JSON.parse(readFileSync(manifest, "utf8"))).version
    : null;
};

/** The folder whose packages have the versions that are asked for; null: there is none. */
export const findFolder = (cache: string, wanted: CacheFolder): string | null =>
  [wanted.versioned, wanted.name]
    .map((name) => join(cache, name))
    .find((path) => wanted.packages.every(({ name, version }) => versionIn(path, name) === version)) ?? null;

/** A program that is there already has no folder of the cache. */
const onThisMachine = ({ id, main }: LiveAgent, program: string): InstalledAgent => ({
  version: main.version,
  folder: (name) => {
    throw new Error(`${id} is no package, so there is no folder ${name}`);
  },
  programs: [dirname(program)],
});

/** The agent at this version, whole; null: something of it is not installed. */
export const findInstalled = (cache: string, agent: LiveAgent, version: string): InstalledAgent | null => {
  const { program } = agent;
  if (program !== undefined) return existsSync(program) ? onThisMachine(agent, program) : null;
  const found = new Map<string, string>();
  for (const wanted of foldersOf(agent, version)) {
    const path = findFolder(cache, wanted);
    if (path === null) return null;
    found.set(wanted.name, path);
  }
  return {
    version,
    folder: (name) => {
      const path = found.get(name);
      if (path === undefined) throw new Error(`${agent.id} names no folder ${name}`);
      return path;
    },
    programs: [...found.values()].map((path) => join(path, "node_modules", ".bin")),
  };
};

/** Versions of the agent that are in the cache, for messages. */
export const installedVersions = (cache: string, agent: LiveAgent): string[] => {
  const names = existsSync(cache) ? readdirSync(cache) : [];
  return names
    .filter((name) => name === agent.id || name.startsWith(`${agent.id}@`))
    .flatMap((name) => versionIn(join(cache, name), agent.main.name) ?? [])
    .toSorted();
};
