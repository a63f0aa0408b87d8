// One long-lived program on the remote side of a connection, as its two output streams and its input. Both SSH transports give
// one, and tests use a child of this machine.

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
