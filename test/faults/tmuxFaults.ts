// The tmux server under the daemon: killed and started anew with the same pane ids, or standing still; and the daemon's own
// connection to it wedged.
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS, memoryMb, openFaultScene } from "./faultScene.ts";
import { countLost, type Outcome } from "./outcome.ts";

/** The rows' agents and panes as they were: none of them may come back. */
export const crashedServer = async (times: number): Promise<Outcome> => {
  const scene = await openFaultScene();
  try {
    const daemon = await scene.start();
    await scene.untilTrue();
    const before = memoryMb(daemon.pid);
    let [recovered, worstMs] = [0, 0];
    for (let round = 0; round < times; round += 1) {
      const old = new Set((await scene.look()).map(({ identity }) => identity.runtime_id));
      process.kill(await scene.tmux.serverPid(), "SIGKILL");
      for (const { player } of Object.values(scene.agents))
        await until(() => !player.isAlive(), "the agents went with their server", LIMIT_MS);
      await scene.replay();
      worstMs = Math.max(worstMs, await scene.untilTrueAfterChange());
      const now = await scene.look();
      if (now.some(({ identity }) => old.has(identity.runtime_id)))
        throw new Error("an agent of the old server is taken for one of the new");
      scene.drop();
      await scene.untilDrained();
      recovered += 1;
    }
    return {
      fault: "tmux server killed, pane ids reused",
      times,
      recovered,
      lost: countLost(scene.dropped, scene.stored()),
      wrong: scene.wrong.length,
      worstMs,
      memoryMb: [before, memoryMb(daemon.pid)],
      note: "",
    };
  } finally {
    await scene.close();
  }
};

const go = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It was ended meanwhile, which is right.
  }
};

/** `what`: the tmux server stands still for a while, or the daemon's control client for good. */
export const wedgedTmux = async (
  what: "server" | "control client",
  times: number,
  stillMs: number,
): Promise<Outcome> => {
  const scene = await openFaultScene();
  const stopped: number[] = [];
  try {
    const daemon = await scene.start();
    await scene.untilTrue();
    const before = memoryMb(daemon.pid);
    let [recovered, worstMs, slowestMs] = [0, 0, 0];
    for (let round = 0; round < times; round += 1) {
      await until(async () => (await scene.tmux.clientPids()).length === 1, "one control client", LIMIT_MS);
      const pids = what === "server" ? [await scene.tmux.serverPid()] : await scene.tmux.clientPids();
      for (const pid of pids) go(pid, "SIGSTOP");
      stopped.push(...pids);
      for (let index = 0; index < 10; index += 1) scene.drop();
      const over = performance.now() + stillMs;
      while (performance.now() < over) {
        const asked = performance.now();
        await scene.look();
        slowestMs = Math.max(slowestMs, performance.now() - asked);
        await wait(50);
      }
      if (what === "server") for (const pid of pids) go(pid, "SIGCONT");
      const { waiting } = scene.agents;
      waiting.state = waiting.state === "waiting_approval" ? "running" : "waiting_approval";
      await waiting.player.frame(waiting.state === "running" ? "tool_running" : "waiting_approval");
      worstMs = Math.max(worstMs, await scene.untilTrueAfterChange());
      await scene.untilDrained();
      recovered += 1;
    }
    return {
      fault: `tmux ${what} stands still`,
      times,
      recovered,
      lost: countLost(scene.dropped, scene.stored()),
      wrong: scene.wrong.length,
      worstMs,
      memoryMb: [before, memoryMb(daemon.pid)],
      note: `slowest list meanwhile ${slowestMs.toFixed(0)} ms`,
    };
  } finally {
    for (const pid of stopped) go(pid, "SIGCONT");
    await scene.close();
  }
};
