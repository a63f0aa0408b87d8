// Interfaces of a connection to another machine: a long-lived program behind it (`ByteChannel`), and a transport with the channels
// that it opens, by either of two implementations of SSH. The implementations are in executors/.
import type { Readable, Writable } from "node:stream";
import type { AgtmuxError } from "../model/errors.ts";

/** One long-lived program on the remote side, as its two output streams and its input. Tests use a child of this machine. */
export interface ByteChannel {
  write(text: string): void;
  /** Called for every chunk; one listener each. */
  onStdout(listener: (chunk: Buffer) => void): void;
  onStderr(listener: (chunk: Buffer) => void): void;
  /** Called once, however the channel ends; called at once when it has already ended. */
  onClose(listener: (reason: string) => void): void;
  /** Drops the channel at once and gives `reason` as the reason of its end, for example because it floods. */
  destroy(reason: string): void;
  /** Closes the input, so that a shell ends by itself; resolves when the channel is gone on our side. */
  close(): Promise<void>;
}

export interface ChannelEnd {
  /** Exit status of the remote command; null when a signal or a lost connection ended it. */
  exitCode: number | null;
  /** One line for people. */
  reason: string;
}

export interface TransportChannel {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once all output was delivered; never rejects. */
  readonly ended: Promise<ChannelEnd>;
  /** Drops the channel at once, without waiting for the remote side. */
  readonly destroy: () => void;
}

/**
 * What sshExecutor.ts needs of an SSH implementation: one connection at a time, and channels that each run one command.
 * What is built on it (scripts, files, time limits) is the same for both implementations.
 */
export interface SshTransport {
  readonly name: "ssh2" | "openssh";
  /**
   * Connects without asking a person anything. It makes one attempt.
   * @throws AgtmuxError E_TARGET_UNREACHABLE, E_TARGET_HOST_KEY, E_TARGET_AUTH.
   */
  connect(timeoutMs: number): Promise<void>;
  /** Runs `command` in the remote login shell; possible only while connected. */
  open(command: string): Promise<TransportChannel>;
  /** Called once for each connection that ends without `disconnect`. */
  onDown(listener: (error: AgtmuxError) => void): void;
  /** Ends the connection, or the attempt at one, and all that belongs to it; resolves when nothing is left on this machine. */
  disconnect(): Promise<void>;
}
