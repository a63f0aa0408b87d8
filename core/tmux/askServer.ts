// Sends one list of commands to a tmux server over the server's own socket, as `tmux` would: over a connection that attaches to
// nothing and ends with the answer. It starts no process and no server. First the messages, then the conversation (`askServer`).
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../ports/clock.ts";
import type { RunResult, SocketConnection } from "../ports/targetExecutor.ts";

// Messages between a tmux client and its server, as far as they are needed to run one list of commands and read its output. Source:
// tmux-protocol.h, client.c and file.c of tmux 3.2a to 3.7c and of a snapshot before 3.8 (protocol 8, since tmux 2.0), which all
// give these messages the same lengths. tmux means to change the protocol number with any of it, and says its own when it is asked
// with another (`askProtocol`). Up to 3.6 a message of the wrong length ends the server (fatalx), from 3.7 on the connection. So
// every message is made here and nowhere else.

/**
 * `imsg` of OpenBSD: type, length with the header, flags, protocol number, pid; in the byte order of the machine. From 3.6 on the
 * flags are the upper half of the length, and 0 as here.
 */
const HEADER_BYTES = 16;
export const MAX_MESSAGE_BYTES = 16_384;
export const PROTOCOL = 8;
/** No tmux has it. */
const NO_PROTOCOL = 0;

const MESSAGE = {
  version: 12,
  identifyTerm: 101,
  identifyTty: 102,
  identifyDone: 106,
  identifyPid: 107,
  identifyFolder: 108,
  identifyFeatures: 109,
  identifyFlags: 111,
  command: 200,
  exit: 203,
  shutdown: 210,
  readOpen: 300,
  read: 301,
  readDone: 302,
  writeOpen: 303,
  write: 304,
  writeReady: 305,
  writeClose: 306,
} as const;

/** Without it the server prints underscores for everything that is not ASCII. */
const CLIENT_UTF8 = 0x1_0000n;
/** The streams that commands print to. Other streams are files for the client to open; none of our commands asks for one. */
const STDOUT_STREAM = 1;
const STDERR_STREAM = 2;
const isPrinted = (stream: number): boolean => stream === STDOUT_STREAM || stream === STDERR_STREAM;

/** Streams that one list of commands prints to. */
const MAX_STREAMS = 2;
/** What the server calls the input of a client, beside this number of a file; the other files that it may name are paths. */
const INPUT_FILE = 0;

const message = (type: number, data: Buffer, protocol = PROTOCOL): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(type, 0);
  header.writeUInt16LE(HEADER_BYTES + data.length, 4);
  header.writeUInt32LE(protocol, 8);
  header.writeUInt32LE(process.pid, 12);
  return Buffer.concat([header, data]);
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const integer = (value: number): Buffer => {
  const data = Buffer.alloc(4);
  data.writeInt32LE(value);
  return data;
};

/**
 * All that a client without terminal, input and environment sends first, and then its list of commands: words, with a lone `;`
 * between commands. Throws when the list is longer than a message may be.
 */
export const encodeRequest = (words: readonly string[]): Buffer => {
  const command = Buffer.concat([integer(words.length), ...words.map(text)]);
  if (HEADER_BYTES + command.length > MAX_MESSAGE_BYTES)
    throw new Error("tmux: the list of commands is too long");
  const flags = Buffer.alloc(8);
  flags.writeBigUInt64LE(CLIENT_UTF8);
  return Buffer.concat([
    message(MESSAGE.identifyFlags, flags),
    message(MESSAGE.identifyTerm, text("dumb")),
    message(MESSAGE.identifyFeatures, integer(0)),
    message(MESSAGE.identifyTty, text("")),
    message(MESSAGE.identifyFolder, text("/")),
    message(MESSAGE.identifyPid, integer(process.pid)),
    message(MESSAGE.identifyDone, Buffer.alloc(0)),
    message(MESSAGE.command, command),
  ]);
};

/**
 * What makes a server say its protocol and let go of the client. A server looks at the number of a message before it looks at type
 * and data (`peer_check_version` in proc.c), and this message is a header alone, which is the least that `imsg` takes.
 */
export const encodeProtocolQuestion = (): Buffer =>
  message(MESSAGE.identifyDone, Buffer.alloc(0), NO_PROTOCOL);

/** The input of the commands, in answer to the server that asked for it as `stream`. */
const encodeInput = (stream: number, input: string): Buffer => {
  const bytes = Buffer.from(input);
  const most = MAX_MESSAGE_BYTES - HEADER_BYTES - 4;
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += most)
    parts.push(message(MESSAGE.read, Buffer.concat([integer(stream), bytes.subarray(from, from + most)])));
  return Buffer.concat([...parts, message(MESSAGE.readDone, Buffer.concat([integer(stream), integer(0)]))]);
};

/** What the server said: a stream to be accepted by `reply`, that it wants the commands' input, output, or the end. */
type ServerSaid =
  | { kind: "open"; reply: Buffer }
  | { kind: "input"; stream: number }
  | { kind: "output"; isError: boolean; bytes: Buffer }
  | { kind: "end"; exitCode: number }
  | { kind: "nothing" };

const isUnderstood = (type: number): boolean =>
  [
    MESSAGE.exit,
    MESSAGE.shutdown,
    MESSAGE.readOpen,
    MESSAGE.writeOpen,
    MESSAGE.write,
    MESSAGE.writeClose,
  ].some((known) => known === type);

/** Null: not what this client understands. It opens no file, whatever the server names. */
const interpret = (type: number, data: Buffer): ServerSaid | null => {
  switch (type) {
    case MESSAGE.writeOpen:
      return data.length < 4 || !isPrinted(data.readInt32LE(0))
        ? null
        : {
            kind: "open",
            reply: message(MESSAGE.writeReady, Buffer.concat([data.subarray(0, 4), integer(0)])),
          };
    case MESSAGE.readOpen:
      return data.length < 8 || data.readInt32LE(0) <= STDERR_STREAM || data.readInt32LE(4) !== INPUT_FILE
        ? null
        : { kind: "input", stream: data.readInt32LE(0) };
    case MESSAGE.write:
      return data.length < 4 || !isPrinted(data.readInt32LE(0))
        ? null
        : { kind: "output", isError: data.readInt32LE(0) === STDERR_STREAM, bytes: data.subarray(4) };
    case MESSAGE.writeClose:
      return { kind: "nothing" };
    case MESSAGE.exit:
      return { kind: "end", exitCode: data.length < 4 ? 0 : data.readInt32LE(0) };
    case MESSAGE.shutdown:
      return { kind: "end", exitCode: 1 };
    default:
      return null;
  }
};

/**
 * Splits incoming bytes into messages. The returned function gives the messages that are complete so far; null: the bytes are
 * not of this protocol.
 */
export const createServerReader = (): ((chunk: Uint8Array) => ServerSaid[] | null) => {
  let held: Buffer = Buffer.alloc(0);
  let opened = 0;
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    const said: ServerSaid[] = [];
    let from = 0;
    while (held.length - from >= HEADER_BYTES) {
      const type = held.readUInt32LE(from);
      const length = held.readUInt16LE(from + 4);
      // Checked by the header alone: a peer that is not tmux may never send as much as it seems to announce.
      if (!isUnderstood(type) || held.readUInt8(from + 8) !== PROTOCOL) return null;
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) return null;
      if (held.length - from < length) break;
      const one = interpret(type, held.subarray(from + HEADER_BYTES, from + length));
      if (one === null) return null;
      // A peer that is not tmux must not make us reply for ever.
      if (one.kind === "open" && (opened += 1) > MAX_STREAMS) return null;
      said.push(one);
      from += length;
    }
    held = held.subarray(from);
    return said;
  };
};

/** `refused`: nobody listens. `unfit`: the server's messages are not understood, so the tmux program has to ask it. */
export type DirectAnswer =
  | ({ status: "answered" } & RunResult)
  | { status: "refused" }
  | { status: "unfit"; problem: string };

const NOBODY = /ENOENT|ECONNREFUSED/;

/**
 * `words` as in the arguments of tmux: commands with a lone `;` between them. `stdin`: the input of the one command that reads it;
 * the server gets it once, if it asks for it, and nothing else of this machine. Rejects only a list that is too long.
 */
export const askServer = async (options: {
  connect: () => SocketConnection;
  words: readonly string[];
  stdin?: string | undefined;
  clock: Clock;
  timeoutMs: number;
  maxBytes: number;
}): Promise<DirectAnswer> => {
  const { clock, timeoutMs, maxBytes } = options;
  const request = encodeRequest(options.words);
  const { promise, resolve } = Promise.withResolvers<DirectAnswer>();
  const connection = options.connect();
  const read = createServerReader();
  const output = { stdout: "", stderr: "" };
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  let received = 0;
  let { stdin } = options;

  const settle = (answer: DirectAnswer): void => {
    cancelTimer();
    resolve(answer);
    connection.close();
  };
  const answered = (exitCode: number | null, timedOut: boolean): DirectAnswer => ({
    status: "answered",
    exitCode,
    stdout: output.stdout + decoders.stdout.end(),
    stderr: output.stderr + decoders.stderr.end(),
    timedOut,
  });
  const cancelTimer = clock.setTimer(timeoutMs, () => settle(answered(null, true)));
  const hear = (said: ServerSaid): void => {
    switch (said.kind) {
      case "open":
        connection.write(said.reply);
        break;
      case "input":
        if (stdin === undefined)
          settle({ status: "unfit", problem: "the tmux server asks for what it was not given" });
        else connection.write(encodeInput(said.stream, stdin));
        stdin = undefined;
        break;
      case "output": {
        const stream = said.isError ? "stderr" : "stdout";
        output[stream] += decoders[stream].write(said.bytes);
        break;
      }
      case "end":
        settle(answered(said.exitCode, false));
        break;
      case "nothing":
        break;
    }
  };
  connection.onData((chunk) => {
    received += chunk.length;
    const all = received > maxBytes ? null : read(chunk);
    if (all === null) settle({ status: "unfit", problem: "what the tmux server says is not understood" });
    else for (const said of all) hear(said);
  });
  connection.onClose((reason) =>
    settle(
      NOBODY.test(reason)
        ? { status: "refused" }
        : { status: "unfit", problem: `the tmux server closed the connection: ${reason}` },
    ),
  );
  connection.write(request);
  return promise;
};

/**
 * The protocol that the server at the socket says it speaks; null: it is no tmux server, or it does not say so in time. It does no
 * more for this client than for one of another version of tmux that comes by mistake.
 */
export const askProtocol = (options: {
  connect: () => SocketConnection;
  clock: Clock;
  timeoutMs: number;
}): Promise<number | null> => {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const connection = options.connect();
  let said: Buffer = Buffer.alloc(0);
  const settle = (protocol: number | null): void => {
    cancelTimer();
    resolve(protocol);
    connection.close();
  };
  const cancelTimer = options.clock.setTimer(options.timeoutMs, () => settle(null));
  connection.onData((chunk) => {
    said = Buffer.concat([said, chunk]);
    if (said.length < HEADER_BYTES) return;
    const isVersion = said.readUInt32LE(0) === MESSAGE.version && said.readUInt16LE(4) === HEADER_BYTES;
    settle(isVersion ? said.readUInt8(8) : null);
  });
  connection.onClose(() => settle(null));
  connection.write(encodeProtocolQuestion());
  return promise;
};
