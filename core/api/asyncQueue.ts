// A bounded queue from callbacks to one async consumer. When the consumer is too slow, the queue is emptied and the consumer is
// told, so that memory stays bounded.

export class AsyncQueue<T> implements AsyncIterable<T | "overflow"> {
  private items: T[] = [];
  private isOverflown = false;
  private wake: (() => void) | null = null;
  private readonly signal: AbortSignal;
  private readonly limit: number;

  constructor(options: { signal: AbortSignal; limit: number }) {
    this.signal = options.signal;
    this.limit = options.limit;
    this.signal.addEventListener("abort", () => this.wake?.(), { once: true });
  }

  push(item: T): void {
    if (this.items.length >= this.limit) {
      this.items = [];
      this.isOverflown = true;
    }
    if (!this.isOverflown) this.items.push(item);
    this.wake?.();
  }

  /** Ends when the signal aborts. Yields "overflow" where items were lost. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T | "overflow"> {
    while (!this.signal.aborted) {
      if (this.isOverflown) {
        this.isOverflown = false;
        this.items = [];
        yield "overflow";
        continue;
      }
      const item = this.items.shift();
      if (item !== undefined) {
        yield item;
        continue;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.wake = null;
    }
  }
}
