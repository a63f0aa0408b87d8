// Files of an SSH target behind the TargetFiles port, by small POSIX scripts over the connection: no SFTP, no program
// beyond what GNU, BSD and busybox bring. Names travel as words of the script, contents as bytes, so that neither is ever
// read as shell text.
import { randomBytes } from "node:crypto";
import type { FileStat, TargetFiles } from "../../ports/targetExecutor.ts";
import { cleanLine } from "../sshErrors.ts";
import type { RemoteRequest, RemoteResult } from "./remoteRun.ts";
import { FILE_SCRIPTS, MISSING_STATUS } from "./sshFileScripts.ts";

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** The output bound of scripts that print only a little. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const FILE_TYPE = 0o170_000;
const REGULAR = 0o100_000;

type RunRemote = (request: RemoteRequest) => Promise<RemoteResult>;

/** A name that begins with a dash would be an option. */
const operandOf = (path: string): string => (path.startsWith("/") ? path : `./${path}`);

/**
 * GNU and busybox print whole seconds and a date with the fraction, BSD prints seconds with their fraction. The mode is
 * hexadecimal for GNU and busybox, octal for BSD.
 */
const parseStat = (answer: string): FileStat | null => {
  const gnu = /^G ([0-9a-f]+) (\d+) (-?\d+) \S+ [\d:]+(\.\d+)?/.exec(answer);
  const bsd = /^B ([0-7]+) (\d+) (-?\d+(?:\.\d+)?)$/m.exec(answer);
  const [, mode, size, seconds, fraction = "0"] = gnu ?? bsd ?? [];
  if (mode === undefined || seconds === undefined) return null;
  const bits = Number.parseInt(mode, gnu === null ? 8 : 16);
  return {
    mtimeMs: Number(seconds) * 1_000 + Number(fraction) * 1_000,
    size: Number(size),
    isFile: (bits & FILE_TYPE) === REGULAR,
    mode: bits & 0o7777,
  };
};

/**
 * The remote TargetFiles, with the local one's guarantees except one: a file that is replaced is synced to disk only where the
 * remote `sync` takes file names. `readText` gives the first `maxBytes` (16 MB); times have the remote system's resolution.
 */
export const createSshFiles = (remote: RunRemote): TargetFiles => {
  /** Null when the script says that the file is missing. Other failures carry the first line that the remote side printed. */
  const ask = async (
    what: string,
    script: string,
    words: readonly string[],
    more: { stdin?: Buffer; maxBytes?: number } = {},
  ): Promise<Buffer | null> => {
    const result = await remote({
      command: `{ LC_ALL=C; export LC_ALL\n${script}\n}`,
      words,
      stdin: more.stdin ?? null,
      timeoutMs: TIMEOUT_MS,
      maxBytes: more.maxBytes ?? MAX_ANSWER_BYTES,
      isProgram: false,
    });
    if (result.exitCode === 0) return result.stdout;
    if (result.exitCode === MISSING_STATUS) return null;
    const why = result.timedOut
      ? `no answer within ${TIMEOUT_MS} ms`
      : cleanLine(result.stderr.toString("utf8").split("\n")[0] ?? "");
    throw new Error(`${what} ${cleanLine(words[0] ?? "")} on the target: ${why === "" ? "it failed" : why}`);
  };
  const read = async (script: string, path: string, maxBytes: number): Promise<string | null> => {
    const limit = Math.max(0, Math.floor(maxBytes));
    const found = await ask("read", script, [operandOf(path), String(limit)], { maxBytes: limit + 1 });
    return found === null ? null : found.toString("utf8");
  };
  return {
    readText: (path, maxBytes = DEFAULT_MAX_BYTES) => read(FILE_SCRIPTS.readStart, path, maxBytes),
    readTail: (path, maxBytes) => read(FILE_SCRIPTS.readEnd, path, maxBytes),
    readLink: async (path) =>
      (await ask("read the link", FILE_SCRIPTS.readLink, [operandOf(path)]))?.toString("utf8") ?? null,
    list: async (path) => {
      const names = await ask("list", FILE_SCRIPTS.list, [operandOf(path)]);
      return names === null ? [] : names.toString("utf8").split("\0").slice(0, -1);
    },
    stat: async (path) => {
      const answer = await ask("stat", FILE_SCRIPTS.stat, [operandOf(path)]);
      if (answer === null) return null;
      const found = parseStat(answer.toString("utf8"));
      if (found === null)
        throw new Error(`stat ${cleanLine(path)} on the target: its answer is not understood`);
      return found;
    },
    writeText: async (path, text, mode = 0o600) => {
      const content = Buffer.from(text, "utf8");
      if (content.length > DEFAULT_MAX_BYTES)
        throw new Error(`write ${cleanLine(path)} on the target: more than ${DEFAULT_MAX_BYTES} bytes`);
      const temp = `.agtmux-${randomBytes(8).toString("hex")}.tmp`;
      const words = [operandOf(path), mode.toString(8), temp, String(content.length)];
      await ask("write", FILE_SCRIPTS.write, words, { stdin: content });
    },
    remove: async (path) => {
      await ask("remove", FILE_SCRIPTS.remove, [operandOf(path)]);
    },
  };
};
