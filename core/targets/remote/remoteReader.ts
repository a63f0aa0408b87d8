// A target as its collector reads it: every request goes through the one remote shell. Writes, and work that a person waits
// for, go through the connection's own executor instead. Files are read with the shell's built-ins where these suffice, else
// with one small program.
import type { FileStat, RunResult, TargetExecutor, TargetFiles } from "../../ports/targetExecutor.ts";
import { checkGuarded, guardedCall } from "../ownSocket.ts";
import { quoteArgv } from "../quote.ts";
import { commandScript, toRunResult, type RemoteShell } from "./remoteShell.ts";

const TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const MAX_LISTING_BYTES = 8 * 1024 * 1024;

export type FileReads = Pick<TargetFiles, "readText" | "readTail" | "readLink" | "list" | "stat">;

/** Prints `N` for a missing file, `E` for anything but a readable regular file, else `F` and what `read` prints. */
const readScript = (file: string, read: string): string =>
  `f=${file}; if [ ! -e "$f" ]; then printf N; elif [ -f "$f" ] && [ -r "$f" ]; then printf F; ${read} <"$f"; else printf E; fi`;

/**
 * GNU and busybox print the mode in hexadecimal, BSD in octal. A socket's time is not read: nobody needs it, and it would start
 * a program.
 */
const statScript = (file: string): string =>
  `f=${file}; if [ ! -e "$f" ]; then printf N; elif [ -S "$f" ]; then printf S; else ` +
  `stat -L -c 'H %Y %s %f' "$f" || stat -L -f 'O %m %z %p' "$f"; fi`;

const FILE_TYPE = 0o170_000;
const REGULAR = 0o100_000;

const parseStat = (text: string): FileStat | null => {
  if (text === "N") return null;
  if (text === "S") return { mtimeMs: 0, size: 0, isFile: false, mode: 0 };
  const [, base, mtime, size, mode = ""] = /^([HO]) (\d+) (\d+) ([0-9a-f]+)\n$/.exec(text) ?? [];
  if (base === undefined) throw new Error("stat: the target's answer is not understood");
  const bits = Number.parseInt(mode, base === "H" ? 16 : 8);
  return {
    mtimeMs: Number(mtime) * 1_000,
    size: Number(size),
    isFile: (bits & FILE_TYPE) === REGULAR,
    mode: bits & 0o7777,
  };
};

/** Times are from the target's clock, in whole seconds; a socket has none. */
export const createRemoteReader = (shell: RemoteShell): FileReads => {
  const ask = async (script: string, maxBytes?: number): Promise<Buffer> =>
    (
      await shell.ask(script, {
        timeoutMs: TIMEOUT_MS,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
    ).stdout;
  /** A path that begins with a dash would be an option. */
  const quotePath = (path: string): string => {
    if (!path.startsWith("/")) throw new Error("files of a target are named by absolute paths");
    return quoteArgv([path]);
  };
  const read = async (path: string, program: string, maxBytes: number): Promise<string | null> => {
    const limit = Math.floor(maxBytes);
    const answer = await ask(readScript(quotePath(path), `${program} -c ${limit}`), limit);
    const kind = answer.subarray(0, 1).toString("latin1");
    if (kind === "N") return null;
    if (kind !== "F") throw new Error(`read ${path}: it is no readable file`);
    return answer.subarray(1).toString("utf8");
  };
  return {
    readText: (path, maxBytes = DEFAULT_MAX_BYTES) => read(path, "head", maxBytes),
    readTail: (path, maxBytes) => read(path, "tail", maxBytes),
    readLink: async (path) => {
      const answer = await ask(`f=${quotePath(path)}; [ -L "$f" ] && readlink "$f"`);
      return answer.length === 0 ? null : answer.toString("utf8").replace(/\n$/, "");
    },
    list: async (path) => {
      const folder = quotePath(path);
      const answer = await ask(
        `for f in ${folder}/* ${folder}/.[!.]* ${folder}/..?*; do if [ -e "$f" ] || [ -L "$f" ]; then printf '%s\\0' "\${f##*/}"; fi; done`,
        MAX_LISTING_BYTES,
      );
      return answer
        .toString("utf8")
        .split("\0")
        .filter((name) => name !== "");
    },
    stat: async (path) => parseStat((await ask(statScript(quotePath(path)))).toString("latin1")),
  };
};

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** `base` writes files, which the remote shell does not. Closing the reader closes the shell, not `base`. */
export const createShellExecutor = (options: {
  base: TargetExecutor;
  shell: RemoteShell;
}): TargetExecutor => {
  const { base, shell } = options;
  const run = async (
    script: string,
    { timeoutMs, maxBytes = MAX_OUTPUT_BYTES }: { timeoutMs: number; maxBytes?: number },
  ): Promise<RunResult> =>
    toRunResult(await shell.ask(script, { timeoutMs, captureErrors: true, maxBytes }), maxBytes);
  return {
    targetId: base.targetId,
    kind: base.kind,
    homeDir: () => base.homeDir(),
    run: (argv, { stdin, ...options }) => run(commandScript(argv, stdin), options),
    runTmux: async (call, { stdin, ...options }) => {
      const { look, argv } = guardedCall(call);
      return checkGuarded(call, await run(commandScript(argv, stdin, look), options));
    },
    tmuxForTerminal: (call) => base.tmuxForTerminal(call),
    files: { ...base.files, ...createRemoteReader(shell) },
    close: () => shell.close(),
  };
};
