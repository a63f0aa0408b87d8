// A connection whose other end is gone without a word (half-open TCP) while an agent over there works: what its machine is
// seen as until then, and that the next connection goes on. Cuts, frozen sshds and wedged shells are in test/ssh.
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { openFleet } from "../ssh/fleetScene.ts";
import { createProxy } from "../ssh/proxy.ts";
import { createSshServer } from "../ssh/sshServer.ts";
import { LIMIT_MS, memoryMb } from "./faultScene.ts";
import type { Outcome } from "./outcome.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));

export const halfOpen = async (times: number): Promise<Outcome> => {
  const server = await createSshServer();
  const proxy = await createProxy(server.port);
  await server.addHost("proxied", [`Port ${proxy.port}`]);
  await appendFile(server.knownHosts, server.hostKeyLine.replace(`:${server.port} `, `:${proxy.port} `));
  const far = createPrivateTmux();
  const player = await createPlayer({
    tmux: { socketArgs: far.socketArgs },
    home: server.farHome,
    recordingsDir: RECORDINGS,
  });
  const fleet = await openFleet({ server, sockets: [join(far.folder, "none")] });
  const wrong: string[] = [];
  const stateOf = (): string | null => {
    const row = fleet.rowsOf("vm1").find(({ identity }) => identity.pane_id === player.paneId);
    return row?.state ?? null;
  };
  const untilState = (state: string): Promise<void> =>
    until(() => stateOf() === state, `the far agent is ${state}`, LIMIT_MS);
  try {
    await fleet.add({ name: "vm1", alias: "proxied", transport: "ssh2", socketPath: far.socketPath });
    await fleet.untilHealth("vm1", "ok", LIMIT_MS);
    await player.frame("waiting_approval");
    await untilState("waiting_approval");
    const before = memoryMb(process.pid);
    let worstMs = 0;
    for (let round = 0; round < times; round += 1) {
      const from = performance.now();
      proxy.vanish();
      // Nobody can see the change: the old state may be claimed only until the silence is noticed.
      await player.frame(round % 2 === 0 ? "tool_running" : "waiting_approval");
      await fleet.untilHealth("vm1", "down", LIMIT_MS);
      if (stateOf() !== null && stateOf() !== "unknown") wrong.push(`${stateOf()} of a machine that is gone`);
      await fleet.untilHealth("vm1", "ok", LIMIT_MS);
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
      memoryMb: [before, memoryMb(process.pid)],
      note: "ssh2; the memory is that of the test with the daemon in it",
    };
  } finally {
    await fleet.daemon.close();
    await player.close();
    await proxy.close();
    await server.close();
    await far.close();
  }
};
