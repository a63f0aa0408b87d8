// Synthetic events that prove delivery. Each carries a nonce that somebody waits for. None is ever applied, whichever target it
// comes from, even when nobody waits for it any more.
import type { Envelope } from "../model/envelope.ts";
import type { Clock } from "../ports/clock.ts";

/** Payload key of a synthetic event. */
const TEST_KEY = "agtmux_test";

export interface TestEvents {
  /** What an event's payload has to carry for `expect(nonce)`. */
  mark(nonce: string): Record<string, string>;
  /** `arrived` resolves with whether it came within `timeoutMs`; `cancel` ends the waiting. */
  expect(nonce: string, timeoutMs: number): { arrived: Promise<boolean>; cancel: () => void };
  /** Takes the synthetic events out of a drained batch. */
  without(envelopes: readonly Envelope[]): Envelope[];
}

export const createTestEvents = (clock: Pick<Clock, "setTimer">): TestEvents => {
  const awaited = new Map<string, () => void>();
  return {
    mark: (nonce) => ({ [TEST_KEY]: nonce }),
    expect: (nonce, timeoutMs) => {
      const { promise: arrived, resolve } = Promise.withResolvers<boolean>();
      const cancelTimer = clock.setTimer(timeoutMs, () => resolve(false));
      awaited.set(nonce, () => resolve(true));
      return {
        arrived,
        cancel: () => {
          cancelTimer();
          awaited.delete(nonce);
          resolve(false);
        },
      };
    },
    without: (envelopes) =>
      envelopes.filter(({ payload }) => {
        const nonce = payload?.[TEST_KEY];
        if (typeof nonce !== "string") return true;
        awaited.get(nonce)?.();
        return false;
      }),
  };
};
