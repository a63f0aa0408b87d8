// A byte queue: bytes are added at the end and taken off at the front. However small the pieces are, every byte is copied a
// bounded number of times, and every search goes on where the last one ended.

const SMALLEST = 4_096;
/** Memory that grew beyond this is freed once the buffer is empty. */
const LARGEST_KEPT = 256 * 1024;

export class GrowingBuffer {
  private store = Buffer.allocUnsafe(SMALLEST);
  private from = 0;
  private to = 0;

  get length(): number {
    return this.to - this.from;
  }

  push(chunk: Buffer): void {
    if (this.to + chunk.length > this.store.length) this.makeRoom(chunk.length);
    this.to += chunk.copy(this.store, this.to);
  }

  private makeRoom(more: number): void {
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

/** Finds a mark in a buffer to which bytes are added, looking at each byte once. */
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
