// Which folders belong to a project, and whether what it names lies in it. Its author may be anybody: a link out of it could show what
// stands in files of the person, so such a link is named and not read. Every part of a path may be a link, and `..` counts from where
// that leads.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { LoadPlace } from "../../../core/ports/agentLoads.ts";
import type { FeatureTarget } from "../../../core/ports/feature.ts";
import type { FileStat } from "../../../core/ports/targetExecutor.ts";

type Files = Pick<FeatureTarget["files"], "stat" | "readLink">;

const MAX_UP = 20;
const MAX_LINKS = 20;

/** Null too for what cannot be looked at: a closed folder, links in a circle. @throws AgtmuxError where the target is gone. */
export const statOf = async (files: Files, path: string): Promise<FileStat | null> => {
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
export const topOf = async ({ files, folder }: { files: Files; folder: string }): Promise<string> => {
  let at = folder;
  for (let up = 0; up < MAX_UP && at !== "/"; up += 1, at = parentOf(at))
    if ((await statOf(files, `${at}/.git`)) !== null) return at;
  return folder;
};

export const isIn = (folder: string, top: string): boolean => folder === top || folder.startsWith(`${top}/`);

/** The folder and those above it, up to the top of its repository, or up to the root. */
export const foldersUp = (folder: string, top: string, reach: LoadPlace["reach"]): string[] => {
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
export const leadsOut = async (
  { readLink }: Pick<Files, "readLink">,
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
    const found = await readLink(`/${at.join("/")}`);
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
