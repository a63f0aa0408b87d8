// A long-running program on the remote side of a connection, as a ByteChannel. The remote shell tells its pid, so that it can
// be ended even when it ignores its closed input.
import { randomBytes } from "node:crypto";
import { UNASKED_BYTES } from "../../engine/floodGuard.ts";
import type { ByteChannel } from "../byteChannel.ts";
import { encodeScriptLine } from "../quote.ts";
import { cleanLine } from "../sshErrors.ts";
import { createStartGate } from "./remoteOutput.ts";
import { marksOf, stayingScript } from "./remoteScript.ts";
import type { TransportChannel } from "./sshTransport.ts";
import { endsWithin } from "../../model/endsWithin.ts";

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

export interface RemoteChannel extends ByteChannel {
  /** Pid of the remote program; null until it was told. */
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
