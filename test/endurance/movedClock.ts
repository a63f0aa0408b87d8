// The real clock, which can be moved on: what was due in between happens at once, in its order.
import type { Clock } from "../../core/ports/clock.ts";
import { realClock, until } from "../setup/realClock.ts";

export interface MovedClock extends Clock {
  /** Moves on by so many milliseconds. */
  skip(ms: number): void;
}

interface Timer {
  due: number;
  fire: () => void;
}

export const createMovedClock = (): MovedClock => {
  let ahead = 0;
  const timers = new Set<Timer>();
  const now = (): number => realClock.now() + ahead;
  return {
    now,
    setTimer: (delayMs, callback) => {
      const stop = (): void => {
        timers.delete(timer);
        cancel();
      };
      const timer: Timer = {
        due: now() + delayMs,
        fire: () => {
          stop();
          callback();
        },
      };
      const cancel = realClock.setTimer(delayMs, timer.fire);
      timers.add(timer);
      return stop;
    },
    skip: (ms) => {
      ahead += ms;
      const due = [...timers].filter((timer) => timer.due <= now()).toSorted((a, b) => a.due - b.due);
      // One of them may cancel another.
      for (const timer of due) if (timers.has(timer)) timer.fire();
    },
  };
};

/**
 * As `until`, while the clock runs five times as fast as it is: what the machine itself has to do still fits into the limits that
 * it has for it.
 */
export const untilSooner = async (
  clock: MovedClock,
  isTrue: () => boolean,
  what: string,
  timeoutMs: number,
): Promise<void> => {
  const hurry = setInterval(() => clock.skip(200), 50);
  try {
    await until(isTrue, what, timeoutMs);
  } finally {
    clearInterval(hurry);
  }
};
