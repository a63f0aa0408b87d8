import { expect, it } from "vitest";
import { createWakeUp, type WakeUpDeps } from "./startTicking.ts";

it("looks at every target and retries what is lost, once for all who tell it", async () => {
  let now = 1_000;
  const looked: string[] = [];
  const connected = (name: string) => ({ collector: { rescan: () => looked.push(name) } });
  // Of a unit only its collector is touched.
  const all = [connected("host"), connected("vm")] as unknown as ReturnType<
    WakeUpDeps["connectedTargets"]["all"]
  >;
  const lookNow = createWakeUp({
    connectedTargets: { all: () => all },
    targetService: {
      retryNow: () => {
        looked.push("retry");
        return Promise.resolve();
      },
    },
    clock: { now: () => now },
  });
  await Promise.all([lookNow(), lookNow(), lookNow()]);
  now += 4_000;
  await lookNow();
  expect(looked.splice(0)).toEqual(["host", "vm", "retry"]);
  now += 2_000;
  await lookNow();
  expect(looked).toEqual(["host", "vm", "retry"]);
});
