import { expect, it } from "vitest";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { TargetService } from "../connections/targetService.ts";
import { createWakeUp } from "./service.ts";

it("looks at every target and retries what is lost, once for all who tell it", async () => {
  let now = 1_000;
  const looked: string[] = [];
  const connected = (name: string) => ({ collector: { rescan: () => looked.push(name) } });
  const all = [connected("host"), connected("vm")];
  const lookNow = createWakeUp({
    // Of a target only its collector is touched.
    connectedTargets: { all: () => all } as unknown as ConnectedTargets,
    targetService: {
      retryNow: () => {
        looked.push("retry");
        return Promise.resolve();
      },
    } as unknown as TargetService,
    clock: { now: () => now, setTimer: () => () => {} },
  });
  await Promise.all([lookNow(), lookNow(), lookNow()]);
  now += 4_000;
  await lookNow();
  expect(looked.splice(0)).toEqual(["host", "vm", "retry"]);
  now += 2_000;
  await lookNow();
  expect(looked).toEqual(["host", "vm", "retry"]);
});
