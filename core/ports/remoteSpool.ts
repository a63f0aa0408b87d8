// The spool of a target behind SSH: it is read and emptied over the target's one channel.

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
  /** Looks without waiting. `onFiles` is told of the files that are there, once; then nothing more until the next glance. */
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
