// What OpenSSH says about an alias (`readSshConfig`), the command that runs a program of a target in a terminal, and the host names
// of the person's configuration to choose from. Only `ssh -G` says what a name means, so that includes, matches and defaults mean
// the same here as in the person's terminal.
import * as z from "zod";
import { AgtmuxError, isMissing, unlessMissing } from "../model/errors.ts";
import { refusePassword } from "../model/sshAddress.ts";
import { quoteForLogin } from "./remoteScript.ts";
import { runProgram } from "./runProgram.ts";
import { cleanLine, unreachableError } from "./sshErrors.ts";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

const TIMEOUT_MS = 10_000;
const MAX_ALIAS_LENGTH = 255;
/** What OpenSSH 9.6 refuses in host and user names, because a ProxyCommand of the configuration may pass them to a shell. */
const SHELL_CHARACTERS = /['"`$\\;&<>|(){}]/;

const isSet = z.string().transform((value) => !["no", "none", "false", ""].includes(value.toLowerCase()));
const value = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.toLowerCase() === "none" ? null : text));
const words = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text === "none" ? [] : text.split(/\s+/)));
const names = z
  .string()
  .optional()
  .transform((text) => (text === undefined ? [] : text.split(",")));
const flag = isSet.optional().transform((found) => found ?? false);

/** The keywords that `ssh -G` prints. Each keeps its last value, except those of `lists`, which keep all. */
const recordSchema = z.object({
  hostname: z.string().min(1),
  port: z.coerce.number().int().min(1).max(65_535),
  user: z.string().min(1),
  addressfamily: z.enum(["any", "inet", "inet6"]).optional().default("any"),
  hostkeyalias: value,
  identitiesonly: flag,
  identityagent: z.string().optional().default("SSH_AUTH_SOCK"),
  proxyjump: value,
  proxycommand: value,
  gssapiauthentication: flag,
  hostbasedauthentication: flag,
  pubkeyauthentication: z
    .string()
    .optional()
    .transform((text) => text !== "no" && text !== "false"),
  compression: flag,
  connecttimeout: value,
  userknownhostsfile: words,
  globalknownhostsfile: words,
  hostkeyalgorithms: names,
  kexalgorithms: names,
  ciphers: names,
  macs: names,
});

export interface SshConfig extends Readonly<z.output<typeof recordSchema>> {
  readonly alias: string;
  readonly identityFiles: readonly string[];
  readonly certificateFiles: readonly string[];
  /** Every keyword with all its values, in order. */
  readonly all: ReadonlyMap<string, readonly string[]>;
}

/**
 * Refuses a name that `ssh`, or a shell that its configuration starts, could take for anything but a name, and one with a
 * password.
 * @throws AgtmuxError E_USAGE.
 */
export const checkSshAlias = (alias: string): void => {
  refusePassword(alias);
  const why =
    alias === ""
      ? "it is empty"
      : alias.startsWith("-")
        ? "it begins with a dash, which ssh would take for an option"
        : alias.length > MAX_ALIAS_LENGTH
          ? `it is longer than ${MAX_ALIAS_LENGTH} characters`
          : /[\s\p{C}]/u.test(alias)
            ? "it contains a space or a control character"
            : SHELL_CHARACTERS.test(alias)
              ? "it contains a character that a shell would interpret"
              : null;
  if (why !== null)
    throw new AgtmuxError("E_USAGE", `the SSH target '${cleanLine(alias)}' cannot be used: ${why}`, {
      remedy: "Name a host of your SSH configuration, or user@host.",
    });
};

/** @throws Error when the output cannot be from `ssh -G`. */
export const parseSshConfig = (alias: string, output: string): SshConfig => {
  const all = new Map<string, string[]>();
  for (const line of output.split("\n")) {
    const space = line.indexOf(" ");
    if (space <= 0) continue;
    const keyword = line.slice(0, space).toLowerCase();
    const values = all.get(keyword) ?? [];
    values.push(line.slice(space + 1).trim());
    all.set(keyword, values);
  }
  const last = Object.fromEntries([...all].map(([keyword, values]) => [keyword, values.at(-1)]));
  return {
    ...recordSchema.parse(last),
    alias,
    identityFiles: all.get("identityfile") ?? [],
    certificateFiles: all.get("certificatefile") ?? [],
    all,
  };
};

interface SshConfigReader {
  env: NodeJS.ProcessEnv;
  /** Used instead of the person's and the system's configuration. */
  configFile: string | null;
}

const askSsh = async (alias: string, env: NodeJS.ProcessEnv, file: readonly string[]): Promise<SshConfig> => {
  const result = await runProgram(["ssh", "-G", ...file, "--", alias], { env, timeoutMs: TIMEOUT_MS }).catch(
    (cause: unknown) => {
      const remedy = "Install the OpenSSH client.";
      throw unreachableError(alias, "the ssh program cannot be started", { remedy, cause });
    },
  );
  if (result.exitCode !== 0)
    throw unreachableError(alias, "ssh does not accept its configuration", {
      remedy: `Correct what 'ssh -G ${alias}' complains about.`,
      details: result.stderr.trimEnd().split("\n").map(cleanLine).slice(-3),
    });
  try {
    return parseSshConfig(alias, result.stdout);
  } catch (error) {
    throw unreachableError(alias, "what 'ssh -G' prints is not understood", { cause: error });
  }
};

/** The address family as Node names it; 0: whichever the name resolves to. */
export const familyOf = ({ addressfamily }: SshConfig): 0 | 4 | 6 => {
  switch (addressfamily) {
    case "any":
      return 0;
    case "inet":
      return 4;
    case "inet6":
      return 6;
  }
};

/**
 * The configuration of an alias, and what ssh would use without any configuration: the difference is what the person set.
 * @throws AgtmuxError E_USAGE for the alias, E_TARGET_UNREACHABLE when ssh refuses its configuration.
 */
export const readSshConfig = async (
  alias: string,
  { env, configFile }: SshConfigReader,
): Promise<{ config: SshConfig; unconfigured: SshConfig }> => {
  checkSshAlias(alias);
  const [config, unconfigured] = await Promise.all([
    askSsh(alias, env, configFile === null ? [] : ["-F", configFile]),
    askSsh(alias, env, ["-F", "/dev/null"]),
  ]);
  return { config, unconfigured };
};

/**
 * The command that runs a program of a target in a person's own terminal. It is the person's `ssh`, which may ask for a
 * passphrase, a touch or a host key. It shares nothing with the connection that watches the target. `configFile` is used
 * instead of the person's SSH configuration; null: theirs.
 * @throws AgtmuxError E_USAGE for an alias that cannot be one, or a word with a NUL character.
 */
export const sshTerminalCommand = (
  { alias, configFile }: { alias: string; configFile: string | null },
  argv: readonly string[],
): string[] => {
  checkSshAlias(alias);
  const file = configFile === null ? [] : ["-F", configFile];
  return ["ssh", ...file, "-t", "--", alias, quoteForLogin(argv)];
};

// Host names: the words of `Host` lines that are not patterns, in included files too. They are only offered as a choice.

/** OpenSSH follows includes this deep. */
const MAX_DEPTH = 16;
const MAX_FILES = 200;
const MAX_FILE_BYTES = 1_000_000;
const MAX_ALIASES = 2_000;

interface SshAliases {
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
          : ((await unlessMissing(readdir(folder))) ?? [])
              .toSorted()
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
