// What everything that acts unattended shares: a timer for its passes, with the work that they began (`LookTimer`), and whether an
// agent's events so far are taken in (`isHeard`).
import { endsWithin } from "../../../core/model/endsWithin.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { storeFailureOf } from "../../../core/ports/store.ts";

/** Whether the events that its agent has sent are taken in, within `limitMs`; false also where they cannot be read. */
export const isHeard = (
  { sends, clock }: FeatureContext,
  runtimeId: string,
  limitMs: number,
): Promise<boolean> =>
  // Why is logged where they are read.
  endsWithin(sends.takeEvents(runtimeId), limitMs, clock).catch(() => false);

export class LookTimer {
  /** Work that a pass began, by runtime or job. */
  readonly busy = new Map<string, Promise<void>>();
  isClosed = false;
  private readonly context: FeatureContext;
  private readonly look: () => void;
  private readonly what: string;
  private cancel: () => void = () => {};

  /** `what`: whose passes they are, for the log. */
  constructor(context: FeatureContext, what: string, look: () => void) {
    this.context = context;
    this.what = what;
    this.look = look;
  }

  /** Runs a pass at once. @throws what the pass throws; a store that is away is only waited for. */
  now(): void {
    if (this.isClosed) return;
    try {
      this.look();
    } catch (error) {
      if (storeFailureOf(error) === null) throw error;
      this.context.logger.warn({ error }, `a look at ${this.what} waits for the store`);
    }
  }

  /** Runs the next pass after `delayMs`, in place of the one that was set before. */
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
