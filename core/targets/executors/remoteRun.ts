// One awaited command on the remote side of a connection: its channel, its time-out and its bounds. A channel that is done is
// left to close by itself for a while; the caller has its result by then.
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
  /** Script text that uses its words as "$@"; `"$@"` itself where a program is all. */
  command: string;
  words: readonly string[];
  /** Text becomes the command's input; bytes are left on it, and the command must count them itself. */
  stdin: string | Buffer | null;
  timeoutMs: number;
  maxBytes: number;
  /** The first word is a program that must be there. */
  isProgram: boolean;
}

export interface RemoteResult {
  /** Null when a signal (the remote shell's 129 to 159), the time-out or too much output ended it. */
  exitCode: number | null;
  stdout: Buffer;
  stderr: Buffer;
  timedOut: boolean;
  /** There is no such program. */
  isAbsent: boolean;
}

/** A command of the target sent more than its answer, so the whole connection is no longer trusted. */
export class RemoteFlood extends Error {}

/** How long a channel that is done may take to close before it is dropped. */
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
 * @throws Error when the channel ends before the command does: then its outcome is not known. RemoteFlood when more
 *   comes beside the answer than anybody says by accident.
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
    // Also when it is done: what is left to close by itself must not go on.
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

/** The closed input ends whatever still runs; a channel that stays all the same is dropped. */
const leave = (channel: TransportChannel): void => {
  channel.stdin.end();
  const timer = setTimeout(() => channel.destroy(), LINGER_MS);
  void channel.ended.then(() => clearTimeout(timer));
};
