// Finds which of the files that an agent would read are there, takes from them the names that matter, and checks whether a link
// leads out of the project. What stands in a project is hostile: a link out of it is named and not followed, pipes, devices and
// large files are not read, and of what is read only keys are passed on.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { LoadPlace, AgentLoads } from "../../core/ports/agentFiles.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import type { FileStat } from "../../core/ports/targetExecutor.ts";
import { parse as parseToml } from "smol-toml";
import type { Loaded } from "../../core/model/workspace.ts";

// Project: which folders belong to it, and whether what it names lies in it. Its author may be anybody: a link out of it could show
// what stands in files of the person, so such a link is named and not read. Every part of a path may be a link, and `..` counts
// from where that leads.

const MAX_UP = 20;
const MAX_LINKS = 20;

/** Null too for what cannot be read: a closed folder, links in a circle. @throws AgtmuxError where the target is gone. */
const statOf = async (files: FeatureTarget["files"], path: string): Promise<FileStat | null> => {
  try {
    return await files.stat(path);
  } catch (error) {
    if (error instanceof AgtmuxError) throw error;
    // One file that is made so must not hide the others.
    return null;
  }
};

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));

/** The top of the repository that the folder is in; itself where it is in none. */
const topOf = async ({
  files,
  folder,
}: {
  files: FeatureTarget["files"];
  folder: string;
}): Promise<string> => {
  let at = folder;
  for (let up = 0; up < MAX_UP && at !== "/"; up += 1, at = parentOf(at))
    if ((await statOf(files, `${at}/.git`)) !== null) return at;
  return folder;
};

const isIn = (folder: string, top: string): boolean => folder === top || folder.startsWith(`${top}/`);

/** The folder and those above it, up to the top of its repository, or up to the root. */
const foldersUp = (folder: string, top: string, reach: LoadPlace["reach"]): string[] => {
  if (reach === undefined) return [folder];
  const all: string[] = [];
  for (let at = folder; all.length < MAX_UP; at = parentOf(at)) {
    if (reach === "top" && !isIn(at, top)) break;
    all.push(at);
    if (at === "/") break;
  }
  return all;
};

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "" && part !== ".");

/** Where the link leads by which `path` leaves `project`, as it is written; null: it stays inside. Both absolute. */
const leadsOut = async (
  files: FeatureTarget["files"],
  project: string,
  path: string,
): Promise<string | null> => {
  const top = partsOf(project);
  let left = partsOf(path);
  let at: string[] = [];
  const isOut = (): boolean => top.some((part, index) => at[index] !== part);
  // What leads to the project itself is not its author's.
  at = left.splice(0, top.length);
  if (isOut()) return path;
  for (let links = 0, link = ""; ;) {
    const next = left.shift();
    if (next === undefined) return null;
    if (next === "..") at.pop();
    else at.push(next);
    if (isOut()) return link === "" ? path : link;
    const found = await files.readLink(`/${at.join("/")}`);
    if (found === null) continue;
    link = found;
    links += 1;
    if (links > MAX_LINKS) return link;
    at.pop();
    left = [...partsOf(link), ...left];
    if (!link.startsWith("/")) continue;
    at = left.splice(0, top.length);
    if (isOut()) return link;
  }
};

const MAX_FILE_BYTES = 256 * 1024;
const MAX_NAMES = 50;
const MAX_NAME = 80;
const MAX_LINK = 200;
/** Files that are read side by side. */
const SIDE_BY_SIDE = 4;

type Files = FeatureTarget["files"];

interface LoadsPlace {
  files: Files;
  home: string;
  /** Absolute. */
  folder: string;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const withHome = (path: string, folder: string, home: string): string =>
  path.startsWith("~/")
    ? `${home}/${path.slice(2)}`
    : path.startsWith("/")
      ? path
      : `${folder === "/" ? "" : folder}/${path}`;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys; of a list under one, with the number of its items. */
const keysOf = (value: unknown): string[] =>
  isRecord(value)
    ? Object.keys(value).map((key) => {
        const own = value[key];
        return Array.isArray(own) ? `${key} (${own.length})` : key;
      })
    : [];

const parse = (text: string, format: "json" | "toml"): unknown =>
  format === "json" ? JSON.parse(text) : parseToml(text);

type Found = Omit<Loaded, "identity" | "notes"> & { path: string };

const found = (path: string, names: readonly string[], problem: string | null = null): Found => ({
  path,
  names: names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME)),
  has_more: names.length > MAX_NAMES,
  problem,
});

/** Null: it is not there, or says nothing of this. */
const lookAtFile = async (files: Files, path: string, names: LoadPlace["names"]): Promise<Found | null> => {
  const stat = await files.stat(path);
  if (stat === null) return null;
  if (!stat.isFile) return found(path, [], "it isn't a file");
  if (names === undefined) return found(path, []);
  if (stat.size > MAX_FILE_BYTES) return found(path, [], "it is too large to be looked into");
  const text = await files.readText(path, MAX_FILE_BYTES);
  if (text === null) return null;
  let value: unknown;
  try {
    value = parse(text, names.format);
  } catch {
    return found(path, [], `it is no ${names.format.toUpperCase()}`);
  }
  const keys = keysOf(isRecord(value) ? value[names.key] : undefined);
  return keys.length === 0 ? null : found(path, keys);
};

/** `path` with a `*` in one part. Null: nothing fits. */
const lookAtFolder = async (files: Files, path: string): Promise<Found | null> => {
  const [before = "", after = ""] = path.split("*", 2);
  const folder = before.replace(/\/$/, "");
  const stat = await files.stat(folder);
  if (stat === null || stat.isFile) return null;
  const [ending = "", inside = null] = after.includes("/")
    ? ["", after.slice(after.indexOf("/"))]
    : [after, null];
  const all = (await files.list(folder)).filter((name) => name.endsWith(ending) && !name.startsWith("."));
  const names: string[] = [];
  for (const name of all.toSorted()) {
    if (names.length > MAX_NAMES) break;
    const isThere = inside === null || (await statOf(files, `${folder}/${name}${inside}`))?.isFile === true;
    if (isThere) names.push(ending === "" ? name : name.slice(0, -ending.length));
  }
  return names.length === 0 ? null : found(folder, names);
};

/** `project`: what a link must not lead out of; null: of files that are not a project's, every link is followed. */
const lookAt = async (
  files: Files,
  path: string,
  { project, names }: { project: string | null; names: LoadPlace["names"] },
): Promise<Found | null> => {
  const isFolder = path.includes("*");
  const where = isFolder ? path.slice(0, path.indexOf("*")).replace(/\/$/, "") : path;
  try {
    if ((await files.stat(where)) === null) return null;
    const link = project === null ? null : await leadsOut(files, project, where);
    if (link !== null)
      return found(
        where,
        [],
        `not looked into: it is a link out of the project, to ${link.slice(0, MAX_LINK)}`,
      );
    return await (isFolder ? lookAtFolder(files, path) : lookAtFile(files, path, names));
  } catch (error) {
    if (error instanceof AgtmuxError) throw error;
    return found(where, [], "it cannot be looked at");
  }
};

/** What of a place is there. Of several names in one folder only the first is read; the others are said. */
const lookAtPlace = async (
  at: LoadsPlace,
  top: string,
  place: LoadPlace,
  agent: string,
): Promise<Loaded[]> => {
  const loaded: Loaded[] = [];
  const choices = [place.path].flat();
  for (const folder of foldersUp(at.folder, top, place.reach)) {
    const project = place.level === "project" ? (isIn(folder, top) ? top : folder) : null;
    let first: string | null = null;
    for (const choice of choices) {
      const path = withHome(choice, folder, at.home);
      const one = await lookAt(at.files, path, { project, names: place.names });
      if (one === null) continue;
      const { path: where, ...rest } = one;
      const identity = { agent, kind: place.kind, level: place.level, path: where };
      loaded.push({
        identity,
        ...rest,
        notes: first === null ? [] : [`not read: ${nameOf(first)} takes its place`],
      });
      first ??= path;
    }
  }
  return loaded;
};

/** Says of names that stand in two places which one is used, as far as that is known. */
const noteTwice = (items: readonly Loaded[], wins: AgentLoads["wins"]): Loaded[] =>
  items.map((item) => {
    const { kind, path } = item.identity;
    if (kind === "hooks" || kind === "permissions") return item;
    const win = Object.entries(wins).find(([one]) => one === kind)?.[1];
    const rank = { managed: 2, person: win === "person" ? 1 : 0, project: win === "person" ? 0 : 1 };
    const notes = items.flatMap((other) => {
      if (other.identity.kind !== kind || other.identity.path === path) return [];
      const both = item.names.filter((name) => other.names.includes(name));
      const names = both.join(", ");
      if (both.length === 0) return [];
      if (win === undefined)
        return [`${names}: also in ${other.identity.path}; can't tell which one is used`];
      return rank[other.identity.level] > rank[item.identity.level]
        ? [`${names}: the one in ${other.identity.path} is used`]
        : [];
    });
    return { ...item, notes: [...item.notes, ...notes] };
  });

/** Everything that is there, in the order in which the adapter names it. */
export const lookAtLoads = async (at: LoadsPlace, loads: AgentLoads, agent: string): Promise<Loaded[]> => {
  const results: Loaded[][] = [];
  const top = await topOf(at);
  for (let from = 0; from < loads.places.length; from += SIDE_BY_SIDE)
    results.push(
      ...(await Promise.all(
        loads.places.slice(from, from + SIDE_BY_SIDE).map((place) => lookAtPlace(at, top, place, agent)),
      )),
    );
  return noteTwice(results.flat(), loads.wins);
};
