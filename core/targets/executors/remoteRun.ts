// One awaited command on the remote side of a connection: its channel, its time-out and its bounds. When the command is done,
// the caller gets its result at once, and the channel has a while to close by itself.
import { randomBytes } from "node:crypto";
import { encodeForPrintf, encodeScriptLine } from "../quote.ts";
import { cleanLine } from "../sshErrors.ts";
import { createFramedOutput } from "./remoteOutput.ts";
import {
  awaitedScript,
  marksOf,
  NOT_STARTED,
  type AwaitedCommand,
  type RemoteMarks,
} from "./remoteScript.ts";
import type { TransportChannel } from "./sshTransport.ts";

export interface RemoteRequest {
  /** Script text that uses its words as "$@"; just `"$@"` when it only runs a program. */
  command: string;
  words: readonly string[];
  /** A text becomes the command's input. Bytes stay on the shell's input, and the command must count them itself. */
  stdin: string | Buffer | null;
  timeoutMs: number;
  maxBytes: number;
  /** The first word is a program that must exist. */
  isProgram: boolean;
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
  const { command, words, stdin, isProgram } = request;
  const awaited = { command, words, isProgram };
  const lineOf = (input: AwaitedCommand["input"]): string =>
    encodeScriptLine(awaitedScript(marks, { ...awaited, input }));
  if (stdin === null || stdin === "") return { line: lineOf({ kind: "none" }), input: "" };
  if (typeof stdin !== "string") return { line: lineOf({ kind: "bytes" }), input: stdin };
  const input = encodeForPrintf(stdin);
  return { line: lineOf({ kind: "text", length: input.length }), input };
};

/**
 * Runs a request over a channel of its own.
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
  const frame = { ...marks, maxBytes: request.maxBytes };
  const stdout = createFramedOutput(frame);
  const stderr = createFramedOutput(frame);
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
