// A TargetExecutor of another machine: the same contract, and a connection that its owner opens. It never connects by
// itself, so that one place alone decides when a machine is tried again.
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
   * One attempt without any question to the person; calls at the same time share it, and one on an open connection
   * changes nothing. May be called again after the connection went down.
   * @throws AgtmuxError E_TARGET_UNREACHABLE, E_TARGET_HOST_KEY, E_TARGET_AUTH: what to run is in its remedy.
   */
  connect(): Promise<ConnectionFacts>;
  readonly isConnected: boolean;
  /** Called once for each connection that is lost; not for `close`. */
  onDown(listener: (error: Error) => void): void;
  /**
   * Starts a program over there and gives its streams as bytes, without what the login shell said before. `close` closes
   * its input, and signals it when that was not enough.
   */
  openChannel(argv: readonly string[]): ByteChannel;
}
