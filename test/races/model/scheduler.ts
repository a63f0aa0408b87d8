// Hands out the steps of a race one at a time, so that anything can happen between any two of them, and the same plan
// always gives the same race. Time passes only when nothing else can.
import type { Clock } from "../../../core/ports/clock.ts";
import type { Step } from "./modelExecutor.ts";

interface Waiting {
  what: string;
  run: () => void;
}
interface Timer {
  at: number;
  order: number;
  callback: () => void;
}

/** Everything that was resolved has run on until it waits again. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class Scheduler {
  readonly clock: Clock;
  /** What was done, in order, for the report of a race that went wrong. */
  readonly log: string[] = [];
  private readonly waiting: Waiting[] = [];
  private readonly timers = new Set<Timer>();
  private time = 1_000_000;
  private orders = 0;
  private readonly beforeEach: (step: number) => void;
  private steps = 0;

  /** `between` is called at every point at which the world may change: before and after each step. */
  constructor(between: (point: number) => void) {
    this.beforeEach = between;
    this.clock = {
      now: () => this.time,
      setTimer: (delayMs, callback) => {
        const timer = { at: this.time + delayMs, order: (this.orders += 1), callback };
        this.timers.add(timer);
        return () => this.timers.delete(timer);
      },
    };
  }

  readonly step: Step = (what, work) =>
    new Promise((resolve, reject) => {
      this.waiting.push({
        what,
        run: () => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        },
      });
    });

  pass(ms: number): void {
    this.time += ms;
  }

  /** Runs the actors to their end. `choose` picks among `count` steps that could be next. */
  async run(actors: readonly Promise<unknown>[], choose: (count: number) => number): Promise<void> {
    let open = actors.length;
    for (const actor of actors)
      void actor.then(
        () => (open -= 1),
        () => (open -= 1),
      );
    for (;;) {
      await settle();
      if (open === 0) return;
      this.next(choose);
      if ((this.steps += 1) > 5_000)
        throw new Error(`the race does not end: ${this.log.slice(-20).join(" ")}`);
    }
  }

  private next(choose: (count: number) => number): void {
    this.point();
    const [chosen] = this.waiting.length === 0 ? [] : this.waiting.splice(choose(this.waiting.length), 1);
    if (chosen === undefined) this.fireTimer();
    else {
      this.log.push(chosen.what);
      chosen.run();
    }
    this.point();
  }

  private points = 0;
  private point(): void {
    this.beforeEach(this.points);
    this.points += 1;
  }

  private fireTimer(): void {
    const [first] = [...this.timers].toSorted((a, b) => a.at - b.at || a.order - b.order);
    if (first === undefined) throw new Error(`the race is stuck: ${this.log.slice(-20).join(" ")}`);
    this.timers.delete(first);
    this.time = Math.max(this.time, first.at);
    first.callback();
  }
}
