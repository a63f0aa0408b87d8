// What has to be known of a repository before git may look at it: where its parts lie, what is checked out, and those of its
// settings that are mere facts. Read from its files, without a program. Everything in them may be hostile.
import { posix } from "node:path";
import type { TargetFiles } from "../../../core/ports/targetExecutor.ts";
import { readExcludesFile, readSettings, type GitSettings } from "./gitSettings.ts";

const MAX_BYTES = 4_096;
const MAX_SETTINGS_BYTES = 256 * 1024;
/** `HEAD` as git writes it; anything else is not read. */
const HEAD = /^(?:ref: refs\/[^\s\p{Cc}]+|[0-9a-f]{40}|[0-9a-f]{64})$/u;

export interface Repository {
  /** Git's folder of this work tree, and the one that all work trees share. Absolute. */
  gitDir: string;
  commonDir: string;
  /** The content of `HEAD`. */
  head: string;
  /** The branch that is checked out; null for a commit without one. */
  branch: string | null;
  settings: GitSettings;
}

/** What the person's own settings say, which hold in every repository. */
export interface PersonalSettings extends Pick<GitSettings, "facts"> {
  excludesFile: string | null;
}

export const readPersonal = async (files: TargetFiles, home: string): Promise<PersonalSettings> => {
  const text = (await files.readText(`${home}/.gitconfig`, MAX_SETTINGS_BYTES)) ?? "";
  return { facts: readSettings(text).facts, excludesFile: readExcludesFile(text, home) };
};

/** Why nothing can be said of a work tree. */
export class NotLookedAt extends Error {}

const resolved = (path: string, folder: string): string =>
  posix.normalize(path.startsWith("/") ? path : `${folder}/${path}`).replace(/(?<=.)\/+$/, "");

/** A line that a file holds, without the end of the line; the path in it may have any other character. */
const firstLine = (text: string): string => text.split("\n")[0] ?? "";

const gitDirOf = async (files: TargetFiles, workTree: string): Promise<string> => {
  const path = `${workTree}/.git`;
  const stat = await files.stat(path);
  if (stat === null) throw new NotLookedAt("there is no git repository any more");
  if (!stat.isFile) return path;
  const named = /^gitdir: (.+)$/.exec(firstLine((await files.readText(path, MAX_BYTES)) ?? ""))?.[1];
  if (named === undefined) throw new NotLookedAt("its .git file names no folder");
  return resolved(named, workTree);
};

/** The settings of the repository, with those of this work tree where it has its own. */
const settingsOf = async (files: TargetFiles, gitDir: string, commonDir: string): Promise<string> => {
  const own = (await files.readText(`${commonDir}/config`, MAX_SETTINGS_BYTES)) ?? "";
  const ofTree = /worktreeconfig/i.test(own)
    ? await files.readText(`${gitDir}/config.worktree`, MAX_SETTINGS_BYTES)
    : null;
  return `${own}\n${ofTree ?? ""}`;
};

/**
 * @throws NotLookedAt where there is no repository, and where settings decide what counts as a change that only the
 *   repository's own programs or other files could tell.
 */
export const readRepository = async (files: TargetFiles, workTree: string): Promise<Repository> => {
  const gitDir = await gitDirOf(files, workTree);
  const common = await files.readText(`${gitDir}/commondir`, MAX_BYTES);
  const commonDir = common === null ? gitDir : resolved(firstLine(common), gitDir);
  const head = firstLine((await files.readText(`${gitDir}/HEAD`, MAX_BYTES)) ?? "").trim();
  if (!HEAD.test(head)) throw new NotLookedAt("what is checked out cannot be read");
  const settings = readSettings(await settingsOf(files, gitDir, commonDir));
  if (settings.obstacle !== null) throw new NotLookedAt(settings.obstacle);
  // Which of the person's filters an attribute names cannot be told from here; the common place of them can.
  const attributes = await files.readText(`${workTree}/.gitattributes`, MAX_SETTINGS_BYTES);
  if (/\sfilter=/.test(attributes ?? ""))
    throw new NotLookedAt("its files go through a filter, and a filter is a program");
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  return { gitDir, commonDir, head, branch, settings };
};
