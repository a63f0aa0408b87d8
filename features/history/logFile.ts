// Opens an agent's log for reading, and only that: never a link, a pipe, a device or a folder, and never more of it than asked.
import { FileProblem, openPlain } from "../../core/files/plainFile.ts";

export interface LogFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** The bytes from `start` up to `end`, fewer where the file ends before. The buffer is valid until the next read. */
  read(start: number, end: number): Promise<Buffer>;
  /** Fills `space` from `offset` on with what stands at `start`; gives the number of bytes. */
  readInto(space: Buffer, offset: number, start: number): Promise<number>;
  close(): Promise<void>;
}

/** Null where there is no plain file that may be read. The caller closes it. */
export const openLog = async (path: string): Promise<LogFile | null> => {
  const handle = await openPlain({ path }).catch((error: unknown) => {
    if (error instanceof FileProblem) return null;
    throw error;
  });
  if (handle === null) return null;
  const stat = await handle.stat();
  let space = Buffer.alloc(0);
  return {
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    read: async (start, end) => {
      const wanted = Math.max(0, Math.min(end, stat.size) - start);
      if (space.length < wanted) space = Buffer.allocUnsafeSlow(wanted);
      const { bytesRead } = await handle.read(space, 0, wanted, start);
      return space.subarray(0, bytesRead);
    },
    readInto: async (space, offset, start) =>
      (await handle.read(space, offset, space.length - offset, start)).bytesRead,
    close: () => handle.close(),
  };
};

/** Opens, works and closes, whatever happens; null where there is no log. */
export const withLog = async <T>(path: string, work: (log: LogFile) => Promise<T>): Promise<T | null> => {
  const log = await openLog(path);
  if (log === null) return null;
  try {
    return await work(log);
  } finally {
    await log.close();
  }
};
