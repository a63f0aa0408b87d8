// Finds what a remote command wrote between our marks in a stream that a login shell may have written to before.

import { UNASKED_BYTES } from "../../engine/floodGuard.ts";

/** Longest rest of a mark's line, which holds only a pid or a status. */
const MAX_MARK_LINE_BYTES = 1_024;

/**
 * Finds a mark and the rest of its line in a stream. Every byte is looked at a bounded number of times; bytes before the mark
 * are passed on as they come.
 */
const createMarkSearch = (mark: string, onBefore: (bytes: Buffer) => void) => {
  let held: Buffer = Buffer.alloc(0);
  let isThere = false;
  return {
    /** The rest of the mark's line and what follows it, once both are there; `"flood"` for a line that does not end. */
    push: (chunk: Buffer): { rest: string; after: Buffer } | "flood" | null => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (!isThere) {
        const at = held.indexOf(mark);
        isThere = at !== -1;
        const safe = isThere ? at : Math.max(0, held.length - mark.length);
        onBefore(held.subarray(0, safe));
        held = held.subarray(safe);
        if (!isThere) return null;
      }
      const newline = held.indexOf("\n");
      if (newline === -1) return held.length > MAX_MARK_LINE_BYTES ? "flood" : null;
      const rest = held.subarray(mark.length, newline).toString("latin1").trim();
      return { rest, after: held.subarray(newline + 1) };
    },
    /** The end of the data, which may be the beginning of a mark. */
    get held(): Buffer {
      return held;
    },
  };
};

export interface FramedOutput {
  push(chunk: Buffer): void;
  /** The text after the end mark on its line, once that line is complete. */
  readonly ending: string | null;
  /** The text after the start mark on its line; null while the mark has not come. */
  readonly opening: string | null;
  /** The bytes between the marks so far, at most `maxBytes`. */
  readonly body: Buffer;
  /** There was more between the marks than `maxBytes`. */
  readonly isTooLong: boolean;
  /** More arrived outside of the marks than could be an accident. */
  readonly isFlood: boolean;
}

interface FrameOptions {
  start: string;
  end: string;
  maxBytes: number;
}

/**
 * Collects one stream of an awaited command. Searches only the new part, so that long output is not searched again and again.
 */
export const createFramedOutput = ({ start, end, maxBytes }: FrameOptions): FramedOutput => {
  const chunks: Buffer[] = [];
  let kept = 0;
  let unasked = 0;
  let opening: string | null = null;
  let ending: string | null = null;
  let isTooLong = false;
  let isFlood = false;

  const keep = (bytes: Buffer): void => {
    const room = maxBytes - kept;
    if (bytes.length > room) isTooLong = true;
    const part = bytes.subarray(0, Math.max(0, room));
    if (part.length === 0) return;
    // A copy, because a slice of a chunk would keep the whole chunk in memory.
    chunks.push(part.length < bytes.length ? Buffer.from(part) : part);
    kept += part.length;
  };
  const skip = (bytes: Buffer): void => {
    unasked += bytes.length;
    if (unasked > UNASKED_BYTES) isFlood = true;
  };
  const startSearch = createMarkSearch(start, skip);
  const endSearch = createMarkSearch(end, keep);
  const pushBody = (chunk: Buffer): void => {
    const found = endSearch.push(chunk);
    if (found === "flood") isFlood = true;
    else if (found !== null) {
      ending = found.rest;
      skip(found.after);
    }
  };
  return {
    push: (chunk) => {
      if (isTooLong || isFlood) return;
      if (ending !== null) skip(chunk);
      else if (opening !== null) pushBody(chunk);
      else {
        const found = startSearch.push(chunk);
        if (found === "flood") isFlood = true;
        else if (found !== null) {
          opening = found.rest;
          pushBody(found.after);
        }
      }
    },
    get ending() {
      return ending;
    },
    get opening() {
      return opening;
    },
    get body() {
      return ending === null && opening !== null && !isTooLong && !isFlood
        ? Buffer.concat([...chunks, endSearch.held]).subarray(0, maxBytes)
        : Buffer.concat(chunks);
    },
    get isTooLong() {
      return isTooLong;
    },
    get isFlood() {
      return isFlood;
    },
  };
};

/**
 * Passes on what follows the start mark's line. `onOpen` gets the rest of that line; `onFlood` is called when too much comes
 * without a start mark.
 */
export const createStartGate = (options: {
  start: string;
  onData: (chunk: Buffer) => void;
  onOpen?: (opening: string) => void;
  onFlood: () => void;
}): ((chunk: Buffer) => void) => {
  const { start, onData, onOpen = () => {}, onFlood } = options;
  let skipped = 0;
  let state: "closed" | "open" | "flooded" = "closed";
  const flood = (): void => {
    state = "flooded";
    onFlood();
  };
  const search = createMarkSearch(start, (bytes) => {
    skipped += bytes.length;
  });
  return (chunk) => {
    if (state === "open") onData(chunk);
    if (state !== "closed") return;
    const found = search.push(chunk);
    if (found === "flood" || skipped > UNASKED_BYTES) flood();
    else if (found !== null) {
      state = "open";
      onOpen(found.rest);
      if (found.after.length > 0) onData(found.after);
    }
  };
};
