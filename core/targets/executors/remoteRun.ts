// Commands on the remote side of a connection: the search for output between our marks (`FramedOutput`, `createStartGate`), a
// long-running program as a ByteChannel (`openRemoteChannel`), and a command whose end is awaited (`runRemote`), with its channel,
// its time limit and its bounds. The scripts themselves are in remoteScript.ts.
import { UNASKED_BYTES } from "../floodGuard.ts";
import { randomBytes } from "node:crypto";
import type { ByteChannel, TransportChannel } from "../sshTransport.ts";
import {
  encodeScriptLine,
  marksOf,
  stayingScript,
  encodeForPrintf,
  awaitedScript,
  NOT_STARTED,
  type AwaitedCommand,
  type RemoteMarks,
} from "../remoteScript.ts";
import { cleanLine } from "../sshErrors.ts";
import { endsWithin } from "../../model/endsWithin.ts";

// Marks: they frame what a remote command writes, in a stream that a login shell may have written to before.

/** Longest rest of a mark's line, which holds only a pid or a status. */
const MAX_MARK_LINE_BYTES = 1_024;

/**
 * Finds a mark and the rest of its line in a stream. Every byte is searched a bounded number of times; bytes before the mark are
 * passed on as they come.
 */
const createMarkSearch = (mark: string, onBefore: (bytes: Buffer) => void) => {
  let held: Buffer = Buffer.alloc(0);
  let isThere = false;
  return {
    /** The rest of the mark's line and what follows it, once both are there; `"flood"` for a line that does not end. */
    push: (chunk: Buffer): { rest: string; after: Buffer } | "flood" | null => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (!isThere) {
        const at = held.indexOf(mark);
        isThere = at !== -1;
        const safe = isThere ? at : Math.max(0, held.length - mark.length);
        onBefore(held.subarray(0, safe));
        held = held.subarray(safe);
        if (!isThere) return null;
      }
      const newline = held.indexOf("\n");
      if (newline === -1) return held.length > MAX_MARK_LINE_BYTES ? "flood" : null;
      const rest = held.subarray(mark.length, newline).toString("latin1").trim();
      return { rest, after: held.subarray(newline + 1) };
    },
    /** The end of the data, which may be the beginning of a mark. */
    get held(): Buffer {
      return held;
    },
  };
};

/** One stream of an awaited command. Searches only the new part, so that long output is not searched again and again. */
export class FramedOutput {
  /** The text after the end mark on its line, once that line is complete. */
  ending: string | null = null;
  /** The text after the start mark on its line; null while the mark has not come. */
  opening: string | null = null;
  /** There was more between the marks than `maxBytes`. */
  isTooLong = false;
  /** More arrived outside of the marks than could be an accident. */
  isFlood = false;
  private readonly maxBytes: number;
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private unasked = 0;
  private readonly startSearch: ReturnType<typeof createMarkSearch>;
  private readonly endSearch: ReturnType<typeof createMarkSearch>;

  constructor({ start, end, maxBytes }: { start: string; end: string; maxBytes: number }) {
    this.maxBytes = maxBytes;
    this.startSearch = createMarkSearch(start, (bytes) => this.skip(bytes));
    this.endSearch = createMarkSearch(end, (bytes) => this.keep(bytes));
  }

  push(chunk: Buffer): void {
    if (this.isTooLong || this.isFlood) return;
    if (this.ending !== null) this.skip(chunk);
    else if (this.opening !== null) this.pushBody(chunk);
    else {
      const found = this.startSearch.push(chunk);
      if (found === "flood") this.isFlood = true;
      else if (found !== null) {
        this.opening = found.rest;
        this.pushBody(found.after);
      }
    }
  }

  /** The bytes between the marks so far, at most `maxBytes`. */
  get body(): Buffer {
    return this.ending === null && this.opening !== null && !this.isTooLong && !this.isFlood
      ? Buffer.concat([...this.chunks, this.endSearch.held]).subarray(0, this.maxBytes)
      : Buffer.concat(this.chunks);
  }

  private pushBody(chunk: Buffer): void {
    const found = this.endSearch.push(chunk);
    if (found === "flood") this.isFlood = true;
    else if (found !== null) {
      this.ending = found.rest;
      this.skip(found.after);
    }
  }

  private keep(bytes: Buffer): void {
    const room = this.maxBytes - this.kept;
    if (bytes.length > room) this.isTooLong = true;
    const part = bytes.subarray(0, Math.max(0, room));
    if (part.length === 0) return;
    // A copy, because a slice of a chunk would keep the whole chunk in memory.
    this.chunks.push(part.length < bytes.length ? Buffer.from(part) : part);
    this.kept += part.length;
  }

  private skip(bytes: Buffer): void {
    this.unasked += bytes.length;
    if (this.unasked > UNASKED_BYTES) this.isFlood = true;
  }
}

/**
 * Passes on what follows the start mark's line. `onOpen` gets the rest of that line; `onFlood` is called when too much comes
 * without a start mark.
 */
export const createStartGate = (options: {
  start: string;
  onData: (chunk: Buffer) => void;
  onOpen?: (opening: string) => void;
  onFlood: () => void;
}): ((chunk: Buffer) => void) => {
  const { start, onData, onOpen = () => {}, onFlood } = options;
  let skipped = 0;
  let state: "closed" | "open" | "flooded" = "closed";
  const flood = (): void => {
    state = "flooded";
    onFlood();
  };
  const search = createMarkSearch(start, (bytes) => {
    skipped += bytes.length;
  });
  return (chunk) => {
    if (state === "open") onData(chunk);
    if (state !== "closed") return;
    const found = search.push(chunk);
    if (found === "flood" || skipped > UNASKED_BYTES) flood();
    else if (found !== null) {
      state = "open";
      onOpen(found.rest);
      if (found.after.length > 0) onData(found.after);
    }
  };
};

// Long-running program: the remote shell reports its pid, so that it can be ended even when it ignores its closed input.

/** How long a closed input may take to end the program, before it is signalled and before its channel is dropped. */
const SIGNAL_AFTER_MS = 500;
const DROP_AFTER_MS = 3_000;
const STDERR_KEPT = 500;

interface Listener<T> {
  readonly set: (listener: (value: T) => void) => void;
  readonly tell: (value: T) => void;
}

/** Chunks that one stream keeps before anybody listens; each has at most 64 kB. */
const MAX_EARLY = 256;

/** One listener. What arrives before there is one is kept for it, within bounds. */
const createListener = <T>(onFull: () => void = () => {}): Listener<T> => {
  let listener: ((value: T) => void) | null = null;
  const early: T[] = [];
  return {
    set: (next) => {
      listener = next;
      for (const value of early.splice(0)) next(value);
    },
    tell: (value) => {
      if (listener !== null) listener(value);
      else if (early.push(value) > MAX_EARLY) onFull();
    },
  };
};

const within = (work: Promise<unknown>, timeoutMs: number): Promise<boolean> =>
  endsWithin(work, timeoutMs, {
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });

interface RemoteChannel extends ByteChannel {
  /** Pid of the remote program; null until the remote shell has reported it. */
  readonly remotePid: number | null;
}

/**
 * Starts `argv` on the remote side. A channel that cannot be opened ends with the reason.
 * @param signal ends a process of the remote side by its pid.
 */
export const openRemoteChannel = (
  open: () => Promise<TransportChannel>,
  argv: readonly string[],
  signal: (pid: number) => Promise<void>,
  onGone: () => void,
): RemoteChannel => {
  const marks = marksOf(randomBytes(12).toString("hex"));
  const unheard = (): void => destroy("it writes what nobody asked for");
  const stdout = createListener<Buffer>(unheard);
  const stderr = createListener<Buffer>(unheard);
  const closed = createListener<string>();
  const gone = Promise.withResolvers<void>();
  const waiting: string[] = [encodeScriptLine(stayingScript(marks, argv))];
  let channel: TransportChannel | null = null;
  let pid: number | null = null;
  let isEnding = false;
  let isGone = false;
  let beforeStart = "";
  let afterEnd = 0;

  const finish = (reason: string): void => {
    if (isGone) return;
    isGone = true;
    onGone();
    const why = pid === null ? cleanLine(`${reason} ${beforeStart}`) : reason;
    closed.tell(why);
    gone.resolve();
  };
  const destroy = (reason: string): void => {
    if (isGone) return;
    finish(reason);
    channel?.destroy();
  };
  /** Output that arrives while the end is awaited. */
  const passOn = (listener: Listener<Buffer>, chunk: Buffer): void => {
    if (isGone) return;
    if (isEnding) afterEnd += chunk.length;
    if (afterEnd > UNASKED_BYTES) destroy("it goes on writing when it should end");
    else listener.tell(chunk);
  };
  open().then(
    (opened) => {
      channel = opened;
      if (isGone) {
        opened.destroy();
        return;
      }
      const onFlood = (): void => destroy("the login shell there keeps writing before our shell begins");
      const outGate = createStartGate({
        start: marks.start,
        onData: (chunk) => passOn(stdout, chunk),
        onOpen: (opening) => {
          pid = Number(opening);
        },
        onFlood,
      });
      const errorGate = createStartGate({
        start: marks.start,
        onData: (chunk) => passOn(stderr, chunk),
        onFlood,
      });
      opened.stdout.on("data", outGate);
      opened.stderr.on("data", (chunk: Buffer) => {
        if (pid === null) beforeStart = (beforeStart + chunk.toString("utf8")).slice(-STDERR_KEPT);
        errorGate(chunk);
      });
      void opened.ended.then(({ reason }) => finish(reason));
      for (const text of waiting.splice(0)) opened.stdin.write(text);
      if (isEnding) opened.stdin.end();
    },
    (error: unknown) => finish(error instanceof Error ? error.message : String(error)),
  );

  const end = async (): Promise<void> => {
    channel?.stdin.end();
    if (await within(gone.promise, SIGNAL_AFTER_MS)) return;
    if (pid !== null) {
      // When the connection is gone, the program cannot be signalled; it ends with its channel.
      const signalled = signal(pid).catch(() => {});
      await within(Promise.race([gone.promise, signalled]), DROP_AFTER_MS);
    }
    if (await within(gone.promise, SIGNAL_AFTER_MS)) return;
    channel?.destroy();
    await within(gone.promise, DROP_AFTER_MS);
  };
  let ending: Promise<void> | null = null;
  return {
    get remotePid() {
      return pid;
    },
    write: (text) => {
      if (isGone || isEnding) return;
      if (channel === null) waiting.push(text);
      else channel.stdin.write(text);
    },
    onStdout: stdout.set,
    onStderr: stderr.set,
    onClose: closed.set,
    destroy,
    close: () => {
      isEnding = true;
      ending ??= isGone ? Promise.resolve() : end();
      return ending;
    },
  };
};

// Awaited command.

export interface RemoteRequest {
  /** Script text that uses its words as "$@"; just `"$@"` when it only runs a program. */
  command: string;
  words: readonly string[];
  timeoutMs: number;
  /** A text becomes the command's input. Bytes stay on the shell's input, and the command must count them itself. */
  stdin?: string | Buffer;
  /** 8 MB where it is left out. */
  maxBytes?: number;
  /** The first word is a program that must exist. */
  isProgram?: boolean;
}

export interface RemoteResult {
  /** Null when a signal (the remote shell's 129 to 159), the time-out or too much output ended it. */
  exitCode: number | null;
  stdout: Buffer;
  stderr: Buffer;
  timedOut: boolean;
  /** The program does not exist there. */
  isAbsent: boolean;
}

/** A command of the target sent far more than its answer; the whole connection is no longer trusted. */
export class RemoteFlood extends Error {}

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** How long a finished channel may take to close before it is dropped. */
const LINGER_MS = 5_000;
/** A shell reports a signal n as 128 + n. */
const FIRST_SIGNAL_STATUS = 129;
const LAST_SIGNAL_STATUS = 159;

const exitCodeOf = (ending: string): number | null => {
  const status = Number(ending);
  return status >= FIRST_SIGNAL_STATUS && status <= LAST_SIGNAL_STATUS ? null : status;
};

/** The script line, and what follows it on the input. */
const prepare = (marks: RemoteMarks, request: RemoteRequest): { line: string; input: string | Buffer } => {
  const { command, words, stdin = "", isProgram = false } = request;
  const awaited = { command, words, isProgram };
  const lineOf = (input: AwaitedCommand["input"]): string =>
    encodeScriptLine(awaitedScript(marks, { ...awaited, input }));
  if (stdin === "") return { line: lineOf({ kind: "none" }), input: "" };
  if (typeof stdin !== "string") return { line: lineOf({ kind: "bytes" }), input: stdin };
  const input = encodeForPrintf(stdin);
  return { line: lineOf({ kind: "text", length: input.length }), input };
};

/**
 * Runs a request over a channel of its own. The result comes at once when the command is done; the channel has a while to close.
 * @throws Error when the channel ends before the command does: then its outcome is not known. RemoteFlood when more comes
 *   beside the answer than could be an accident.
 */
export const runRemote = async (
  open: () => Promise<TransportChannel>,
  request: RemoteRequest,
): Promise<RemoteResult> => {
  const marks = marksOf(randomBytes(12).toString("hex"));
  const { line, input } = prepare(marks, request);
  const outcome = Promise.withResolvers<RemoteResult>();
  const frame = { ...marks, maxBytes: request.maxBytes ?? MAX_OUTPUT_BYTES };
  const stdout = new FramedOutput(frame);
  const stderr = new FramedOutput(frame);
  let beforeStart = "";
  let channel: TransportChannel | null = null;
  let isDone = false;

  const finish = (result: Partial<RemoteResult> | Error): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    if (result instanceof Error) outcome.reject(result);
    else
      outcome.resolve({
        exitCode: null,
        stdout: stdout.body,
        stderr: stderr.body,
        timedOut: false,
        isAbsent: false,
        ...result,
      });
    if (channel !== null) leave(channel);
  };
  const timer = setTimeout(() => finish({ timedOut: true }), request.timeoutMs);
  const look = (): void => {
    const [isFlood, isTooLong] = [stdout.isFlood || stderr.isFlood, stdout.isTooLong || stderr.isTooLong];
    // This also holds after the command is done: a channel that is about to close must not go on sending.
    if (isFlood || isTooLong) channel?.destroy();
    if (isFlood) finish(new RemoteFlood("the login shell there keeps writing beside its answers"));
    else if (isTooLong) finish({});
    else if (stdout.ending !== null && stderr.ending !== null)
      finish(stderr.ending === NOT_STARTED ? { isAbsent: true } : { exitCode: exitCodeOf(stderr.ending) });
  };

  open().then(
    (opened) => {
      channel = opened;
      opened.stdout.on("data", (chunk: Buffer) => {
        stdout.push(chunk);
        look();
      });
      opened.stderr.on("data", (chunk: Buffer) => {
        if (stderr.opening === null) beforeStart = (beforeStart + chunk.toString("utf8")).slice(-500);
        stderr.push(chunk);
        look();
      });
      void opened.ended.then(({ reason }) =>
        finish(new Error(cleanLine(`the channel ended before its command: ${reason} ${beforeStart}`))),
      );
      if (isDone) {
        leave(opened);
        return;
      }
      opened.stdin.write(line);
      if (input.length > 0) opened.stdin.write(input);
    },
    (error: unknown) => finish(error instanceof Error ? error : new Error(String(error))),
  );
  return outcome.promise;
};

/** Closing the input ends whatever still runs; a channel that stays open nevertheless is dropped. */
export const leave = (channel: TransportChannel): void => {
  channel.stdin.end();
  // What nobody reads would keep it open.
  channel.stdout.resume();
  channel.stderr.resume();
  const timer = setTimeout(() => channel.destroy(), LINGER_MS);
  void channel.ended.then(() => clearTimeout(timer));
};
