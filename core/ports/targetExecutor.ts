// How commands, files and sockets of a target are reached: one contract for the local machine and for SSH.

export interface RunResult {
  /** Exit status; null when ended by a signal or a time-out. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** A connection to a Unix socket of the target. What is written before it is open is sent then. */
export interface SocketConnection {
  write(bytes: Uint8Array): void;
  /** One listener each. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** Called once when the connection ends or cannot be opened, with the error's code if there is one. */
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

export interface FileStat {
  mtimeMs: number;
  size: number;
  isFile: boolean;
  mode: number;
}

/** Reads return null where the file does not exist; other failures throw. */
export interface TargetFiles {
  readText(path: string, maxBytes?: number): Promise<string | null>;
  /** The last `maxBytes` of a file: the newest lines of a log. The first of them may be cut. */
  readTail(path: string, maxBytes: number): Promise<string | null>;
  /** Where a symbolic link points, also one of /proc; null where there is none or it may not be read. */
  readLink(path: string): Promise<string | null>;
  list(path: string): Promise<string[]>;
  stat(path: string): Promise<FileStat | null>;
  /** Temp file + rename beside the symlink's target, keeping mode; parents are created 0700. */
  writeText(path: string, text: string, mode?: number): Promise<void>;
  remove(path: string): Promise<void>;
}

/**
 * `person`: the folder belongs to them, and nobody else gets into it, as tmux demands of its own. `trusted`: folder and socket are
 * the person's or root's, none is a link of somebody else's, and not everybody can put another socket there.
 */
export type SocketRule = "person" | "trusted";

/** What lies at the path of a socket. */
export interface FoundSocket {
  /** Stays the same as long as the socket does. */
  readonly identity: string;
  /** Why it is not the person's own; null: it is, by the rule that was asked for. */
  readonly doubt: string | null;
}

/** Unix sockets of the target. */
export interface TargetSockets {
  /** Null where there is none. One that cannot be looked at is in doubt. */
  find(path: string, rule: SocketRule): Promise<FoundSocket | null>;
  connect(path: string): SocketConnection;
}

/** A call of the tmux program on a socket: `<program> -S <the socket> <words>`. */
export interface TmuxCall {
  readonly program: string;
  readonly socketPath: string;
  readonly rule: SocketRule;
  readonly words: readonly string[];
  /** A server is started where none is. */
  readonly mayStart: boolean;
}

/** It belongs to the process that had the id when it was opened, whoever has it later. */
export interface OpenProcFile {
  /** The text of now, at most 64 kB of it; null once the process has ended. */
  read(): string | null;
  close(): void;
}

/** `argv` is always a vector, never a shell string. */
export interface TargetExecutor {
  readonly targetId: string;
  readonly kind: "local" | "ssh";
  /** Home folder of the user on the target, without a final slash. */
  homeDir(): Promise<string>;
  run(
    argv: readonly string[],
    options: { timeoutMs: number; stdin?: string; maxBytes?: number },
  ): Promise<RunResult>;
  /**
   * Calls the tmux program if the socket is the person's own at this moment, and on no other socket than the one that was looked
   * at. Where there is none, the answer is tmux's own. @throws AgtmuxError E_SOCKET_UNSAFE
   */
  runTmux(
    call: TmuxCall,
    options: { timeoutMs: number; stdin?: string; maxBytes?: number },
  ): Promise<RunResult>;
  /** The same as a command for a person's terminal on the target, which looks by itself before it becomes tmux. */
  tmuxForTerminal(call: TmuxCall): string[];
  /** Several commands follow soon, one after the other. Left out where that makes no difference. */
  hurry?(): void;
  /** Left out where sockets of the target cannot be reached. */
  readonly sockets?: TargetSockets;
  /**
   * True while a process with this id exists, even a zombie. Present only for the daemon's own machine, where this starts no
   * process.
   */
  isRunning?(pid: number): boolean;
  /**
   * A file below /proc that stays open; null where it cannot be opened. Present only for the daemon's own machine, and only where
   * that has /proc.
   */
  openProc?(path: string): OpenProcFile | null;
  readonly files: TargetFiles;
  close(): Promise<void>;
}
