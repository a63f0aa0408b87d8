// Which version of an agent runs, from the path of its program: the package file above its script, or a version in the path
// itself. Only reads small files; the agent is never started for it.
import type { ProcessInfo } from "../model/runtime.ts";
import type { TargetExecutor, TargetFiles } from "../ports/targetExecutor.ts";
import { COMMAND_TIMEOUT_MS } from "./doctorTarget.ts";

const MAX_BYTES = 256 * 1024;
const MAX_FOLDERS = 6;
const INTERPRETER = /^(?:node|nodejs|bun|deno|sh|bash|dash|zsh|env)(?:[-.\d]*)$/;
const VERSION = /^v?(\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+.][\w.-]{1,40})?)$/;

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Where a symbolic link leads in one step, absolute. */
const follow = async (files: TargetFiles, path: string): Promise<string> => {
  const link = await files.readLink(path);
  if (link === null) return path;
  if (link.startsWith("/")) return link;
  const parts: string[] = [];
  for (const part of `${folderOf(path)}/${link}`.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  return `/${parts.join("/")}`;
};

/** Where a shell with that PATH finds a program. */
const findOnPath = async (files: TargetFiles, name: string, path: string): Promise<string | null> => {
  for (const folder of path.split(":").filter((part) => part.startsWith("/"))) {
    const program = `${folder}/${name}`;
    if ((await files.stat(program))?.isFile === true) return program;
  }
  return null;
};

/** The agent's own program or script, not its interpreter. */
const programOf = async (
  files: TargetFiles,
  { pid, args }: ProcessInfo,
  path: () => Promise<string>,
): Promise<string | null> => {
  const words = args.split(" ");
  const [first = ""] = words;
  const isInterpreted = INTERPRETER.test(nameOf(first));
  const named = (isInterpreted ? words.slice(1) : words.slice(0, 1)).find((word) => word.startsWith("/"));
  if (named !== undefined) return follow(files, named);
  if (isInterpreted) return null;
  const program = await files.readLink(`/proc/${pid}/exe`);
  if (program !== null) return INTERPRETER.test(nameOf(program)) ? null : program;
  // macOS has no such link; there only the typed command is known.
  const found = first === "" || first.includes("/") ? null : await findOnPath(files, first, await path());
  return found === null ? null : follow(files, found);
};

const versionOfPackage = (text: string): string | null => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("version" in value)) return null;
    return typeof value.version === "string" ? (VERSION.exec(value.version)?.[1] ?? null) : null;
  } catch {
    // Not a readable package file.
    return null;
  }
};

/** `…/<agent>/versions/1.2.3`; the version of an interpreter in the path is not the agent's version. */
const versionInPath = (path: string): string | null => {
  const parts = path.split("/");
  const at = parts.findLastIndex((part) => VERSION.test(part));
  if (at === -1 || INTERPRETER.test(parts[at - 1] ?? "")) return null;
  return VERSION.exec(parts[at] ?? "")?.[1] ?? null;
};

/**
 * Null when the version cannot be found without starting something. `path` gives the PATH there, and is asked only when nothing
 * but the program's name is known. It may differ from the agent's own PATH.
 */
export const agentVersionOf = async (
  files: TargetFiles,
  process: ProcessInfo,
  path: () => Promise<string>,
): Promise<string | null> => {
  const program = await programOf(files, process, path);
  if (program === null) return null;
  if (!program.includes("/node_modules/")) return versionInPath(program);
  let folder = folderOf(program);
  for (let step = 0; step < MAX_FOLDERS && folder.includes("/node_modules/"); step++) {
    const text = await files.readText(`${folder}/package.json`, MAX_BYTES);
    const version = text === null ? null : versionOfPackage(text);
    if (version !== null) return version;
    folder = folderOf(folder);
  }
  return null;
};

/**
 * The target's PATH plus the folders where agents install themselves, because a daemon that the desktop started has no shell's
 * PATH.
 */
export const askPath = async (executor: TargetExecutor): Promise<string> => {
  const [{ stdout }, home] = await Promise.all([
    executor.run(["sh", "-c", 'printf %s "$PATH"'], { timeoutMs: COMMAND_TIMEOUT_MS }),
    executor.homeDir(),
  ]);
  return `${stdout}:${home}/.local/bin:/opt/homebrew/bin:/usr/local/bin`;
};
