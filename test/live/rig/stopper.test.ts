import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { createStopper } from "./stopper.ts";

const fixture = () => {
  const signals = new EventEmitter();
  const done: string[] = [];
  const stopper = createStopper({
    on: (signal, handle) => signals.on(signal, handle),
    exit: (status) => void done.push(`exit ${status}`),
  });
  return { signals, done, stopper };
};

it("closes what is open, once for all signals, and ends then", async () => {
  const { signals, done, stopper } = fixture();
  const ending = Promise.withResolvers<void>();
  stopper.own(async () => {
    done.push("rig");
    await ending.promise;
    done.push("closed");
  });
  stopper.own(async () => void done.push("never"))();
  signals.emit("SIGTERM");
  signals.emit("SIGTERM");
  signals.emit("SIGINT");
  expect(stopper.isStopped).toBe(true);
  ending.resolve();
  await expect.poll(() => done).toEqual(["rig", "closed", "exit 130"]);
});

it("lets nothing begin after a signal", async () => {
  const { signals, stopper } = fixture();
  await stopper.mayBegin();
  signals.emit("SIGHUP");
  const began = await Promise.race([
    stopper.mayBegin().then(() => "began"),
    new Promise((resolve) => setImmediate(() => resolve("waits"))),
  ]);
  expect(began).toBe("waits");
});
