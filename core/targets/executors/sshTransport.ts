// What sshExecutor.ts needs of an SSH implementation: one connection at a time, and channels that each run one command.
// Everything above (scripts, files, time-outs) is shared by both.
import type { Readable, Writable } from "node:stream";
import type { AgtmuxError } from "../../model/errors.ts";

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
  /** Ends the connection, or the attempt at one, and all that belongs to it; resolves when nothing of it is left on this machine. */
  disconnect(): Promise<void>;
}
