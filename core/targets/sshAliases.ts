// Which hosts a person's SSH configuration names: the words of `Host` lines that are not patterns, in included files too. It
// only offers names to choose from; what a name means, only `ssh -G` says (sshConfig.ts).
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { AgtmuxError } from "../model/errors.ts";
import { checkSshAlias } from "./sshConfig.ts";
import { isMissing } from "../model/systemError.ts";

/** OpenSSH follows includes this deep. */
const MAX_DEPTH = 16;
const MAX_FILES = 200;
const MAX_FILE_BYTES = 1_000_000;
const MAX_ALIASES = 2_000;

export interface SshAliases {
  /** In the order of the files, each once. */
  aliases: string[];
  /** Files that exist but cannot be read. */
  problems: string[];
}

/** The keyword of a line in lower case, and its words without quotes; null for a comment and an empty line. */
const readLine = (line: string): { keyword: string; words: string[] } | null => {
  const found = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*)$/.exec(line);
  if (found === null) return null;
  const [, keyword = "", rest = ""] = found;
  const words: string[] = [];
  for (const [, quoted, plain = ""] of rest.matchAll(/"([^"]*)"|(\S+)/g)) {
    // The rest of the line is a comment.
    if (quoted === undefined && plain.startsWith("#")) break;
    words.push(quoted ?? plain);
  }
  return { keyword: keyword.toLowerCase(), words };
};

const isUsable = (alias: string): boolean => {
  if (/[*?!]/.test(alias)) return false;
  try {
    checkSshAlias(alias);
    return true;
  } catch (error) {
    if (error instanceof AgtmuxError) return false;
    throw error;
  }
};

/** Matches one character of a name, or any number of them. */
type GlobPart = "*" | RegExp;

const partsOf = (glob: string): GlobPart[] =>
  (glob.match(/\*+|\[!?\]?[^\]]*\]|./gsu) ?? []).map((part) => {
    if (part.startsWith("*")) return "*";
    if (part === "[") throw new SyntaxError("a class without its end");
    if (part === "?") return /^.$/su;
    if (part.length > 2 && part.startsWith("[")) return new RegExp(`^${part.replace("[!", "[^")}$`, "su");
    return new RegExp(`^${part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`, "su");
  });

/**
 * Backtracks only to the last `*`, so that many of them cost no more than one. @throws SyntaxError for a malformed character
 * class.
 */
const createGlob = (glob: string): ((name: string) => boolean) => {
  const parts = partsOf(glob);
  return (name) => {
    const characters = Array.from(name);
    let [at, part] = [0, 0];
    let star: { at: number; part: number } | null = null;
    while (at < characters.length) {
      const wanted = parts[part];
      if (wanted === "*") star = { at, part: part++ };
      else if (wanted?.test(characters[at] ?? "") === true) {
        at += 1;
        part += 1;
      } else if (star !== null) {
        star.at += 1;
        at = star.at;
        part = star.part + 1;
      } else return false;
    }
    return parts.slice(part).every((rest) => rest === "*");
  };
};

const listFolder = async (path: string): Promise<string[]> => {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

/** The paths that a glob matches; every part of it may hold `*`, `?` and `[…]`. */
const expand = async (path: string): Promise<string[]> => {
  let found = ["/"];
  for (const part of path.split("/").filter((one) => one !== "")) {
    const isGlob = /[*?[]/.test(part);
    const isNamed = isGlob ? createGlob(part) : null;
    const next = await Promise.all(
      found.map(async (folder) =>
        isNamed === null
          ? [join(folder, part)]
          : (await listFolder(folder))
              .filter((name) => isNamed(name) && (part.startsWith(".") || !name.startsWith(".")))
              .map((name) => join(folder, name)),
      ),
    );
    found = next.flat().slice(0, MAX_FILES);
  }
  return found;
};

/** Bounded for display: a word of a configuration can be as long as the file. */
const shown = (word: string): string => (word.length > 200 ? `${word.slice(0, 200)}…` : word);

/**
 * `homeDir` holds `.ssh/config`; without one there are no aliases. Never fails: a file that cannot be read becomes a problem.
 */
export const readSshAliases = async (homeDir: string): Promise<SshAliases> => {
  const sshDir = join(homeDir, ".ssh");
  const aliases = new Set<string>();
  const problems: string[] = [];
  const seen = new Set<string>();

  const absolute = (path: string): string =>
    path.startsWith("~/") ? join(homeDir, path.slice(2)) : path.startsWith("/") ? path : join(sshDir, path);

  const readOne = async (path: string): Promise<string | null> => {
    try {
      const { size, isFile } = await stat(path).then((found) => ({
        size: found.size,
        isFile: found.isFile(),
      }));
      // Reading a pipe might never end.
      if (!isFile) return null;
      if (size <= MAX_FILE_BYTES) return await readFile(path, "utf8");
      problems.push(`${shown(path)} is larger than ${MAX_FILE_BYTES} bytes and was not read.`);
    } catch (error) {
      if (!isMissing(error)) problems.push(`${shown(path)} cannot be read.`);
    }
    return null;
  };

  const follow = async (path: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH || seen.size >= MAX_FILES || seen.has(path)) return;
    seen.add(path);
    for (const text of ((await readOne(path)) ?? "").split("\n")) {
      const line = readLine(text);
      if (line?.keyword === "host")
        for (const word of line.words) if (aliases.size < MAX_ALIASES && isUsable(word)) aliases.add(word);
      if (line?.keyword === "include")
        for (const word of line.words) for (const file of await include(word)) await follow(file, depth + 1);
    }
  };
  const include = async (word: string): Promise<string[]> => {
    try {
      return await expand(absolute(word));
    } catch {
      problems.push(`What '${shown(word)}' includes cannot be listed.`);
      return [];
    }
  };

  await follow(join(sshDir, "config"), 0);
  return { aliases: [...aliases], problems };
};
