// A log's bytes from one end to the other, in stretches of whole lines: while one is worked on, the next is read. A line above
// 1 MB is left out, so that what a log holds decides neither memory nor time.
import type { LogFile } from "./logFile.ts";

const CHUNK_BYTES = 256 * 1024;
export const MAX_LINE_BYTES = 1024 * 1024;

/** Memory for two stretches; one reader at a time, of any number of logs. */
export class StretchSpace {
  readonly buffers: readonly [Buffer, Buffer] = [
    Buffer.allocUnsafeSlow(MAX_LINE_BYTES + CHUNK_BYTES),
    Buffer.allocUnsafeSlow(MAX_LINE_BYTES + CHUNK_BYTES),
  ];
}

export interface Stretch {
  /** Whole lines; at the end of the log perhaps a last one without its end. Valid until the next stretch is asked for. */
  lines: Buffer;
  /** Where the next line begins. */
  end: number;
}

/** From `start`, the beginning of a line. Close the log only when this has ended. */
export async function* readStretches(
  log: LogFile,
  { buffers }: StretchSpace,
  start: number,
): AsyncGenerator<Stretch> {
  let [current, ahead] = buffers;
  let at = start;
  let carried = 0;
  let isInLongLine = false;
  let reading = log.readInto(current, MAX_LINE_BYTES, at);
  try {
    for (;;) {
      const size = await reading;
      at += size;
      const isEnd = size < CHUNK_BYTES;
      if (!isEnd) reading = log.readInto(ahead, MAX_LINE_BYTES, at);
      const bytes = current.subarray(MAX_LINE_BYTES - carried, MAX_LINE_BYTES + size);
      const from = isInLongLine ? bytes.indexOf(10) + 1 : 0;
      const last = isEnd ? bytes.length : bytes.lastIndexOf(10) + 1;
      isInLongLine = last === 0;
      carried = isInLongLine || isEnd ? 0 : bytes.length - last;
      const lines = isInLongLine ? bytes.subarray(0, 0) : bytes.subarray(from, last);
      yield { lines, end: at - carried };
      if (isEnd) return;
      bytes.copy(ahead, MAX_LINE_BYTES - carried, bytes.length - carried);
      [current, ahead] = [ahead, current];
    }
  } finally {
    // The log is closed after this, and must not be while it is read.
    await reading;
  }
}
