// A clock that the test moves: timers fire in the order of their times.
import type { Clock } from "../../core/ports/clock.ts";

export const handClock = (): Clock & { advance(ms: number): void } => {
  let now = 1_000_000;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    setTimer: (delayMs, callback) => {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance: (ms) => {
      now += ms;
      for (;;) {
        const due = timers.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) return;
        timers = timers.filter((one) => one !== due);
        due.callback();
      }
    },
  };
};
