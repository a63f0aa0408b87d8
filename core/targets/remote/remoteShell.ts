// One POSIX shell on the remote side that reads what to do from its input, the single channel of a target in steady state, and the
// executor through which the target's collector reads over it. Questions are asked one after another and answered on stdout. A late
// answer, too long an answer, or output that nobody asked for ends the channel, and its owner opens another.
import { createFloodGuard } from "../floodGuard.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RunResult, FileStat, TargetExecutor, TargetFiles } from "../../ports/targetExecutor.ts";
import type { ByteChannel } from "../sshTransport.ts";
import { quoteArgv } from "../remoteScript.ts";
import { createRemoteStream } from "./remoteStream.ts";
import { checkGuarded, guardedCall } from "../ownSocket.ts";

/** Time limit for the first answer: a slow login shell may have to start first. */
const HELLO_TIMEOUT_MS = 15_000;
/** The bound of an answer when the caller names none. */
const MAX_ANSWER_BYTES = 1024 * 1024;

interface RemoteAnswer {
  status: number;
  stdout: Buffer;
  stderr: string;
}

interface Question {
  script: string;
  mark: string;
  timeoutMs: number;
  maxBytes: number;
  resolve: (answer: RemoteAnswer) => void;
  reject: (error: Error) => void;
}

/**
 * A broken pipe must not end the shell; tmux and `ps` answer in English. `a` ends an answer; `n` and `m` frame a notice. The
 * names are short because they are sent again and again.
 */
const prelude = (nonce: string): string =>
  [
    "trap '' PIPE",
    "LC_ALL=C",
    "export LC_ALL",
    "unset TMUX TMUX_PANE",
    `a() { printf '\\n%s %s\\n%s\\n%s.\\n' "${nonce}-$1" "$s" "$e" "${nonce}-$1"; }`,
    `n() { printf '\\n%s!\\n' ${nonce}; }`,
    `m() { printf '\\n%s.\\n' ${nonce}; }`,
    "",
  ].join("\n");

const withErrors = (script: string): string => `{ e=$({ ${script}
} 2>&1 1>&3 3>&- </dev/null); s=$?; } 3>&1`;
const withoutErrors = (script: string): string => `{ ${script}
} </dev/null 2>/dev/null; s=$?; e=`;

/**
 * A command of the target as script; `stdin` reaches it through a pipe. `first`: script text that may end the shell before it
 * becomes the command.
 */
const commandScript = (argv: readonly string[], stdin?: string, first?: string): string => {
  const command = first === undefined ? quoteArgv(argv) : `(${first}; exec ${quoteArgv(argv)})`;
  return stdin === undefined ? command : `printf %s ${quoteArgv([stdin])} | ${command}`;
};

export const createRemoteShell = (options: {
  channel: ByteChannel;
  clock: Clock;
  makeNonce: () => string;
}) => {
  const { channel, clock, makeNonce } = options;
  const nonce = makeNonce();
  const waiting: Question[] = [];
  const closeListeners: ((reason: string) => void)[] = [];
  let current: Question | null = null;
  let asked = 0;
  let cancelTimer: () => void = () => {};
  let closed: string | null = null;
  let noticeListener: (body: Buffer) => void = () => {};

  const end = (reason: string): void => {
    if (closed !== null) return;
    closed = reason;
    cancelTimer();
    stream.close();
    for (const question of [...(current === null ? [] : [current]), ...waiting.splice(0)])
      question.reject(new Error(`the remote shell ended: ${reason}`));
    current = null;
    for (const listener of closeListeners) listener(reason);
    void channel.close();
  };
  const fail = (reason: string): void => {
    if (closed !== null) return;
    channel.destroy(reason);
    end(reason);
  };
  const askNext = (): void => {
    const question = waiting.shift() ?? null;
    current = question;
    if (question === null) return;
    cancelTimer = clock.setTimer(question.timeoutMs, () => end(`no answer within ${question.timeoutMs} ms`));
    stream.await(question);
    channel.write(question.script);
  };
  const stream = createRemoteStream({
    nonce,
    now: () => clock.now(),
    onAnswer: ({ status, ...answer }) => {
      const question = current;
      cancelTimer();
      if (status === null) question?.reject(new Error("the remote shell answered nonsense"));
      else question?.resolve({ status, ...answer });
      askNext();
    },
    onNotice: (body) => noticeListener(body),
    onFlood: fail,
  });
  /** Output on stderr is dropped. */
  const errors = createFloodGuard();

  channel.onStdout((chunk) => {
    if (closed === null) stream.push(chunk);
  });
  channel.onStderr((chunk) => {
    if (closed === null && !errors.allows(chunk.length, clock.now()))
      fail("it writes errors that nobody asked for");
  });
  channel.onClose(end);

  const ask = (
    script: string,
    {
      timeoutMs,
      captureErrors = false,
      maxBytes = MAX_ANSWER_BYTES,
      isUrgent = false,
    }: {
      timeoutMs: number;
      captureErrors?: boolean;
      /** Most bytes that the script may print. */
      maxBytes?: number;
      /** It goes before all questions that wait. */
      isUrgent?: boolean;
    },
  ): Promise<RemoteAnswer> =>
    new Promise((resolve, reject) => {
      if (closed !== null) {
        reject(new Error(`the remote shell ended: ${closed}`));
        return;
      }
      asked += 1;
      const mark = `${nonce}-${asked}`;
      const body = captureErrors ? withErrors(script) : withoutErrors(script);
      const question = { script: `${body}\na ${asked}\n`, mark, timeoutMs, maxBytes, resolve, reject };
      if (isUrgent) waiting.unshift(question);
      else waiting.push(question);
      if (current === null) askNext();
    });
  const tell = (script: string): void => {
    if (closed === null) channel.write(`{ ${script}\n} </dev/null 2>/dev/null\n`);
  };

  channel.write(prelude(nonce));
  return {
    /**
     * Runs a piece of script in the remote shell itself; its last status counts. `captureErrors`: what it writes to stderr
     * comes with the answer (costs a fork there). Rejects when the channel ends, nothing comes within `timeoutMs`, or far more
     * comes than `maxBytes` (1 MB), which ends the channel.
     */
    ask,
    /** Runs a piece of script without waiting for an answer; it must return at once and print nothing. */
    tell,
    /** The same, but the script may print one notice between calls of `n` and `m`; `onNotice` gets it. */
    tellForNotice: (script: string): void => {
      stream.expectNotice();
      tell(script);
    },
    onNotice: (listener: (body: Buffer) => void): void => {
      noticeListener = listener;
    },
    onClose: (listener: (reason: string) => void): void => {
      closeListeners.push(listener);
      if (closed !== null) listener(closed);
    },
    get isClosed(): boolean {
      return closed !== null;
    },
    close: async (): Promise<void> => {
      end("closed");
      await channel.close();
    },
  };
};

export type RemoteShell = ReturnType<typeof createRemoteShell>;

/** Resolves once the shell has answered: by then everything that the login shell prints at its start is over. */
export const awaitHello = async (shell: RemoteShell): Promise<void> => {
  await shell.ask("true", { timeoutMs: HELLO_TIMEOUT_MS });
};

/** The shell's answer as the result of `run` in the executor port. */
const toRunResult = (answer: RemoteAnswer, maxBytes: number): RunResult => ({
  exitCode: answer.stdout.length > maxBytes ? null : answer.status,
  stdout: answer.stdout.subarray(0, maxBytes).toString("utf8"),
  stderr: answer.stderr,
  timedOut: false,
});

// Reader: the target as its collector reads it, with every request through the one remote shell. Writes, and work that a person
// waits for, go through the connection's own executor instead. Files are read with the shell's built-ins where these suffice, else
// with one small program.

const TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const MAX_LISTING_BYTES = 8 * 1024 * 1024;

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
export const createRemoteReader = (shell: RemoteShell): Omit<TargetFiles, "writeText" | "remove"> => {
  const ask = async (script: string, maxBytes?: number): Promise<Buffer> =>
    (
      await shell.ask(script, {
        timeoutMs: TIMEOUT_MS,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
    ).stdout;
  /** Absolute paths only: one that begins with a dash would be an option. */
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
      const { check, argv } = guardedCall(call);
      return checkGuarded(call, await run(commandScript(argv, stdin, check), options));
    },
    tmuxForTerminal: (call) => base.tmuxForTerminal(call),
    files: { ...base.files, ...createRemoteReader(shell) },
    close: () => shell.close(),
  };
};
