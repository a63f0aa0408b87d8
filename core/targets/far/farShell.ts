// One POSIX shell on the far side that reads what to do from its input: the single channel of a target in steady state.
// Questions are asked one after another and answered on stdout; stderr belongs to the one tmux control client that the
// shell may have started. Anything that does not answer in time ends the channel, whose owner opens another.
import type { Clock } from "../../ports/clock.ts";
import type { RunResult } from "../../ports/targetExecutor.ts";
import type { ByteChannel } from "../byteChannel.ts";
import { quoteArgv } from "../quote.ts";

/** Until the shell has answered its first question; a slow login shell comes before it. */
const HELLO_TIMEOUT_MS = 15_000;
/** Output cannot forge the end of an answer; 48 bits are enough within one connection. */
const NONCE_LENGTH = 12;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface FarAnswer {
  status: number;
  stdout: Buffer;
  stderr: string;
}

export interface FarShell {
  /**
   * Runs a piece of script in the far shell itself; its last status counts. `captureErrors`: what it writes to stderr
   * comes with the answer (costs a fork there). Rejects when the channel ends or nothing comes within `timeoutMs`, which
   * ends the channel.
   */
  ask(script: string, options: { timeoutMs: number; captureErrors?: boolean }): Promise<FarAnswer>;
  /**
   * Runs a piece of script for which no answer is awaited; it must return at once and print nothing, except between calls
   * of `n` and `m`, which `onNotice` hears.
   */
  tell(script: string): void;
  onNotice(listener: (body: Buffer) => void): void;
  /** Lines that the shell's background client writes. */
  onBackgroundLine(listener: (line: string) => void): void;
  onClose(listener: (reason: string) => void): void;
  readonly isClosed: boolean;
  /** Bytes that went over the channel so far, both ways, before any encryption. */
  readonly traffic: { sent: number; received: number };
  close(): Promise<void>;
}

interface Question {
  script: string;
  mark: string;
  timeoutMs: number;
  resolve: (answer: FarAnswer) => void;
  reject: (error: Error) => void;
}

/**
 * A broken pipe must not end the shell; tmux and `ps` answer in English. `a` ends an answer; `n` and `m` stand around what is
 * told unasked; 4 is the background client's output. Short, because they are sent again and again.
 */
const prelude = (nonce: string): string =>
  [
    "trap '' PIPE",
    "LC_ALL=C",
    "export LC_ALL",
    "unset TMUX TMUX_PANE",
    "exec 4>&2",
    `a() { printf '\\n%s %s\\n%s\\n%s.\\n' "${nonce}-$1" "$s" "$e" "${nonce}-$1"; }`,
    `n() { printf '\\n%s!\\n' ${nonce}; }`,
    `m() { printf '\\n%s.\\n' ${nonce}; }`,
    "",
  ].join("\n");

const withErrors = (script: string): string => `{ e=$({ ${script}
} 2>&1 1>&3 3>&- </dev/null); s=$?; } 3>&1`;
const withoutErrors = (script: string): string => `{ ${script}
} </dev/null 2>/dev/null; s=$?; e=`;

/** A command of the target as script: it may use `stdin`, which passes through a pipe. */
export const commandScript = (argv: readonly string[], stdin?: string): string =>
  stdin === undefined ? quoteArgv(argv) : `printf %s ${quoteArgv([stdin])} | ${quoteArgv(argv)}`;

export const createFarShell = (options: {
  channel: ByteChannel;
  clock: Pick<Clock, "setTimer">;
  makeNonce: () => string;
}): FarShell => {
  const { channel, clock, makeNonce } = options;
  const nonce = makeNonce().slice(0, NONCE_LENGTH);
  const noticeStart = Buffer.from(`\n${nonce}!\n`);
  const noticeEnd = Buffer.from(`\n${nonce}.\n`);
  const waiting: Question[] = [];
  const closeListeners: ((reason: string) => void)[] = [];
  const traffic = { sent: 0, received: 0 };
  let current: Question | null = null;
  let chunks: Buffer[] = [];
  let received = 0;
  let asked = 0;
  let cancelTimer: () => void = () => {};
  let closed: string | null = null;
  let backgroundListener: (line: string) => void = () => {};
  let heldError = "";
  let noticeListener: (body: Buffer) => void = () => {};

  const send = (text: string): void => {
    traffic.sent += Buffer.byteLength(text);
    channel.write(text);
  };
  const end = (reason: string): void => {
    if (closed !== null) return;
    closed = reason;
    cancelTimer();
    for (const question of [...(current === null ? [] : [current]), ...waiting.splice(0)])
      question.reject(new Error(`the far shell ended: ${reason}`));
    current = null;
    chunks = [];
    for (const listener of closeListeners) listener(reason);
    void channel.close();
  };
  const askNext = (): void => {
    const question = waiting.shift() ?? null;
    current = question;
    if (question === null) return;
    cancelTimer = clock.setTimer(question.timeoutMs, () => end(`no answer within ${question.timeoutMs} ms`));
    send(question.script);
  };
  const keep = (rest: Buffer): void => {
    chunks = rest.length === 0 ? [] : [rest];
    received = rest.length;
  };
  /** Notices stand between answers, never in one: the shell does one thing after another. */
  const takeNotices = (): void => {
    let all = Buffer.concat(chunks, received);
    while (all.subarray(0, noticeStart.length).equals(noticeStart)) {
      const to = all.indexOf(noticeEnd, noticeStart.length);
      if (to === -1) break;
      const body = all.subarray(noticeStart.length, to);
      all = all.subarray(to + noticeEnd.length);
      noticeListener(body);
    }
    keep(all);
  };
  const look = (question: Question): void => {
    const all = chunks[0];
    if (all === undefined) return;
    const from = all.indexOf(`\n${question.mark} `);
    if (from === -1) return;
    const to = all.indexOf(`\n${question.mark}.\n`, from);
    if (to === -1) return;
    const [, status, stderr = ""] =
      /^\n\S+ (\d{1,3})\n(.*)$/s.exec(all.subarray(from, to).toString("utf8")) ?? [];
    cancelTimer();
    current = null;
    keep(all.subarray(to + `\n${question.mark}.\n`.length));
    takeNotices();
    if (status === undefined) question.reject(new Error("the far shell answered nonsense"));
    // The first answer comes after whatever a login shell printed.
    else question.resolve({ status: Number(status), stdout: all.subarray(0, from), stderr });
    askNext();
  };

  channel.onStdout((chunk) => {
    traffic.received += chunk.length;
    chunks.push(chunk);
    received += chunk.length;
    if (received > MAX_ANSWER_BYTES) end("an answer was too large");
    else takeNotices();
    if (current !== null) look(current);
  });
  channel.onStderr((chunk) => {
    traffic.received += chunk.length;
    const lines = (heldError + chunk.toString("latin1")).split("\n");
    heldError = (lines.pop() ?? "").slice(-MAX_ANSWER_BYTES);
    for (const line of lines) backgroundListener(Buffer.from(line, "latin1").toString("utf8"));
  });
  channel.onClose(end);

  const ask: FarShell["ask"] = (script, { timeoutMs, captureErrors = false }) =>
    new Promise((resolve, reject) => {
      if (closed !== null) {
        reject(new Error(`the far shell ended: ${closed}`));
        return;
      }
      asked += 1;
      const mark = `${nonce}-${asked}`;
      const body = captureErrors ? withErrors(script) : withoutErrors(script);
      waiting.push({ script: `${body}\na ${asked}\n`, mark, timeoutMs, resolve, reject });
      if (current === null) askNext();
    });

  send(prelude(nonce));
  return {
    ask,
    tell: (script) => {
      if (closed === null) send(`{ ${script}\n} </dev/null 2>/dev/null\n`);
    },
    onNotice: (listener) => {
      noticeListener = listener;
    },
    onBackgroundLine: (listener) => {
      backgroundListener = listener;
    },
    onClose: (listener) => {
      closeListeners.push(listener);
      if (closed !== null) listener(closed);
    },
    get isClosed() {
      return closed !== null;
    },
    traffic,
    close: async () => {
      end("closed");
      await channel.close();
    },
  };
};

/** Resolves once the shell has answered, so that what a login shell prints at its start is over. */
export const awaitHello = async (shell: FarShell): Promise<void> => {
  await shell.ask("true", { timeoutMs: HELLO_TIMEOUT_MS });
};

/** The shell's answer to a command as the executor port has it. */
export const toRunResult = (answer: FarAnswer, maxBytes: number): RunResult => ({
  exitCode: answer.stdout.length > maxBytes ? null : answer.status,
  stdout: answer.stdout.subarray(0, maxBytes).toString("utf8"),
  stderr: answer.stderr,
  timedOut: false,
});
