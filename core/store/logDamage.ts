// Tells whether a write-ahead log lost something that was committed. SQLite takes the first frame with a wrong checksum for the
// end of the log. That is right after a process died in the middle of a write, but when a frame was damaged later, SQLite
// silently forgets all frames after it. The format is SQLite's (fileformat2, "The WAL File Format").
import { readFileSync, statSync } from "node:fs";
import { endianness } from "node:os";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const WORD_BYTES = 4;
const MAGIC = 0x377f0682;
/** The page size of our databases, for a log whose header is damaged. */
const USUAL_PAGE_BYTES = 4_096;
/** A larger log is not checked, because that would delay the start for too long. An ordinary log has 16 MB. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;

type Sum = readonly [number, number];

/** The log as 32-bit words in the byte order of its checksums; a part that does not fill one is left out. */
const wordsOf = (log: Buffer, isBigEndian: boolean): Uint32Array => {
  // A copy begins where a word may begin.
  const bytes = Buffer.from(new Uint8Array(log.subarray(0, log.length - (log.length % WORD_BYTES))).buffer);
  if (isBigEndian === (endianness() === "LE")) bytes.swap32();
  return new Uint32Array(bytes.buffer);
};

/** SQLite's checksum over pairs of words, going on from `sum`; `from` and `to` are offsets in bytes. */
const add = (sum: Sum, words: Uint32Array, from: number, to: number): Sum => {
  let [first, second] = sum;
  for (let at = from / WORD_BYTES; at + 2 <= to / WORD_BYTES; at += 2) {
    first = (first + (words[at] ?? 0) + second) >>> 0;
    second = (second + (words[at + 1] ?? 0) + first) >>> 0;
  }
  return [first, second];
};
const sumAt = (bytes: Buffer, at: number): Sum => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
const isSame = (a: Sum, b: Sum): boolean => a[0] === b[0] && a[1] === b[1];

/**
 * True when a complete commit follows after the place where SQLite stops reading the log. Each frame is checked only against
 * the checksum that the frame before it states, so a sound frame is found even after damaged ones. A damaged last frame cannot
 * be told from one that was never finished.
 */
export const isLogBroken = (log: Buffer): boolean => {
  if (log.length < HEADER_BYTES) return false;
  const magic = log.readUInt32BE(0);
  const told = wordsOf(log, (magic & ~1) === MAGIC && (magic & 1) === 1);
  const isHeaderSound = (magic & ~1) === MAGIC && isSame(add([0, 0], told, 0, 24), sumAt(log, 24));
  const words = isHeaderSound ? told : wordsOf(log, false);
  const pageBytes = isHeaderSound ? log.readUInt32BE(8) : USUAL_PAGE_BYTES;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let before = sumAt(log, 24);
  let isOver = !isHeaderSound;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const head = add(before, words, at, at + 8);
    const sum = add(head, words, at + FRAME_HEADER_BYTES, at + frameBytes);
    const stated = sumAt(log, at + 16);
    // Frames from before the log was restarted have other salts. With a broken header they cannot be told apart.
    const isOfThisLog = !isHeaderSound || isSame(sumAt(log, at + 8), sumAt(log, 16));
    const isSound = isOfThisLog && isSame(sum, stated);
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (isOver && isSound && isCommit) return true;
    if (!isSound) isOver = true;
    before = stated;
  }
  return false;
};

/** The same for the log beside the database at `path`, which nobody may have open. False if there is no log. */
export const hasBrokenLog = (path: string): boolean => {
  const log = `${path}-wal`;
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && size <= MAX_LOG_BYTES && isLogBroken(readFileSync(log));
};
