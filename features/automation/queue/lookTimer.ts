// What everything that acts unattended shares: it looks again when its last look said, has its works under way, and counts what an
// agent told meanwhile.
import { endsWithin } from "../../../core/model/endsWithin.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { storeFailureOf } from "../../../core/ports/store.ts";

/** Whether the events that its agent has told are taken in, within `limitMs`; false also where they cannot be read. */
export const isHeard = (
  { sends, clock }: FeatureContext,
  runtimeId: string,
  limitMs: number,
): Promise<boolean> =>
  // Why is logged where they are read.
  endsWithin(sends.takeEvents(runtimeId), limitMs, clock).catch(() => false);

export class LookTimer {
  /** Works that a look began, by runtime or job. */
  readonly busy = new Map<string, Promise<void>>();
  isClosed = false;
  private readonly context: FeatureContext;
  private readonly look: () => void;
  private readonly what: string;
  private cancel: () => void = () => {};

  /** `what`: whose looks they are, for the log. */
  constructor(context: FeatureContext, what: string, look: () => void) {
    this.context = context;
    this.what = what;
    this.look = look;
  }

  /** Looks at once. @throws what the look throws; a store that is away is only waited for. */
  now(): void {
    if (this.isClosed) return;
    try {
      this.look();
    } catch (error) {
      if (storeFailureOf(error) === null) throw error;
      this.context.logger.warn({ error }, `a look at ${this.what} waits for the store`);
    }
  }

  /** Looks in a while, and not when it was meant to before. */
  in(delayMs: number): void {
    this.cancel();
    if (this.isClosed) return;
    this.cancel = this.context.clock.setTimer(delayMs, () => {
      try {
        this.now();
      } catch (error) {
        this.context.logger.error({ error }, `a look at ${this.what} failed`);
      }
    });
  }

  /** Resolves when the work has ended. `onError` gets its failure. */
  async begin(key: string, work: Promise<void>, onError: (error: unknown) => void): Promise<void> {
    const ended = work.catch(onError).finally(() => this.busy.delete(key));
    this.busy.set(key, ended);
    await ended;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await Promise.all(this.busy.values());
  }
}
