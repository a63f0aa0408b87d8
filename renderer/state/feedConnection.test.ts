import { describe, expect, it } from "vitest";
import { FeedConnection, type FeedConnectionDeps } from "./feedStore.ts";

type Handlers = Parameters<FeedConnectionDeps<string>["subscribe"]>[0];

const setUp = () => {
  const attempts: Handlers[] = [];
  const timers: { delayMs: number; callback: () => void }[] = [];
  const entries: string[] = [];
  const losses: number[] = [];
  const state = { unsubscribed: 0 };
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

  it("has neither a subscription nor a timer while closed, and is opened again at once", () => {
    const { connection, attempts, timers, losses, state, entries, last } = setUp();
    connection.open();
    last().onError(new Error("gone"));
    connection.close();
    expect([timers.length, losses]).toEqual([0, [500]]);
    connection.retryNow();
    expect(attempts).toHaveLength(1);
    connection.open();
    connection.close();
    expect([attempts.length, state.unsubscribed]).toEqual([2, 1]);
    last().onData("late");
    last().onError(new Error("closed"));
    connection.open();
    last().onData("again");
    expect([attempts.length, timers.length, entries, losses]).toEqual([3, 0, ["again"], [500]]);
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
});
