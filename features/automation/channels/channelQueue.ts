// The messages of one channel on their way out: one at a time, a bounded number waiting, a few tries each. A channel that hangs
// delays nothing but its own messages. What was withdrawn before its turn is never sent.
import type { ChannelResult } from "../../../core/model/channel.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { ChannelMessage } from "./channelMessage.ts";
import type { Delivery } from "./delivery.ts";

const MAX_WAITING = 20;
/** Notifications that may still be withdrawn. */
const MAX_SHOWN = 500;
/** Pauses before the second and the third try. */
const RETRY_MS = [1_000, 5_000];

interface Waiting {
  readonly message: ChannelMessage;
  /** A test is tried once, and somebody waits for its result. */
  readonly settle: ((delivery: Delivery) => void) | null;
}

export interface ChannelQueueDeps {
  readonly clock: Clock;
  /** One attempt. */
  readonly deliver: (message: ChannelMessage, signal: AbortSignal) => Promise<Delivery>;
  readonly onNotDelivered: (detail: string) => void;
}

const CLOSED: Delivery = { outcome: "not_delivered", detail: "the channel was closed", mayRetry: false };

export class ChannelQueue {
  private readonly deps: ChannelQueueDeps;
  private readonly aborter = new AbortController();
  private readonly waiting: Waiting[] = [];
  private readonly shown = new Set<string>();
  private running: Promise<void> | null = null;
  private missed = 0;
  private droppedEver = 0;
  private lastResult: ChannelResult | null = null;

  constructor(deps: ChannelQueueDeps) {
    this.deps = deps;
  }

  get state(): { waiting: number; dropped: number; last: ChannelResult | null } {
    return { waiting: this.waiting.length, dropped: this.droppedEver, last: this.lastResult };
  }

  /** Returns at once. `most`: so many whose ids begin in the same way may wait, then the oldest of them is dropped. */
  pushFew(message: ChannelMessage, beginning: string, most: number): void {
    const isSame = ({ message: { id } }: Waiting): boolean => id.startsWith(beginning);
    if (this.waiting.filter(isSame).length >= most) this.dropOldest(isSame);
    this.push(message);
  }

  /** Returns at once. */
  push(message: ChannelMessage): void {
    if (this.aborter.signal.aborted || (message.event === "withdraw" && this.isTakenBack(message.id))) return;
    if (this.waiting.length >= MAX_WAITING) this.dropOldest(({ settle }) => settle === null);
    // It may be on its way when its withdrawal comes.
    if (message.event === "show") this.remember(message.id);
    this.waiting.push({ message, settle: null });
    this.run();
  }

  /** Sends before all that waits, with one attempt; never rejects. */
  test(message: ChannelMessage): Promise<Delivery> {
    if (this.aborter.signal.aborted) return Promise.resolve(CLOSED);
    return new Promise((settle) => {
      this.waiting.unshift({ message, settle });
      this.run();
    });
  }

  /** Ends what is under way; nothing is sent afterwards. */
  async close(): Promise<void> {
    this.aborter.abort();
    for (const { settle } of this.waiting.splice(0)) settle?.(CLOSED);
    await this.running;
  }

  /** Whether there is nothing to withdraw: it never went out, or waited and now does not, or is being withdrawn. */
  private isTakenBack(id: string): boolean {
    const at = this.waiting.findIndex(({ message }) => message.id === id);
    if (at === -1) return !this.shown.has(id);
    if (this.waiting[at]?.message.event === "show") {
      this.waiting.splice(at, 1);
      this.shown.delete(id);
    }
    return true;
  }

  private remember(id: string): void {
    this.shown.delete(id);
    this.shown.add(id);
    const [oldest] = this.shown;
    if (this.shown.size > MAX_SHOWN && oldest !== undefined) this.shown.delete(oldest);
  }

  private dropOldest(mayDrop: (one: Waiting) => boolean): void {
    const at = this.waiting.findIndex(mayDrop);
    const [dropped] = at === -1 ? [] : this.waiting.splice(at, 1);
    if (dropped?.message.event !== "show") return;
    this.shown.delete(dropped.message.id);
    this.missed += 1;
    this.droppedEver += 1;
  }

  private run(): void {
    this.running ??= this.sendAll().finally(() => {
      this.running = null;
      if (this.waiting.length > 0) this.run();
    });
  }

  private async sendAll(): Promise<void> {
    // Nothing of a delivery happens within the caller's turn.
    await Promise.resolve();
    for (;;) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (next.message.event === "withdraw" && !this.shown.delete(next.message.id)) continue;
      const { missed } = this;
      const delivery = await this.tryOften({ ...next.message, missed }, next.settle === null ? RETRY_MS : []);
      if (delivery.outcome === "delivered") this.missed -= missed;
      else if (next.message.event === "show") this.shown.delete(next.message.id);
      this.note(next.message, delivery);
      next.settle?.(delivery);
    }
  }

  private async tryOften(message: ChannelMessage, pauses: readonly number[]): Promise<Delivery> {
    const { signal } = this.aborter;
    for (const pause of [...pauses, null]) {
      if (signal.aborted) return CLOSED;
      const delivery = await this.deps.deliver(message, signal).catch((error: unknown): Delivery => ({
        outcome: "not_delivered",
        detail: error instanceof Error ? error.name : "it failed",
        mayRetry: false,
      }));
      if (delivery.outcome === "delivered" || !delivery.mayRetry || pause === null) return delivery;
      await this.pause(pause);
    }
    return CLOSED;
  }

  private pause(delayMs: number): Promise<void> {
    const { signal } = this.aborter;
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.deps.clock.setTimer(delayMs, end);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  private note({ event }: ChannelMessage, delivery: Delivery): void {
    const detail = delivery.outcome === "delivered" ? "" : delivery.detail;
    if (delivery.outcome === "not_delivered") this.deps.onNotDelivered(detail);
    // Not every server can withdraw, and then all else still works.
    if (event === "withdraw") return;
    const at = new Date(this.deps.clock.now()).toISOString();
    this.lastResult = { at, outcome: delivery.outcome, detail };
  }
}
