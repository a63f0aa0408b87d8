// Finds the tmux program and its version. An app that the desktop starts has no shell PATH, so the usual places are
// tried after it.
import { AgtmuxError } from "../model/errors.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";

/**
 * Homebrew of Apple silicon comes first: where it is installed, `/usr/local` holds leftovers of an Intel Homebrew. Then
 * MacPorts and Nix.
 */
const USUAL_FOLDERS = [
  "/usr/bin",
  "/opt/homebrew/bin",
  "/usr/local/bin",
  "/opt/local/bin",
  "/run/current-system/sw/bin",
  "/nix/var/nix/profiles/default/bin",
];
const VERSION_TIMEOUT_MS = 5_000;
const ANY_EXECUTE_BIT = 0o111;

/** `raw` is what `tmux -V` printed after the program's name; development builds may have no number. */
export interface TmuxVersion {
  raw: string;
  major: number | null;
  minor: number | null;
}

export interface FoundTmux {
  path: string;
  version: TmuxVersion;
}

/**
 * How well a version is known. `tested`: every test runs with the releases from 3.2a to 3.7c. `untried`: what is newer, and what was
 * built between two of these; before one of its servers is asked over its socket, its answers there are compared with the tmux
 * program's. `older`: nobody has read how its servers take messages; nor of a build without a number, which may be of any age.
 */
export type VersionKnowledge = "older" | "tested" | "untried";
type Release = readonly [major: number, minor: number];
const OLDEST_TESTED: Release = [3, 2];
const FIRST_NEWER: Release = [3, 8];
export const TESTED_VERSIONS = "3.2a to 3.7c";

export const knowledgeOf = ({ raw, major, minor }: TmuxVersion): VersionKnowledge => {
  if (major === null || minor === null) return "older";
  const isBelow = (than: Release): boolean => major < than[0] || (major === than[0] && minor < than[1]);
  const isRelease = /^\d+\.\d+[a-z]?$/.test(raw);
  const isOldest = major === OLDEST_TESTED[0] && minor === OLDEST_TESTED[1];
  // `next-3.2` came before 3.2.
  if (isBelow(OLDEST_TESTED) || (isOldest && !isRelease)) return "older";
  return isRelease && isBelow(FIRST_NEWER) ? "tested" : "untried";
};

/** Since 3.8 (and builds before it) tmux knows when each pane printed last, not only when its window did. */
export const tellsPaneOutput = ({ major, minor }: TmuxVersion): boolean =>
  major !== null && (major > 3 || (major === 3 && (minor ?? 0) >= 8));

/** Reads the output of `tmux -V`: `tmux 3.3a`, `tmux next-3.6`, `tmux openbsd-7.5`, `tmux master`. */
export const parseTmuxVersion = (output: string): TmuxVersion => {
  const raw = /^tmux\s+(\S+)/.exec(output)?.[1] ?? "";
  const numbers = /^(?:next-)?(\d+)\.(\d+)/.exec(raw);
  return {
    raw,
    major: numbers?.[1] === undefined ? null : Number(numbers[1]),
    minor: numbers?.[2] === undefined ? null : Number(numbers[2]),
  };
};

/**
 * The configured path alone when there is one, else the first executable of PATH and the usual places that answers
 * `-V`. Fails with E_TMUX_MISSING and the places that were tried.
 */
export const findTmux = async (options: {
  executor: TargetExecutor;
  configuredPath: string | null;
  pathVariable: string | undefined;
}): Promise<FoundTmux> => {
  const { executor, configuredPath, pathVariable } = options;
  const folders = [
    ...(pathVariable ?? "").split(":").filter((part) => part.startsWith("/")),
    ...USUAL_FOLDERS,
  ];
  const candidates =
    configuredPath === null ? [...new Set(folders.map((folder) => `${folder}/tmux`))] : [configuredPath];
  for (const path of candidates) {
    const found = await executor.files.stat(path).catch(() => null);
    if (found === null || !found.isFile || (found.mode & ANY_EXECUTE_BIT) === 0) continue;
    const answer = await executor.run([path, "-V"], { timeoutMs: VERSION_TIMEOUT_MS }).catch(() => null);
    const version = answer?.exitCode === 0 ? parseTmuxVersion(answer.stdout) : null;
    if (version !== null && version.raw !== "") return { path, version };
  }
  throw new AgtmuxError("E_TMUX_MISSING", "find tmux: no working tmux program was found", {
    details: candidates,
  });
};
