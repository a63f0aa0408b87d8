// The remote shell's output taken apart: the answer that is awaited, the notice that may come, and what nobody asked for. Each has
// a bound; beyond it the stream is no longer trusted. First the byte queue and the search that it rests on: every byte is copied
// and searched a bounded number of times.
import { createFloodGuard } from "../floodGuard.ts";

const SMALLEST = 4_096;
/** Memory that grew beyond this is freed once the buffer is empty. */
const LARGEST_KEPT = 256 * 1024;

/** A byte queue: bytes are added at the end and taken off at the front. */
export class GrowingBuffer {
  private store = Buffer.allocUnsafe(SMALLEST);
  private from = 0;
  private to = 0;

  get length(): number {
    return this.to - this.from;
  }

  push(chunk: Buffer): void {
    if (this.to + chunk.length > this.store.length) this.grow(chunk.length);
    this.to += chunk.copy(this.store, this.to);
  }

  private grow(more: number): void {
    const needed = this.length + more;
    let size = SMALLEST;
    // Twice what is needed, so that the cost of moving stays in proportion to the bytes that arrive.
    while (size < 2 * needed) size *= 2;
    const store = Buffer.allocUnsafe(size);
    this.to = this.store.copy(store, 0, this.from, this.to);
    this.from = 0;
    this.store = store;
  }

  /** The bytes that are there now, without a copy; valid until the next push. */
  get bytes(): Buffer {
    return this.store.subarray(this.from, this.to);
  }

  /** Takes the first `length` bytes off and gives them as a copy. */
  take(length: number): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, length));
    this.drop(length);
    return taken;
  }

  drop(length: number): void {
    this.from = Math.min(this.from + length, this.to);
    if (this.from < this.to) return;
    this.from = 0;
    this.to = 0;
    if (this.store.length > LARGEST_KEPT) this.store = Buffer.allocUnsafe(SMALLEST);
  }
}

/** Finds a mark in a buffer to which bytes are added; a search goes on where the last one ended. */
export class GrowingSearch {
  private readonly mark: Buffer;
  private next: number;

  /** No match before `from` counts. */
  constructor(mark: string, from = 0) {
    this.mark = Buffer.from(mark);
    this.next = from;
  }

  get length(): number {
    return this.mark.length;
  }

  /** Where the mark begins; -1 while it has not come. Nothing may be taken off the buffer between two calls. */
  in(bytes: Buffer): number {
    const found = bytes.indexOf(this.mark, this.next);
    if (found === -1) this.next = Math.max(this.next, bytes.length - this.mark.length + 1);
    return found;
  }
}

/** A glance brings at most twenty files of 16 kB. */
const MAX_NOTICE_BYTES = 1024 * 1024;
/** Bound of everything beside the requested output: errors, and what a login shell printed before the first answer. */
const MAX_FRAME_BYTES = 1024 * 1024;

interface AwaitedAnswer {
  mark: string;
  maxBytes: number;
}

/** How many of the last bytes may be the beginning of `mark`. */
const heldFor = (mark: Buffer, bytes: Buffer): number => {
  let held = Math.min(mark.length - 1, bytes.length);
  while (held > 0 && !bytes.subarray(bytes.length - held).equals(mark.subarray(0, held))) held -= 1;
  return held;
};

class RemoteAnswerSearch {
  readonly maxBytes: number;
  private readonly mark: string;
  private readonly head: GrowingSearch;
  private tail: GrowingSearch | null = null;
  private headAt = -1;

  constructor({ mark, maxBytes }: AwaitedAnswer) {
    this.maxBytes = maxBytes;
    this.mark = mark;
    this.head = new GrowingSearch(`\n${mark} `);
  }

  /** Where the answer's output ends, where its frame ends, and how long the whole answer is; null while it is incomplete. */
  in(bytes: Buffer): { outputEnd: number; frameEnd: number; length: number } | null {
    if (this.tail === null) {
      this.headAt = this.head.in(bytes);
      if (this.headAt === -1) return null;
      this.tail = new GrowingSearch(`\n${this.mark}.\n`, this.headAt);
    }
    const frameEnd = this.tail.in(bytes);
    if (frameEnd === -1) return null;
    return { outputEnd: this.headAt, frameEnd, length: frameEnd + this.tail.length };
  }
}

export const createRemoteStream = (options: {
  nonce: string;
  now: () => number;
  /** `status` null: the end of the answer holds no valid status. When this is called, no answer is awaited any more. */
  onAnswer: (answer: { status: number | null; stdout: Buffer; stderr: string }) => void;
  onNotice: (body: Buffer) => void;
  /** Called once; nothing is read after it. */
  onFlood: (reason: string) => void;
}) => {
  const { nonce, now, onAnswer, onNotice, onFlood } = options;
  const noticeStart = Buffer.from(`\n${nonce}!\n`);
  const guard = createFloodGuard();
  const buffer = new GrowingBuffer();
  let awaited: RemoteAnswerSearch | null = null;
  let noticeEnd: GrowingSearch | null = null;
  let isNoticeDue = false;
  let isClosed = false;

  const close = (): void => {
    isClosed = true;
    buffer.drop(buffer.length);
  };
  const flood = (reason: string): false => {
    close();
    onFlood(reason);
    return false;
  };
  /** Each takes something off the front and gives true; false means that more has to arrive first. */
  const takeNotice = (bytes: Buffer): boolean => {
    if (!isNoticeDue) return flood("it sent what nobody asked for");
    noticeEnd ??= new GrowingSearch(`\n${nonce}.\n`, noticeStart.length);
    const at = noticeEnd.in(bytes);
    if (at === -1)
      return bytes.length > MAX_NOTICE_BYTES ? flood("it sent too much about the events there") : false;
    const body = buffer.take(at).subarray(noticeStart.length);
    buffer.drop(noticeEnd.length);
    noticeEnd = null;
    isNoticeDue = false;
    onNotice(body);
    return true;
  };
  const takeAnswer = (bytes: Buffer, search: RemoteAnswerSearch): boolean => {
    const found = search.in(bytes);
    if (found === null)
      return bytes.length > search.maxBytes + MAX_FRAME_BYTES ? flood("it answered too much") : false;
    const frame = bytes.subarray(found.outputEnd, found.frameEnd).toString("utf8");
    const stdout = Buffer.from(bytes.subarray(0, found.outputEnd));
    buffer.drop(found.length);
    awaited = null;
    const [, status, stderr = ""] = /^\n\S+ (\d{1,3})\n(.*)$/s.exec(frame) ?? [];
    onAnswer({ status: status === undefined ? null : Number(status), stdout, stderr });
    return true;
  };
  const skipUnasked = (bytes: Buffer): boolean => {
    const at = bytes.indexOf(noticeStart);
    const count = at === -1 ? bytes.length - heldFor(noticeStart, bytes) : at;
    if (count > 0 && !guard.allows(count, now())) return flood("it writes what nobody asked for");
    buffer.drop(count);
    return at !== -1;
  };
  const step = (): boolean => {
    if (isClosed || buffer.length === 0) return false;
    const { bytes } = buffer;
    // Notices stand between answers, never in one: the shell does one thing after another.
    if (bytes.subarray(0, noticeStart.length).equals(noticeStart)) return takeNotice(bytes);
    return awaited === null ? skipUnasked(bytes) : takeAnswer(bytes, awaited);
  };

  return {
    push: (chunk: Buffer): void => {
      if (isClosed) return;
      buffer.push(chunk);
      while (step());
    },
    await: (answer: AwaitedAnswer): void => {
      awaited = new RemoteAnswerSearch(answer);
    },
    /** From now on one notice may come. */
    expectNotice: (): void => {
      isNoticeDue = true;
    },
    /** From now on nothing more is read. */
    close,
  };
};

export type RemoteStream = ReturnType<typeof createRemoteStream>;
