// Which repository, branch and worktree a folder is in, read from git's own files, here and on other machines: no process, nothing written.
import type { TargetFiles } from "../ports/targetExecutor.ts";

/** Folders that are looked at, from the given one up. */
const MAX_DEPTH = 24;
const MAX_BYTES = 4_096;

export interface GitPlace {
  /** Name of the folder with the main work tree; null where that cannot be told. */
  repository: string | null;
  /** Null for a commit that no branch is checked out at. */
  branch: string | null;
  /** Name of a linked worktree; null in the main one. */
  worktree: string | null;
  /** The top folder of the work tree. */
  workTree: string | null;
}

export const NO_PLACE: GitPlace = { repository: null, branch: null, worktree: null, workTree: null };

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const resolved = (path: string, folder: string): string =>
  path.startsWith("/") ? path : `${folder}/${path}`;

/** `folder` is where the work tree begins. */
const repositoryOf = (git: string, folder: string): string | null => {
  const main = /^(.*)\/worktrees\/[^/]+\/?$/.exec(git)?.[1];
  if (main === undefined) return nameOf(folder) || null;
  // Of a bare repository, git's folder is the repository.
  return nameOf(main.endsWith("/.git") ? parentOf(main) : main.replace(/\.git$/, "")) || null;
};

/** Git's folder for this work tree; null where `folder` is none. */
const gitFolder = async (files: TargetFiles, folder: string): Promise<string | null> => {
  const path = `${folder}/.git`;
  const stat = await files.stat(path);
  if (stat === null) return null;
  if (!stat.isFile) return path;
  const named = /^gitdir: (.+)$/m.exec((await files.readText(path, MAX_BYTES)) ?? "")?.[1];
  return named === undefined ? null : resolved(named.trim(), folder);
};

/** Of a folder outside of any work tree, and of one that cannot be read, nothing is known. Never throws. */
export const readGitPlace = async (files: TargetFiles, folder: string): Promise<GitPlace> => {
  try {
    let at = folder.replace(/\/+$/, "");
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      const git = await gitFolder(files, at);
      const head = git === null ? null : await files.readText(`${git}/HEAD`, MAX_BYTES);
      // A folder of that name without a HEAD is no repository.
      if (git !== null && head !== null) {
        const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? null;
        const worktree = /\/worktrees\/([^/]+)\/?$/.exec(git)?.[1] ?? null;
        // Where refs are in tables, this file names none.
        return {
          repository: repositoryOf(git, at),
          branch: branch === ".invalid" ? null : branch,
          worktree,
          workTree: at === "" ? "/" : at,
        };
      }
      if (at === "") break;
      at = parentOf(at);
    }
  } catch {
    // A folder that may not be read says nothing.
  }
  return NO_PLACE;
};
