// Which files a request names (`pathsIn`), where their links lead (`RequestPaths`), and whether a rule is about one of them
// (`fitsPath`). For rules that stop something, so it is generous: any word of a command may be a path, also behind an option, and a
// path also counts by where its links lead. What a program opens beyond its words is not known here.
import { realpath } from "node:fs/promises";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { basename, dirname, join, normalize } from "node:path";
import { HOST_TARGET } from "../../../core/model/runtime.ts";
import type { ToldRequest } from "../../../core/model/request.ts";
import { commandsIn } from "./ruleCommands.ts";

const MAX_PATTERN = 200;
/** Of an agent that asks with thousands of words; a command that can be approved has fewer. */
const MAX_PATHS = 4_000;
const MAX_REAL = 1_200;
/** No path is longer. */
const MAX_LENGTH = 4_096;
/** Of one word. */
const MAX_PARTS = 600;
/** Behind these a word may go on with a path. */
const BORDER = /[=:@,]/;

/** Why this names no paths; null: it does. */
export const patternProblem = (pattern: string): string | null => {
  const parts = pattern.split("/");
  if (pattern.trim() === "" || pattern.length > MAX_PATTERN) return "a path is up to 200 characters";
  if (parts.some((part) => part === "." || part === "..")) return "write the path without '.' and '..'";
  if (/[[\]{}!\\]/.test(pattern)) return "only the patterns '*', '**' and '?' are supported";
  if (parts.some((part) => part.includes("**") && part !== "**"))
    return "'**' stands for folders: write it between slashes";
  if (pattern.startsWith("~")) return "write the path in full, or from its folder's name on";
  return null;
};

/** `*`: any characters, `?`: one. Without a regular expression, so that no pattern takes long. */
const fitsName = (pattern: string, name: string): boolean => {
  let [at, from, starAt, starFrom] = [0, 0, -1, 0];
  while (from < name.length) {
    const sign = pattern[at];
    if (sign === "*") [starAt, starFrom, at] = [at, from, at + 1];
    else if (sign === "?" || sign === name[from]) [at, from] = [at + 1, from + 1];
    else if (starAt >= 0) [starFrom, at, from] = [starFrom + 1, starAt + 1, starFrom + 1];
    else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
};

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

/** Whether `parts`, or a folder above them, fits; `**` is any number of folders, none too. */
const fitsParts = (pattern: readonly string[], parts: readonly string[]): boolean => {
  // Those lengths of the beginning of `parts` that the pattern so far fits.
  let fits = new Set([0]);
  for (const sign of pattern) {
    const next = new Set<number>();
    if (sign === "**") for (let end = Math.min(...fits); end <= parts.length; end += 1) next.add(end);
    else
      for (const length of fits)
        if (length < parts.length && fitsName(sign, parts[length] ?? "")) next.add(length + 1);
    fits = next;
  }
  // What lies in a folder that is named is named as well.
  return fits.size > 0;
};

/**
 * A pattern that begins with a slash is of the whole path, any other of its end as well. Small and capital letters are the same: to
 * a Mac they are.
 */
export const fitsPath = (pattern: string, path: string): boolean => {
  const parts = partsOf(path.toLowerCase());
  const signs = partsOf(pattern.toLowerCase());
  return fitsParts(pattern.startsWith("/") ? signs : ["**", ...signs], parts);
};

/** What of a word may be a path: all of it, and what stands behind a sign, or behind the letters of an option. */
const pathsOfWord = (word: string): string[] => {
  const paths = [word];
  const from = Math.max(0, word.length - MAX_LENGTH);
  for (let at = from; at < word.length - 1 && paths.length < MAX_PARTS; at += 1)
    if (BORDER.test(word[at] ?? "") || (word.startsWith("-") && at > 0 && /[./~]/.test(word[at + 1] ?? "")))
      paths.push(word.slice(at + 1));
  return paths;
};

const absolute = (path: string, folder: string | null, home: string): string => {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  if (path.startsWith("/") || folder === null) return normalize(path);
  return join(folder, path);
};

/** Every path that a request may name, from the folder in which it runs; each once. */
export const pathsIn = (asked: {
  command: string | null;
  /** The file of an edit; several stand on lines of their own. */
  file: string | null;
  folder: string | null;
  home: string;
}): string[] => {
  const { command, file, folder, home } = asked;
  const words = command === null ? [] : commandsIn(command).flat();
  const named = [...(file === null ? [] : [file, ...file.split("\n")]), ...words.flatMap(pathsOfWord)];
  const paths = named.filter((path) => path !== "" && path.length <= MAX_LENGTH).slice(0, MAX_PATHS);
  return [...new Set(paths.map((path) => absolute(path, folder, home)))];
};

/** Where a path leads; of one that is not there, where its folder does. Null: nobody knows. */
const realOf = async (path: string): Promise<string | null> => {
  const missing: string[] = [];
  for (let at = path; at !== dirname(at); at = dirname(at))
    try {
      return join(await realpath(at), ...missing);
    } catch {
      // It is not there, or may not be read: the folder above it may be.
      missing.unshift(basename(at));
    }
  return null;
};

/** Where the links of these paths lead on this machine, each once. Never rejects. */
export const realPaths = async (paths: readonly string[]): Promise<string[]> => {
  const own = paths.filter((path) => path.startsWith("/") && !path.includes("\0")).slice(0, MAX_REAL);
  const found = await Promise.all(own.map(realOf));
  return [...new Set(found.filter((path) => path !== null))];
};

const TIMEOUT_MS = 5_000;
/** Each on a line; an empty one for a folder that is not there or that nobody may enter. */
const REAL_FOLDERS = 'for one in "$@"; do (CDPATH= cd -P -- "$one" 2>/dev/null && pwd -P) || echo; done';

/** Where folders lead on another machine; none where it does not answer, or where a name cannot stand on a line. */
const realThere = async (
  context: FeatureContext,
  target: string,
  folders: readonly string[],
): Promise<Map<string, string>> => {
  const plain = folders.filter((folder) => folder.startsWith("/") && !/[\0\n]/.test(folder));
  if (plain.length === 0) return new Map();
  try {
    const { exitCode, stdout } = await context
      .target(target)
      .run(["sh", "-c", REAL_FOLDERS, "sh", ...plain], { timeoutMs: TIMEOUT_MS });
    const lines = stdout.split("\n").slice(0, -1);
    if (exitCode !== 0 || lines.length !== plain.length) return new Map();
    const real = plain.map((folder, index): [string, string] => [folder, lines[index] ?? ""]);
    return new Map(real.filter(([, line]) => line.startsWith("/")));
  } catch {
    // Nobody knows then, which stops more and approves nothing.
    return new Map();
  }
};

/** Where folders lead; without those that are not there, and those of which nobody knows. Never rejects. */
export const realFolders = async (
  context: FeatureContext,
  target: string,
  folders: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const each = [...new Set(folders)];
  if (target !== HOST_TARGET) return realThere(context, target, each);
  const found = await Promise.all(
    // One that is not there leads nowhere.
    each.map(async (folder) => ({ folder, real: await realpath(folder).catch(() => null) })),
  );
  return new Map(found.flatMap(({ folder, real }) => (real === null ? [] : [[folder, real]])));
};

interface KnownPaths {
  readonly fingerprint: string | null;
  readonly all: readonly string[];
  readonly folders: ReadonlySet<string>;
  readonly real: ReadonlyMap<string, string>;
}

/** The files and folders of each request, and where they lead: read once, and again directly before the answer: links change. */
export class RequestPaths {
  private readonly context: FeatureContext;
  private readonly known = new Map<string, KnownPaths>();

  constructor(context: FeatureContext) {
    this.context = context;
  }

  /** `folders`: those that rules name. */
  has({ runtimeId, fingerprint }: ToldRequest, folders: readonly string[]): boolean {
    const known = this.known.get(runtimeId);
    return known?.fingerprint === fingerprint && folders.every((folder) => known.folders.has(folder));
  }

  /** None while they were not read. */
  of({ runtimeId }: ToldRequest): readonly string[] {
    return this.known.get(runtimeId)?.all ?? [];
  }

  leadsTo({ runtimeId }: ToldRequest, folder: string): string | null {
    return this.known.get(runtimeId)?.real.get(folder) ?? null;
  }

  /** Files of another machine by their names alone. Never rejects. */
  async read(target: string, request: ToldRequest, folders: readonly string[]): Promise<void> {
    const { runtimeId, fingerprint, folder } = request;
    const named = pathsIn({ ...request, home: this.context.env["HOME"] ?? "/" });
    const [paths, real] = await Promise.all([
      target === HOST_TARGET ? realPaths(named) : [],
      realFolders(this.context, target, folder === null ? folders : [folder, ...folders]),
    ]);
    this.known.set(runtimeId, { fingerprint, all: [...named, ...paths], folders: new Set(folders), real });
  }

  forget(runtimeId: string): void {
    this.known.delete(runtimeId);
  }
}
