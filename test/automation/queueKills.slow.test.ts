// A share of `npm run kills:queue`: the daemon is killed at any moment while it works queues off; what it was armed with is sent once,
// or said to be unverified.
import { expect, it, vi } from "vitest";
import { bundleDaemon } from "../faults/bundledDaemon.ts";
import { killQueue } from "./kills/killQueue.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

it("killed daemons lose and double nothing of the queue", async () => {
  const report = await killQueue({ main: await bundleDaemon(), kills: 6, agents: 2 });
  expect(report.faults).toEqual([]);
  expect(report.armed).toBeGreaterThanOrEqual(2);
  expect(report.sent + report.unverified).toBe(report.armed);
});
