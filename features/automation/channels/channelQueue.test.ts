import { describe, expect, it } from "vitest";
import type { Clock } from "../../../core/ports/clock.ts";
import { testMessage, type ChannelMessage } from "./channelMessage.ts";
import { ChannelQueue } from "./channelSet.ts";
import type { Delivery } from "./delivery.ts";
import { partOf } from "../../../test/fakes/partOf.ts";

const OK: Delivery = { outcome: "delivered" };
const LATER: Delivery = { outcome: "not_delivered", detail: "503", mayRetry: true };
const NEVER: Delivery = { outcome: "not_delivered", detail: "404", mayRetry: false };

const message = (event: ChannelMessage["event"], id: string): ChannelMessage => ({
  ...testMessage(id, { channel: partOf({ name: "phone", include: "state" }), at: 0, redact: (text) => text }),
  event,
});
const show = (id: string) => message("show", id);
const withdraw = (id: string) => message("withdraw", id);

/** Every attempt waits until the test ends it; timers are called by hand. */
const open = () => {
  const attempts: { message: ChannelMessage; end: (delivery: Delivery) => void }[] = [];
  const timers: { delayMs: number; call: () => void }[] = [];
  const clock: Clock = {
    now: () => 1_000,
    setTimer: (delayMs, call) => {
      const timer = { delayMs, call };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
    },
  };
  const failures: string[] = [];
  const queue = new ChannelQueue({
    clock,
    deliver: (one, signal) =>
      new Promise((end) => {
        attempts.push({ message: one, end });
        signal.addEventListener("abort", () => end(NEVER));
      }),
    onNotDelivered: (detail) => failures.push(detail),
  });
  const settle = () => new Promise<void>((done) => setImmediate(done));
  return {
    queue,
    failures,
    timers,
    tried: () => attempts.map((one) => `${one.message.event} ${one.message.id}`),
    last: () => attempts.at(-1)?.message,
    settle,
    end: async (delivery: Delivery) => {
      attempts.at(-1)?.end(delivery);
      await settle();
    },
  };
};

describe("the messages of a channel", () => {
  it("go one at a time and in order, and a channel that hangs holds nobody up", async () => {
    const { queue, tried, settle, end } = open();
    queue.push(show("a"));
    queue.push(show("b"));
    expect(tried()).toEqual([]);
    await settle();
    expect(tried()).toEqual(["show a"]);
    await end(OK);
    expect(tried()).toEqual(["show a", "show b"]);
  });

  it("wait in a bounded number: the oldest are dropped, and the next one that arrives says so", async () => {
    const { queue, settle, end, last, tried } = open();
    queue.push(show("first"));
    await settle();
    for (let index = 0; index < 10_000; index += 1) queue.push(show(`n${index}`));
    expect(queue.state).toMatchObject({ waiting: 20, dropped: 9_980 });
    await end(OK);
    expect([tried().at(-1), last()?.missed]).toEqual(["show n9980", 9_980]);
    await end(OK);
    expect(last()?.missed).toBe(0);
  });

  it("of one watch wait in a small number, and crowd out nothing else", async () => {
    const { queue, settle, end, tried, last } = open();
    queue.push(show("first"));
    await settle();
    queue.push(show("wait"));
    for (let index = 0; index < 10; index += 1) queue.pushFew(show(`job1:${index}`), "job1:", 3);
    queue.pushFew(show("job2:0"), "job2:", 3);
    expect(queue.state).toMatchObject({ waiting: 5, dropped: 7 });
    for (let index = 0; index < 5; index += 1) await end(OK);
    expect(tried()).toEqual([
      "show first",
      "show wait",
      "show job1:7",
      "show job1:8",
      "show job1:9",
      "show job2:0",
    ]);
    // Those that were dropped are told of once, by the first that arrived after them.
    expect(last()?.missed).toBe(0);
  });

  it("are never sent when they are withdrawn before their turn", async () => {
    const { queue, settle, end, tried } = open();
    queue.push(show("a"));
    await settle();
    queue.push(show("b"));
    queue.push(withdraw("b"));
    queue.push(withdraw("never shown"));
    await end(OK);
    expect(tried()).toEqual(["show a"]);
  });

  it("are withdrawn once, also when they were on their way, and not when they never arrived", async () => {
    const { queue, settle, end, tried } = open();
    queue.push(show("a"));
    await settle();
    queue.push(withdraw("a"));
    queue.push(withdraw("a"));
    await end(OK);
    expect(tried()).toEqual(["show a", "withdraw a"]);
    await end(OK);
    expect(tried()).toEqual(["show a", "withdraw a"]);
    queue.push(show("lost"));
    await settle();
    queue.push(withdraw("lost"));
    await end(NEVER);
    expect(tried()).toEqual(["show a", "withdraw a", "show lost"]);
  });

  it("are tried three times where that may help, and the reason is kept", async () => {
    const { queue, settle, end, timers, tried, failures } = open();
    queue.push(show("a"));
    await settle();
    for (const delayMs of [1_000, 5_000]) {
      await end(LATER);
      expect(timers.map((timer) => timer.delayMs)).toEqual([delayMs]);
      timers[0]?.call();
      await settle();
    }
    await end(LATER);
    expect(tried()).toEqual(["show a", "show a", "show a"]);
    expect(queue.state.last).toEqual({
      at: "1970-01-01T00:00:01.000Z",
      outcome: "not_delivered",
      detail: "503",
    });
    expect([timers, failures]).toEqual([[], ["503"]]);
  });

  it("let a test go first, once", async () => {
    const { queue, settle, end, tried, timers } = open();
    queue.push(show("a"));
    await settle();
    queue.push(show("b"));
    const tested = queue.test(message("test", "t"));
    await end(OK);
    expect(tried()).toEqual(["show a", "test t"]);
    await end(LATER);
    expect([await tested, timers]).toEqual([LATER, []]);
  });

  it("end with the channel: what hangs is aborted, what waits is not sent", async () => {
    const { queue, settle, tried, end } = open();
    queue.push(show("a"));
    await settle();
    queue.push(show("b"));
    const tested = queue.test(message("test", "t"));
    await queue.close();
    expect((await tested).outcome).toBe("not_delivered");
    expect(await queue.test(message("test", "u"))).toMatchObject({ outcome: "not_delivered" });
    queue.push(show("c"));
    await end(OK);
    expect(tried()).toEqual(["show a"]);
  });
});
