// How processes, the spool, commands, files and sockets of a target are reached: one contract for the local machine and for SSH.
import type { ProcessInfo } from "../model/runtime.ts";

// Processes: which run in a pane, and whether a pid is still the same process.

/** `stopped`: suspended by a signal, as by Ctrl-Z. */
export type ProcessLife = "gone" | "running" | "stopped";

export interface ProcessTree {
  /**
   * For each pane's own process: it and its descendants, parents before children, at most 128. A process that is
   * gone has no entry.
   */
  ofPanes(panePids: readonly number[]): Promise<Map<number, ProcessInfo[]>>;
  /** True while `pid` lives, is not a zombie, and is the process that started at `startedAt` (epoch ms). */
  verify(pid: number, startedAt: number): Promise<boolean>;
  /**
   * The same for watching, with whether it is suspended. Unless `isFull`, it may rely on what was read some seconds ago where a
   * probe costs the start of a program, as long as a process with that pid lives; without `look`, also where it costs a round trip.
   */
  lifeOf(pid: number, startedAt: number, look?: { isFull: boolean }): Promise<ProcessLife>;
  /**
   * True where certainly no process has this id. It says only what can be known at once without cost, so it is false for
   * another machine.
   */
  isGone(pid: number): boolean;
  /** How much a process has written since its start, in bytes. Absent where that cannot be had at next to no cost. */
  meterOutput?(pid: number): Meter<number> | null;
  /** The children of a process. Absent as above. */
  meterChildren?(pid: number): Meter<string> | null;
}

/** Something of one process that is read again and again, without asking the process. */
export interface Meter<T> {
  /** Null once the process has ended. */
  read(): T | null;
  close(): void;
}

// Spool of a target behind SSH: it is read and emptied over the target's one channel.

export interface SpooledFile {
  name: string;
  modifiedSeconds: number;
  /** Age by the remote clock. */
  ageMs: number;
  size: number;
  /** At most the requested bytes. Null: not a regular file of the user. */
  bytes: Uint8Array | null;
}

export interface RemoteSpool {
  /** Lists without waiting. `onFiles` gets the files that are there, once; then nothing more until the next glance. */
  glance(): void;
  /** The listener gets the files, oldest first, or null where they have to be read. */
  onFiles(listener: (files: SpooledFile[] | null) => void): void;
  /** The oldest files first, at most `count`, and fewer where they are large. */
  read(options: { count: number; maxBytes: number }): Promise<SpooledFile[]>;
  /** @throws Error when some are still there. */
  remove(names: readonly string[]): Promise<void>;
  /** Moves a file that is not an event out of the way. */
  reject(name: string): Promise<void>;
}

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
  /** Absent on other machines. */
  inode?: number;
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
interface TargetSockets {
  /** Null where there is none. One that cannot be checked is in doubt. */
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
   * Calls the tmux program if the socket is the person's own at this moment, and on no other socket than the one that was
   * checked. Where there is none, the answer is tmux's own. @throws AgtmuxError E_SOCKET_UNSAFE
   */
  runTmux(
    call: TmuxCall,
    options: { timeoutMs: number; stdin?: string; maxBytes?: number },
  ): Promise<RunResult>;
  /** The same as a command for a person's terminal on the target, which checks the socket itself before it becomes tmux. */
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
