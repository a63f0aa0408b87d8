// A TargetExecutor of another machine: the same contract, and a connection that its owner opens. It never connects by itself,
// so that only one place decides when a machine is tried again.
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { ByteChannel } from "./byteChannel.ts";

/** What connecting found out. */
export interface ConnectionFacts {
  transport: "ssh2" | "openssh";
  homeDir: string;
  /** `uname -s` there: "Linux", "Darwin", … */
  system: string;
  /** One round trip over the open connection, without any program start. */
  rttMs: number;
}

export interface RemoteExecutor extends TargetExecutor {
  readonly kind: "ssh";
  /**
   * Makes one attempt, without asking the person anything. Concurrent calls share it, and a call on an open connection does
   * nothing. It may be called again after the connection was lost.
   * @throws AgtmuxError E_TARGET_UNREACHABLE, E_TARGET_HOST_KEY, E_TARGET_AUTH; the remedy says what to run.
   */
  connect(): Promise<ConnectionFacts>;
  readonly isConnected: boolean;
  /** Called once for each connection that is lost; not for `close`. */
  onDown(listener: (error: Error) => void): void;
  /**
   * Starts a program there and gives its streams as bytes, without what the login shell printed before. `close` closes its
   * input and signals the program when that is not enough.
   */
  openChannel(argv: readonly string[]): ByteChannel;
}
