// The tmux server under the daemon: killed and started again with the same pane ids, or standing still.
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS, type FaultHarness } from "./faultHarness.ts";
import { injectFault, timed } from "./injectFault.ts";
import type { Outcome } from "./outcome.ts";

/** The rows' agents and panes as they were: none of them may come back. */
export const crashedServer = (times: number): Promise<Outcome> =>
  injectFault({ fault: "tmux server killed, pane ids reused", times }, async (trial) => {
    const { harness } = trial;
    await trial.rounds(async () => {
      const old = new Set((await harness.look()).map(({ identity }) => identity.runtime_id));
      process.kill(await harness.tmux.serverPid(), "SIGKILL");
      for (const { player } of Object.values(harness.agents))
        await until(() => !player.isAlive(), "the agents went with their server", LIMIT_MS);
      await harness.replay();
      const tookMs = await harness.untilTrueAfterChange();
      const now = await harness.look();
      if (now.some(({ identity }) => old.has(identity.runtime_id)))
        throw new Error("an agent of the old server is taken for one of the new");
      harness.drop();
      await harness.untilDrained();
      return tookMs;
    });
    return "";
  });

const go = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It was ended meanwhile, which is right.
  }
};

/** Asks for the lists for `forMs`; resolves with the longest that an answer took, in ms. */
const slowestLook = async (harness: FaultHarness, forMs: number): Promise<number> => {
  let slowestMs = 0;
  const over = performance.now() + forMs;
  while (performance.now() < over) {
    slowestMs = Math.max(slowestMs, await timed(() => harness.look()));
    await wait(50);
  }
  return slowestMs;
};

/** For `stillMs` each time. */
export const wedgedTmux = (times: number, stillMs: number): Promise<Outcome> =>
  injectFault({ fault: "tmux server stands still", times }, async (trial) => {
    const { harness } = trial;
    const stopped: number[] = [];
    let slowestMs = 0;
    try {
      await trial.rounds(async () => {
        const pid = await harness.tmux.serverPid();
        go(pid, "SIGSTOP");
        stopped.push(pid);
        harness.drop(10);
        slowestMs = Math.max(slowestMs, await slowestLook(harness, stillMs));
        go(pid, "SIGCONT");
        await harness.turnWaiting();
        const tookMs = await harness.untilTrueAfterChange();
        await harness.untilDrained();
        return tookMs;
      });
    } finally {
      for (const pid of stopped) go(pid, "SIGCONT");
    }
    return `slowest list meanwhile ${slowestMs.toFixed(0)} ms`;
  });
