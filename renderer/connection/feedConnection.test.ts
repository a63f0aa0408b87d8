import { describe, expect, it } from "vitest";
import { FeedConnection, type FeedConnectionDeps } from "./feedConnection.ts";

type Handlers = Parameters<FeedConnectionDeps<string>["subscribe"]>[0];

const setUp = (options: { isVisible?: boolean } = {}) => {
  const attempts: Handlers[] = [];
  const timers: { delayMs: number; callback: () => void }[] = [];
  const entries: string[] = [];
  const losses: (number | null)[] = [];
  const state = { isVisible: options.isVisible ?? true, unsubscribed: 0 };
  const connection = new FeedConnection<string>({
    subscribe: (handlers) => {
      attempts.push(handlers);
      return { unsubscribe: () => (state.unsubscribed += 1) };
    },
    onEntry: (entry) => entries.push(entry),
    onLost: (_error, retryInMs) => losses.push(retryInMs),
    setTimer: (delayMs, callback) => {
      const timer = { delayMs, callback };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
    isVisible: () => state.isVisible,
  });
  const last = (): Handlers => {
    const handlers = attempts.at(-1);
    if (handlers === undefined) throw new Error("nothing was subscribed");
    return handlers;
  };
  const fireTimer = () => timers.shift()?.callback();
  return { connection, attempts, timers, entries, losses, state, last, fireTimer };
};

describe("FeedConnection", () => {
  it("waits longer after each failure, up to fifteen seconds, and starts over after a success", () => {
    const { connection, losses, last, fireTimer } = setUp();
    connection.open();
    for (let attempt = 0; attempt < 7; attempt += 1) {
      last().onError(new Error("gone"));
      fireTimer();
    }
    expect(losses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    last().onData("snapshot");
    last().onError(new Error("gone"));
    expect(losses.at(-1)).toBe(500);
  });

  it("retries nothing while hidden and at once when shown", () => {
    const { connection, attempts, timers, losses, state, last } = setUp({ isVisible: false });
    connection.open();
    last().onError(new Error("gone"));
    expect([timers.length, losses]).toEqual([0, [null]]);
    state.isVisible = true;
    connection.retryNow();
    expect(attempts).toHaveLength(2);
  });

  it("treats a stream that ends as lost", () => {
    const { connection, losses, last } = setUp();
    connection.open();
    last().onComplete();
    expect(losses).toEqual([500]);
  });

  it("opens one subscription only, however often it is asked", () => {
    const { connection, attempts, timers, last, fireTimer } = setUp();
    connection.open();
    connection.open();
    connection.retryNow();
    expect(attempts).toHaveLength(1);
    last().onError(new Error("gone"));
    connection.retryNow();
    expect([attempts.length, timers.length]).toEqual([2, 0]);
    fireTimer();
    expect(attempts).toHaveLength(2);
  });

  it("ignores what an ended attempt still reports", () => {
    const { connection, entries, losses, attempts, last } = setUp();
    connection.open();
    last().onError(new Error("gone"));
    attempts[0]?.onData("late");
    attempts[0]?.onError(new Error("again"));
    expect([entries, losses]).toEqual([[], [500]]);
  });

  it("leaves nothing behind when closed", () => {
    const { connection, state, timers, losses, last } = setUp();
    connection.open();
    connection.close();
    last().onError(new Error("closed"));
    expect([state.unsubscribed, timers.length, losses.length]).toEqual([1, 0, 0]);
  });
});
