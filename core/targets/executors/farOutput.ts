// Finds what a far command wrote between our marks in a stream that a login shell may have written to before.

/** More than this before the start mark is no banner any more. */
const MAX_BANNER_BYTES = 1024 * 1024;

export interface FramedOutput {
  push(chunk: Buffer): void;
  /** What stood behind the end mark on its line, once that line is complete. */
  readonly ending: string | null;
  /** What stood behind the start mark; null while it has not come. */
  readonly opening: string | null;
  /** Bytes between the marks, so far; what is beyond `maxBytes` is not kept. */
  readonly body: Buffer;
  readonly isTooLong: boolean;
}

interface FrameOptions {
  start: string;
  end: string;
  maxBytes: number;
}

/** Collects one stream of an awaited command. Searches only what is new, so that long output costs no more than it has to. */
export const createFramedOutput = ({ start, end, maxBytes }: FrameOptions): FramedOutput => {
  const chunks: Buffer[] = [];
  let kept = 0;
  let held: Buffer = Buffer.alloc(0);
  let opening: string | null = null;
  let ending: string | null = null;
  let isTooLong = false;

  const keep = (bytes: Buffer): void => {
    const room = maxBytes - kept;
    if (bytes.length > room) isTooLong = true;
    const part = bytes.subarray(0, Math.max(0, room));
    if (part.length === 0) return;
    chunks.push(part);
    kept += part.length;
  };
  /** @returns the rest of the mark's line, and cuts `held` around it; null while the line is not complete. */
  const takeMark = (mark: string, onBefore: (bytes: Buffer) => void): string | null => {
    const at = held.indexOf(mark);
    const newline = at === -1 ? -1 : held.indexOf("\n", at);
    if (newline === -1) {
      const safe = at === -1 ? Math.max(0, held.length - mark.length) : at;
      onBefore(held.subarray(0, safe));
      held = held.subarray(safe);
      return null;
    }
    onBefore(held.subarray(0, at));
    const rest = held
      .subarray(at + mark.length, newline)
      .toString("latin1")
      .trim();
    held = held.subarray(newline + 1);
    return rest;
  };
  let skipped = 0;
  return {
    push: (chunk) => {
      if (ending !== null || isTooLong) return;
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (opening === null) {
        opening = takeMark(start, (bytes) => {
          skipped += bytes.length;
        });
        if (skipped > MAX_BANNER_BYTES) isTooLong = true;
        if (opening === null) return;
      }
      ending = takeMark(end, keep);
    },
    get ending() {
      return ending;
    },
    get opening() {
      return opening;
    },
    get body() {
      return ending === null && opening !== null && !isTooLong
        ? Buffer.concat([...chunks, held]).subarray(0, maxBytes)
        : Buffer.concat(chunks);
    },
    get isTooLong() {
      return isTooLong;
    },
  };
};

/** Passes on what follows the start mark's line; `onOpen` hears what stood on that line. */
export const createStartGate = (
  start: string,
  onData: (chunk: Buffer) => void,
  onOpen: (opening: string) => void = () => {},
): ((chunk: Buffer) => void) => {
  let held: Buffer | null = Buffer.alloc(0);
  return (chunk) => {
    if (held === null) {
      onData(chunk);
      return;
    }
    held = Buffer.concat([held, chunk]);
    const at = held.indexOf(start);
    const newline = at === -1 ? -1 : held.indexOf("\n", at);
    if (newline === -1) {
      if (at === -1) held = held.subarray(Math.max(0, held.length - start.length));
      return;
    }
    onOpen(
      held
        .subarray(at + start.length, newline)
        .toString("latin1")
        .trim(),
    );
    const rest = held.subarray(newline + 1);
    held = null;
    if (rest.length > 0) onData(rest);
  };
};
