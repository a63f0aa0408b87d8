// Checks who owns a tmux socket, directly before the tmux program may use it. A server can make the program write and read any file
// of its user, and run commands (`file.c` and `client.c` of tmux), so the program is run only on sockets of the person or of root.
// The same rule is here twice: for this machine, and as a script of a POSIX shell. tmux checks nothing itself with `-S`.
import { constants } from "node:fs";
import { lstat, open, stat } from "node:fs/promises";
import { basename, dirname } from "node:path/posix";
import { AgtmuxError, errorCodeOf, isMissing, unlessMissing } from "../model/errors.ts";
import type { FoundSocket, RunResult, SocketRule, TmuxCall } from "../ports/targetExecutor.ts";
import { quoteArgv } from "./remoteScript.ts";

const unsafeSocket = (path: string, doubt: string): AgtmuxError =>
  new AgtmuxError("E_SOCKET_UNSAFE", `the tmux program is not run on ${path}: ${doubt}`, {
    remedy: "See who owns it with 'ls -la' on its folder; nothing was sent there.",
  });

/** The result as tmux itself gives it. */
const noServerOn = (path: string): RunResult => ({
  exitCode: 1,
  stdout: "",
  stderr: `no server running on ${path}\n`,
  timedOut: false,
});

const argvOn = ({ program, words }: TmuxCall, path: string): string[] => [program, "-S", path, ...words];

// This machine.
const ROOT = 0;
const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

interface Looked {
  readonly uid: bigint;
  readonly mode: bigint;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isSocket(): boolean;
}

/** The user that programs run as; -1 where the system has no user ids. */
const personUid = (): number => process.geteuid?.() ?? -1;

const belongsTo = ({ uid }: Looked, rule: SocketRule): boolean =>
  uid === BigInt(personUid()) || (rule === "trusted" && uid === BigInt(ROOT));

const findFolderDoubt = (folder: Looked, rule: SocketRule): string | null => {
  const mode = Number(folder.mode);
  const isOpen =
    rule === "person" ? (mode & OTHERS) !== 0 : (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
  if (!folder.isDirectory()) return "its folder is none";
  if (!belongsTo(folder, rule))
    return `unsafe permissions: its folder belongs to another user (${folder.uid})`;
  return isOpen ? "unsafe permissions: its folder is open to other users" : null;
};

const findSocketDoubt = (socket: Looked): string | null =>
  !socket.isSocket()
    ? "it is not a socket"
    : belongsTo(socket, "trusted")
      ? null
      : `it belongs to another user (${socket.uid})`;

/** Null: there is none. */
const findFolder = async (path: string, rule: SocketRule): Promise<{ doubt: string | null } | null> => {
  const found = await unlessMissing(lstat(path, { bigint: true }));
  if (found === null || !found.isSymbolicLink())
    return found === null ? null : { doubt: findFolderDoubt(found, rule) };
  // A folder of the system may be one, as /tmp is on a Mac.
  if (rule === "person" || !belongsTo(found, rule))
    return { doubt: "unsafe permissions: its folder is a link" };
  const behind = await unlessMissing(stat(path, { bigint: true }));
  return behind === null ? null : { doubt: findFolderDoubt(behind, rule) };
};

/**
 * See TargetSockets. Connecting does not change a socket's time of change. The inode alone is not enough, because it may be
 * used again.
 */
export const findLocalSocket = async (path: string, rule: SocketRule): Promise<FoundSocket | null> => {
  let looked;
  try {
    looked = await Promise.all([
      findFolder(dirname(path), rule),
      unlessMissing(lstat(path, { bigint: true })),
    ]);
  } catch (error) {
    return { identity: "", doubt: `it cannot be looked at (${errorCodeOf(error)})` };
  }
  const [folder, socket] = looked;
  // A folder that cannot be trusted says so whether or not something lies in it.
  if (folder === null || (socket === null && folder.doubt === null)) return null;
  return {
    identity: socket === null ? "" : `${socket.dev} ${socket.ino} ${socket.mtimeNs}`,
    doubt: folder.doubt ?? (socket === null ? null : findSocketDoubt(socket)),
  };
};

/** `O_PATH` of Linux: it names what it was opened on for as long as it is open, and opens nothing. */
const O_PATH = 0o10000000;

/** A socket that was checked. `path` leads to this very one for a program that gets `file` as its file descriptor 3. */
interface HeldSocket {
  readonly path: string;
  readonly file: number;
  release(): Promise<void>;
}

const FOURTH_FILE = "/proc/self/fd/3";

/** Null: there is none. @throws AgtmuxError E_SOCKET_UNSAFE. Linux only. */
const holdSocket = async ({ socketPath, rule }: TmuxCall): Promise<HeldSocket | null> => {
  const folder = await findFolder(dirname(socketPath), rule);
  if (folder === null) return null;
  if (folder.doubt !== null) throw unsafeSocket(socketPath, folder.doubt);
  let handle;
  try {
    handle = await open(socketPath, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    if (isMissing(error)) return null;
    throw unsafeSocket(socketPath, `it cannot be looked at (${errorCodeOf(error)})`);
  }
  try {
    const doubt = findSocketDoubt(await handle.stat({ bigint: true }));
    if (doubt !== null) throw unsafeSocket(socketPath, doubt);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { path: FOURTH_FILE, file: handle.fd, release: () => handle.close() };
};

/** For a server that is to be started there. @throws AgtmuxError E_SOCKET_UNSAFE */
const checkPlace = async ({ socketPath, rule }: TmuxCall): Promise<void> => {
  const found = await findLocalSocket(socketPath, rule);
  if (found !== null && found.doubt !== null) throw unsafeSocket(socketPath, found.doubt);
};

// The script.

/** The exit status for an unsafe socket; tmux itself never uses it. */
const UNSAFE_STATUS = 86;
const UNSAFE_WORD = "agtmux-unsafe-socket";

/** `$1` and `$3` are the first and third column of `ls -ldn`: type with mode, and owner. */
const FOLDER_CHECKS: Readonly<Record<SocketRule, string>> = {
  person:
    'l*) u "unsafe permissions: its folder is a link";; d*) f=1; [ -O . ] || u "unsafe permissions: its folder belongs to another user ($3)"; ' +
    'case $1 in d??????---*) ;; *) u "unsafe permissions: its folder is open to other users";; esac;;',
  trusted:
    'l*) [ "$3" = 0 ] || [ "$3" = "$(id -u)" ] || u "unsafe permissions: its folder is a link";; ' +
    'd*) f=1; [ "$3" = 0 ] || [ -O . ] || u "unsafe permissions: its folder belongs to another user ($3)"; ' +
    'case $1 in d???????-*|d????????[tT]*) ;; *) u "unsafe permissions: its folder is open to other users";; esac;;',
};

/**
 * Goes into the socket's folder, so that nobody can put another in its place, and checks the folder as it was named, where that led
 * to, and the socket. It uses only what all shells and systems have in common; `[ -O` asks whether something belongs to the shell's
 * user. It runs in a shell of its own, and goes on only where the socket is safe.
 */
const checkScript = ({ socketPath, rule, mayStart }: TmuxCall): string =>
  [
    `p=${quoteArgv([socketPath])} d=${quoteArgv([dirname(socketPath)])} b=./${quoteArgv([basename(socketPath)])} k= f=`,
    `u() { printf '${UNSAFE_WORD} %s\\n' "$1" >&2; exit ${UNSAFE_STATUS}; }`,
    `g() { printf 'no server running on %s\\n' "$p" >&2; exit 1; }`,
    `c() { case $1 in s*) k=1; [ "$3" = 0 ] || [ -O "$b" ] || u "it belongs to another user ($3)";; ${FOLDER_CHECKS[rule]} *) u "it is not a socket";; esac; }`,
    `cd -P -- "$d" 2>/dev/null || ${mayStart ? 'u "its folder cannot be used"' : "g"}`,
    `if [ -S "$b" ] && ! [ -L "$b" ]; then s=$b; elif [ -e "$b" ] || [ -L "$b" ]; then u "it is not a socket"; else s= k=1; fi`,
    `l=$(LC_ALL=C ls -ldn -- "$d" . $\{s:+"$b"})`,
    `n=$(printf '\\nx'); n=$\{n%x}`,
    `while [ -n "$l" ]; do case $l in *"$n"*) o=$\{l%%"$n"*} l=$\{l#*"$n"};; *) o=$l l=;; esac; c $o; done`,
    `[ -n "$f" ] || u "its folder cannot be looked at"`,
    // It has gone just now.
    `[ -n "$k" ] || g`,
    ...(mayStart ? [] : [`[ -n "$s" ] || g`]),
  ].join("; ");

/** The script is in the socket's folder, so a short path is enough; a server that is started has to know its whole path. */
const argvThere = (call: TmuxCall): string[] =>
  argvOn(call, call.mayStart ? call.socketPath : `./${basename(call.socketPath)}`);

/** @throws AgtmuxError E_SOCKET_UNSAFE for a path that no shell can be trusted with. */
const checkPath = (path: string): void => {
  if (!path.startsWith("/") || /\p{Cc}/u.test(path) || ["", ".", ".."].includes(basename(path)))
    throw unsafeSocket(path, "it isn't the full path of a socket");
};

/** The check as script text, and the words of the program that may run after it (`exec "$@"`). */
export const guardedCall = (call: TmuxCall): { check: string; argv: string[] } => {
  checkPath(call.socketPath);
  return { check: checkScript(call), argv: argvThere(call) };
};

/** The same as one command. */
export const guardedCommand = (call: TmuxCall): string[] => {
  const { check, argv } = guardedCall(call);
  return ["/bin/sh", "-c", `${check}; exec "$@"`, "agtmux", ...argv];
};

/** @throws AgtmuxError E_SOCKET_UNSAFE where the script says so. */
export const checkGuarded = ({ socketPath }: TmuxCall, result: RunResult): RunResult => {
  if (result.exitCode !== UNSAFE_STATUS || !result.stderr.includes(UNSAFE_WORD)) return result;
  const [, doubt = ""] = new RegExp(`${UNSAFE_WORD} ([ -~]{1,200})`).exec(result.stderr) ?? [];
  throw unsafeSocket(socketPath, doubt);
};

/**
 * Runs tmux on this machine. `run` starts a program, with `file` as its file descriptor 3. Linux can hold on to a socket, so that
 * the program reaches this very one; elsewhere the script runs before it. @throws AgtmuxError E_SOCKET_UNSAFE
 */
export const runLocalTmux = async (
  call: TmuxCall,
  run: (argv: readonly string[], file: number | null) => Promise<RunResult>,
): Promise<RunResult> => {
  if (call.mayStart) {
    await checkPlace(call);
    return run(argvOn(call, call.socketPath), null);
  }
  if (process.platform !== "linux") return checkGuarded(call, await run(guardedCommand(call), null));
  const held = await holdSocket(call);
  if (held === null) return noServerOn(call.socketPath);
  try {
    return await run(argvOn(call, held.path), held.file);
  } finally {
    await held.release();
  }
};
