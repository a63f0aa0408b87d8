// How commands and files of a target are reached. One contract for the local machine and, later, SSH.

export interface RunResult {
  /** Exit status; null when ended by a signal or a time-out. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** A long-lived child whose output arrives line by line (newline stripped, invalid UTF-8 replaced). */
export interface LineProcess {
  readonly pid: number | undefined;
  write(text: string): void;
  onLine(listener: (line: string) => void): void;
  /** Called once, also when the program could not be started. */
  onExit(listener: (reason: string) => void): void;
  /** Ends it at once, with that as the reason of its end: what it writes is not to be believed. */
  abort(reason: string): void;
  /** Ends the child and resolves when it is gone. */
  close(): Promise<void>;
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
  start(argv: readonly string[]): LineProcess;
  /** True while a process of this id is there, a zombie too. Only on the daemon's own machine, where asking costs no process. */
  isRunning?(pid: number): boolean;
  readonly files: TargetFiles;
  close(): Promise<void>;
}
