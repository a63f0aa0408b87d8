// The real daemon as a real process, in short: it starts, answers, and stops when it is told to. The rest is in daemon.slow.test.ts.
import { once } from "node:events";
import { expect, test } from "vitest";
import { useRealDaemon } from "./testing/realDaemon.ts";

const real = useRealDaemon();

test("daemon stop ends the process itself, also one on demand that had clients", async () => {
  const daemon = await real.startDaemon(["--on-demand"]);
  await real.home.run(["list", "panes"]);
  const exited = once(daemon, "exit");
  expect((await real.home.run(["daemon", "stop"])).stdout).toBe("Stopped.\n");
  await exited;
  expect(daemon.exitCode).toBe(0);
}, 60_000);
