// The TargetExecutor of an SSH target over either transport: the first question of a connection, spare sessions, the remote files
// by scripts, and the executor, which owns the connection and bounds how many channels are open at once. remoteRun.ts runs the
// commands; the owner decides when to connect again.
import type { ByteChannel, TransportChannel, SshTransport } from "../sshTransport.ts";
import { cleanLine, unreachableError } from "../sshErrors.ts";
import {
  leave,
  type RemoteRequest,
  type RemoteResult,
  openRemoteChannel,
  RemoteFlood,
  runRemote,
} from "./remoteRun.ts";
import { randomBytes } from "node:crypto";
import type { FileStat, TargetExecutor, TargetFiles, RunResult } from "../../ports/targetExecutor.ts";
import type { AgtmuxError } from "../../model/errors.ts";
import type { Logger } from "../../ports/logger.ts";
import { checkGuarded, guardedCall, guardedCommand } from "../ownSocket.ts";
import { LOGIN_COMMAND } from "../remoteScript.ts";
import { createSemaphore } from "../../engine/semaphore.ts";

type RemoteChannel = ReturnType<typeof openRemoteChannel>;

// First question: asks over a new connection where the home folder is, what system it is, and how long a round trip takes. It also
// shows that the login shell starts our `sh` at all.

/** Ends each fact. A home folder's name may hold any character but NUL; one that holds this character is refused below. */
const SEPARATOR = "\u001E";
const SCRIPT = `case $HOME in (/*) h=$HOME;; (*) h=$(cd && pwd);; esac
printf '%s\\036%s\\036' "$h" "$(uname -s)"
IFS= read -r x && printf '\\036'`;
const MAX_ANSWER = 64 * 1024;

interface Facts {
  homeDir: string;
  /** `uname -s` there: "Linux", "Darwin", … */
  system: string;
  /** One round trip over the open connection, without any program start. */
  rttMs: number;
}

const factsOf = (answer: string, rttMs: number): Facts | null => {
  const [home = "", system = "", end, ...more] = answer.split(SEPARATOR);
  if (end === undefined || more.length > 1 || !home.startsWith("/") || !/^[\w.-]{1,64}$/.test(system))
    return null;
  return { homeDir: home.length > 1 ? home.replace(/\/+$/, "") : home, system, rttMs };
};

/** What connecting found out. */
interface Connected extends Facts {
  transport: SshTransport["name"];
}

/** @throws AgtmuxError E_TARGET_UNREACHABLE when no sensible answer comes within `timeoutMs`. */
const askFacts = async (
  openChannel: (argv: readonly string[]) => ByteChannel,
  alias: string,
  timeoutMs: number,
): Promise<Facts> => {
  const outcome = Promise.withResolvers<Facts>();
  const fail = (why: string): void =>
    outcome.reject(
      unreachableError(alias, `the login shell there gives no usable 'sh': ${cleanLine(why)}`, {
        remedy: `Check that 'ssh ${alias} exec /bin/sh -c true' works in a terminal.`,
      }),
    );
  const timer = setTimeout(() => fail(`no answer within ${Math.round(timeoutMs)} ms`), timeoutMs);
  const channel = openChannel(["/bin/sh", "-c", SCRIPT]);
  let answer = "";
  let askedAt: number | null = null;
  let said = "";
  channel.onStderr((chunk) => {
    said = (said + chunk.toString("utf8")).slice(-MAX_ANSWER);
  });
  channel.onClose((reason) => fail(`${reason} ${said}`));
  channel.onStdout((chunk) => {
    if (answer.length > MAX_ANSWER) return;
    answer += chunk.toString("utf8");
    if (answer.length > MAX_ANSWER) {
      fail("its answer has no end");
      channel.destroy("its answer has no end");
    }
    const parts = answer.split(SEPARATOR).length;
    if (parts === 3 && askedAt === null) {
      askedAt = performance.now();
      channel.write("\n");
    }
    if (parts < 4 || askedAt === null) return;
    const facts = factsOf(answer, performance.now() - askedAt);
    if (facts === null) fail("its home folder or system is not known");
    else outcome.resolve(facts);
  });
  try {
    return await outcome.promise;
  } finally {
    clearTimeout(timer);
    await channel.close();
  }
};

// Spare sessions: opened before a command needs them. Opening one takes three round trips, and an action is a chain of commands,
// each of which would wait for that. A spare session is a shell that waits for the one line of its script; one that is not needed
// is closed and has run nothing.

/** A command takes one round trip and opening a session three: with fewer spares, the next command would wait. */
const SPARES = 2;
/** How long spares are kept after the last `hurry`. */
const KEPT_MS = 5_000;

/** `open` opens a session; whoever takes it closes it. */
export const createSpareSessions = (open: () => Promise<TransportChannel>) => {
  const spares = new Set<Promise<TransportChannel>>();
  let isHurried = false;
  let timer: NodeJS.Timeout | undefined;

  const openSpare = (): void => {
    const spare = open();
    const forget = (): void => void spares.delete(spare);
    spares.add(spare);
    // A session that ended while it waited is of no use.
    spare.then(({ ended }) => void ended.then(forget), forget);
  };
  const fill = (): void => {
    if (!isHurried) return;
    while (spares.size < SPARES) openSpare();
  };
  const drop = (): void => {
    isHurried = false;
    clearTimeout(timer);
    for (const spare of spares) spare.then(leave, () => {});
    spares.clear();
  };

  return {
    /** Commands follow soon, one after the other: for a while there are sessions that wait for them. */
    hurry: (): void => {
      isHurried = true;
      clearTimeout(timer);
      timer = setTimeout(drop, KEPT_MS);
      fill();
    },
    /** A spare session, or else one that is opened now. */
    take: async (): Promise<TransportChannel> => {
      const [spare] = spares;
      if (spare === undefined) return open();
      spares.delete(spare);
      fill();
      // Nothing was run in one that could not be opened.
      return spare.catch(open);
    },
    /** Closes those that nobody needed. */
    drop,
  };
};

export type SpareSessions = ReturnType<typeof createSpareSessions>;

// Files: the TargetFiles port by small scripts for any POSIX `sh`, without SFTP. `$1` is always the path; a missing file is status
// 44. They use what GNU, BSD and busybox have in common, and try both forms of `stat`. Names travel as words of the script,
// contents as bytes, so neither is ever read as shell text.

/** Exit status of a script when the file does not exist. */
const MISSING_STATUS = 44;

/**
 * `gone`: nothing is at the path. A folder on the way that may not be searched does not prove that; the next command then
 * fails with its own message.
 */
const GONE = `gone() { [ ! -e "$1" ] || return 1
d=$1; while :; do case $d in (*/*) d=\${d%/*};; (*) d=.;; esac
[ -n "$d" ] || d=/; [ ! -e "$d" ] || break; done
[ ! -d "$d" ] || [ -x "$d" ]; }
`;

/** Only regular files are read. A FIFO would block, so it counts as empty, as it does locally. */
const readBy = (command: string): string => `${GONE}if gone "$1"; then exit ${MISSING_STATUS}; fi
[ ! -p "$1" ] || exit 0
[ -f "$1" ] || { : <"$1" || exit 1; echo "it is no regular file" >&2; exit 1; }
if [ "$2" -gt 0 ]; then ${command} <"$1"; else : <"$1"; fi`;

/**
 * Names end in NUL. The three patterns match all names except `.` and `..`. A pattern that matches nothing stays as it is,
 * which is why each name is tested.
 */
const LIST = `${GONE}if gone "$1"; then exit ${MISSING_STATUS}; fi
[ -d "$1" ] || exit ${MISSING_STATUS}
[ -r "$1" ] || { echo "Permission denied" >&2; exit 1; }
cd "$1" || exit 1
for f in * .[!.]* ..?*; do if [ -e "$f" ] || [ -L "$f" ]; then printf '%s\\000' "$f"; fi; done
exit 0`;

const STAT = `${GONE}if gone "$1"; then exit ${MISSING_STATUS}; fi
stat -L -c 'G %f %s %Y %y' "$1" 2>/dev/null || stat -L -f 'B %p %z %Fm' "$1"`;

const LINK = `[ -L "$1" ] || exit ${MISSING_STATUS}
readlink -n "$1" 2>/dev/null || exit ${MISSING_STATUS}`;

/**
 * `$2` is the mode of a new file, `$3` the name of the temporary one, `$4` the number of bytes to come. It follows symbolic
 * links by itself, because their end need not exist. `noclobber` refuses a temporary name that somebody else made. When a lost
 * connection cuts the content, it is never renamed into place.
 */
const WRITE = `p=$1; n=0; umask 077
while [ -L "$p" ]; do n=$((n+1)); [ $n -le 40 ] || { echo "too many symbolic links" >&2; exit 1; }
t=$(readlink -n "$p"; echo x); t=\${t%x}; case $t in (/*) p=$t;; (*) p=\${p%/*}/$t;; esac; done
[ ! -d "$p" ] || { echo "it is a folder" >&2; exit 1; }
d=\${p%/*}; [ -n "$d" ] || d=/
mkdir -p "$d" || exit 1
t=$d/$3; set -C
trap 'rm -f "$t"; exit 1' TERM HUP INT
if { [ "$4" -eq 0 ] || head -c "$4"; } >"$t" && [ "$(wc -c <"$t")" -eq "$4" ]; then :; else rm -f "$t"; echo "it could not be written whole" >&2; exit 1; fi
m=$2; if [ -e "$p" ]; then m=$(stat -L -c %a "$p" 2>/dev/null || stat -L -f %Mp%Lp "$p") || { rm -f "$t"; exit 1; }; fi
sync "$t" 2>/dev/null
if chmod "$m" "$t" && mv -f "$t" "$p"; then :; else rm -f "$t"; exit 1; fi`;

const REMOVE = `rm -f "$1"`;

const FILE_SCRIPTS = {
  readStart: readBy('head -c "$2"'),
  readEnd: readBy('tail -c "$2"'),
  readLink: LINK,
  list: LIST,
  stat: STAT,
  write: WRITE,
  remove: REMOVE,
} as const;

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
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
const createSshFiles = (remote: RunRemote): TargetFiles => {
  /** Null when the script says that the file is missing. Other failures carry the first line that the remote side printed. */
  const ask = async (
    what: string,
    script: string,
    words: readonly string[],
    more: { stdin?: Buffer; maxBytes?: number } = {},
  ): Promise<Buffer | null> => {
    const command = `{ LC_ALL=C; export LC_ALL\n${script}\n}`;
    const result = await remote({ command, words, timeoutMs: TIMEOUT_MS, ...more });
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
    readText: (path, maxBytes = MAX_FILE_BYTES) => read(FILE_SCRIPTS.readStart, path, maxBytes),
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
      if (content.length > MAX_FILE_BYTES)
        throw new Error(`write ${cleanLine(path)} on the target: more than ${MAX_FILE_BYTES} bytes`);
      const temp = `.agtmux-${randomBytes(8).toString("hex")}.tmp`;
      const words = [operandOf(path), mode.toString(8), temp, String(content.length)];
      await ask("write", FILE_SCRIPTS.write, words, { stdin: content });
    },
    remove: async (path) => {
      await ask("remove", FILE_SCRIPTS.remove, [operandOf(path)]);
    },
  };
};

/**
 * How many sessions are open at once; others wait. An OpenSSH server refuses the eleventh session of a connection
 * (MaxSessions). This is half of that, because the server counts a session until it has cleaned up after it, and the next one
 * may be opened before that.
 */
const MAX_CHANNELS = 5;

const DEFAULT_CONNECT_TIMEOUT_MS = 15_000;
const SIGNAL_TIMEOUT_MS = 5_000;

/**
 * The executor. Every command needs a connection; without one it fails at once with E_TARGET_UNREACHABLE. When a signal ended
 * the command, `run` gives exit code null; where that is unclear, a status of 129 to 159 counts as a signal.
 */
export const createSshExecutor = (options: {
  targetId: string;
  alias: string;
  /** Gives the transport of one connection: keys and configuration change. Rejects with what `connect` then rejects with. */
  choose: () => Promise<SshTransport>;
  logger: Logger;
  connectTimeoutMs?: number;
}) => {
  const { targetId, alias, choose, logger } = options;
  const timeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
  const semaphore = createSemaphore(MAX_CHANNELS);
  const channels = new Set<RemoteChannel>();
  /** Of the present connection, or of the last attempt at one. */
  let transport: SshTransport | null = null;
  let connecting: Promise<Connected> | null = null;
  let facts: Connected | null = null;
  let isUp = false;
  let isClosed = false;
  let downListener: (error: AgtmuxError) => void = () => {};

  /** Nothing is sent to the remote side until the owner connects again. */
  const goDown = (error: AgtmuxError): void => {
    isUp = false;
    facts = null;
    spares.drop();
    downListener(error);
  };

  const openSession = async (): Promise<TransportChannel> => {
    if (!isUp || transport === null)
      throw unreachableError(alias, isClosed ? "the executor is closed" : "there is no connection");
    const release = await semaphore.acquire();
    try {
      const channel = await transport.open(LOGIN_COMMAND);
      void channel.ended.then(release);
      return channel;
    } catch (error) {
      release();
      throw error;
    }
  };
  const spares = createSpareSessions(openSession);
  const open = (): Promise<TransportChannel> => spares.take();
  /** After a flood. */
  const lose = (error: AgtmuxError): void => {
    if (!isUp) return;
    logger.warn({ targetId, error }, "connection given up");
    void transport?.disconnect();
    goDown(error);
  };
  const remote = async (request: RemoteRequest): Promise<RemoteResult> => {
    try {
      return await runRemote(open, request);
    } catch (error) {
      if (error instanceof Error && error.name === "AgtmuxError") throw error;
      const problem = unreachableError(alias, error instanceof Error ? error.message : String(error), {
        cause: error,
      });
      if (error instanceof RemoteFlood) lose(problem);
      throw problem;
    }
  };
  const signal = async (pid: number): Promise<void> => {
    const command = '{ kill -TERM "$1" && sleep 1 && kill -KILL "$1"; }';
    await remote({ command, words: [String(pid)], timeoutMs: SIGNAL_TIMEOUT_MS });
  };
  const openChannel = (argv: readonly string[]): RemoteChannel => {
    const channel: RemoteChannel = openRemoteChannel(open, argv, signal, () => channels.delete(channel));
    channels.add(channel);
    return channel;
  };

  const connect = async (): Promise<Connected> => {
    const startedAt = performance.now();
    const chosen = await choose();
    if (isClosed) throw unreachableError(alias, "the executor is closed");
    transport = chosen;
    chosen.onDown((error) => {
      logger.info({ targetId, code: error.code }, "connection lost");
      goDown(error);
    });
    await chosen.connect(timeoutMs);
    isUp = true;
    try {
      const left = timeoutMs - (performance.now() - startedAt);
      facts = { transport: chosen.name, ...(await askFacts(openChannel, alias, Math.max(1_000, left))) };
      logger.info({ targetId, ...facts }, "connected");
      return facts;
    } catch (error) {
      isUp = false;
      await chosen.disconnect();
      throw error;
    }
  };

  /** `command`: see RemoteRequest. */
  const run = async (
    command: string,
    words: readonly string[],
    options: Parameters<TargetExecutor["run"]>[1],
  ): Promise<RunResult> => {
    const result = await remote({ command, words, isProgram: true, ...options });
    if (result.isAbsent) throw new Error(`run ${words[0]}: could not start`);
    const { exitCode, stdout, stderr, timedOut } = result;
    return { exitCode, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8"), timedOut };
  };

  return {
    targetId,
    kind: "ssh" as const,
    get isConnected(): boolean {
      return facts !== null;
    },
    /**
     * Makes one attempt, without asking the person anything. Concurrent calls share it, and a call on an open connection does
     * nothing. It may be called again after the connection was lost.
     * @throws AgtmuxError E_TARGET_UNREACHABLE, E_TARGET_HOST_KEY, E_TARGET_AUTH; the remedy says what to run.
     */
    connect: (): Promise<Connected> => {
      if (isClosed) return Promise.reject(unreachableError(alias, "the executor is closed"));
      if (facts !== null) return Promise.resolve(facts);
      connecting ??= connect().finally(() => {
        connecting = null;
      });
      return connecting;
    },
    /** Called once for each connection that is lost; not for `close`. */
    onDown: (listener: (error: Error) => void): void => {
      downListener = listener;
    },
    /**
     * Starts a program there and gives its streams as bytes, without what the login shell printed before. `close` closes its
     * input and signals the program when that is not enough.
     */
    openChannel,
    run: (argv, options) => run('"$@"', argv, options),
    runTmux: async (call, options) => {
      const { check, argv } = guardedCall(call);
      return checkGuarded(call, await run(`{ ${check}; exec "$@"; }`, argv, options));
    },
    tmuxForTerminal: guardedCommand,
    hurry: () => {
      if (isUp) spares.hurry();
    },
    files: createSshFiles(remote),
    homeDir: () =>
      facts === null
        ? Promise.reject(unreachableError(alias, "there is no connection"))
        : Promise.resolve(facts.homeDir),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      spares.drop();
      // The rest of an abandoned attempt is not awaited.
      if (connecting !== null) await transport?.disconnect();
      await connecting?.catch(() => {});
      await Promise.all([...channels].map((channel) => channel.close()));
      isUp = false;
      facts = null;
      await transport?.disconnect();
    },
  } satisfies TargetExecutor & Record<string, unknown>;
};

/**
 * A TargetExecutor of another machine: the same contract, and a connection that its owner opens. It never connects by itself, so
 * that only one place decides when a machine is tried again.
 */
export type RemoteExecutor = ReturnType<typeof createSshExecutor>;
