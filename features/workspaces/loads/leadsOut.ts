// Whether what a project names lies in the project. Its author may be anybody: a link out of it could show what stands in files of
// the person, so such a link is named and not read. Every part of a path may be a link, and `..` counts from where that leads.
import type { FeatureTarget } from "../../../core/ports/feature.ts";

const MAX_LINKS = 20;

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "" && part !== ".");

/** Where the link leads by which `path` leaves `project`, as it is written; null: it stays inside. Both absolute. */
export const leadsOut = async (
  { readLink }: Pick<FeatureTarget["files"], "readLink">,
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
