// A connection whose other end is gone without a word (half-open TCP) while an agent over there works: what its machine is
// seen as until then, and that the next connection goes on. Cuts, frozen sshds and wedged shells are in test/ssh.
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { openRemoteTargets } from "../ssh/remoteTargetsHarness.ts";
import { createProxy } from "../ssh/proxy.ts";
import { createSshServer } from "../ssh/sshServer.ts";
import { LIMIT_MS } from "./faultHarness.ts";
import { memoryMb } from "./memory.ts";
import type { Outcome } from "./outcome.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
/** A connection that broke sooner would make the pauses before the next one grow with each round, to a minute and a half. */
const HELD_MS = 31_000;

export const halfOpen = async (times: number): Promise<Outcome> => {
  const server = await createSshServer();
  const proxy = await createProxy(server.port);
  await server.addHost("proxied", [`Port ${proxy.port}`]);
  await appendFile(server.knownHosts, server.hostKeyLine.replace(`:${server.port} `, `:${proxy.port} `));
  const remote = createPrivateTmux();
  const player = await createPlayer({
    tmux: { socketArgs: remote.socketArgs },
    home: server.remoteHome,
    recordingsDir: RECORDINGS,
  });
  const remoteTargets = await openRemoteTargets({ server, sockets: [join(remote.folder, "none")] });
  const wrong: string[] = [];
  const stateOf = (): string | null => {
    const row = remoteTargets.rowsOf("vm1").find(({ identity }) => identity.pane_id === player.paneId);
    return row?.state ?? null;
  };
  // Its health is ok from the first look on; a round trip is told only once all of the connection is there.
  const untilUp = (): Promise<void> =>
    until(
      () => remoteTargets.target("vm1")?.health === "ok" && remoteTargets.target("vm1")?.rtt_ms !== null,
      "vm1 is connected",
      LIMIT_MS,
    ).catch((cause: unknown) => {
      throw new Error(`vm1 is ${JSON.stringify(remoteTargets.target("vm1"))}`, { cause });
    });
  const untilState = (state: string): Promise<void> =>
    until(() => stateOf() === state, `the far agent is ${state}`, LIMIT_MS);
  try {
    await remoteTargets.add({
      name: "vm1",
      alias: "proxied",
      transport: "ssh2",
      socketPath: remote.socketPath,
    });
    await untilUp();
    await player.frame("waiting_approval");
    await untilState("waiting_approval");
    const before = memoryMb(process.pid);
    let worstMs = 0;
    for (let round = 0; round < times; round += 1) {
      if (round > 0) await wait(HELD_MS);
      const from = performance.now();
      proxy.vanish();
      // Nobody can see the change: the old state may be claimed only until the silence is noticed.
      await player.frame(round % 2 === 0 ? "tool_running" : "waiting_approval");
      await remoteTargets.untilHealth("vm1", "down", LIMIT_MS);
      if (stateOf() !== null && stateOf() !== "unknown") wrong.push(`${stateOf()} of a machine that is gone`);
      await untilUp();
      await untilState(round % 2 === 0 ? "running" : "waiting_approval");
      worstMs = Math.max(worstMs, performance.now() - from);
    }
    return {
      fault: "half-open connection",
      times,
      recovered: times,
      lost: 0,
      wrong: wrong.length,
      worstMs,
      // One round, among faults that share this process, says nothing of its memory; a hundred alone do.
      memoryMb: [before, times === 1 ? before : memoryMb(process.pid)],
      note: "ssh2; the memory is that of the test with the daemon in it",
    };
  } finally {
    await remoteTargets.daemon.close();
    await player.close();
    await proxy.close();
    await server.close();
    await remote.close();
  }
};
