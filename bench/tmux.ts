// What each kind of look costs a tmux server with 200 panes in 20 sessions, and us, over its socket. The daemon's own pace is
// measured by the part `idle`. Linux only (reads /proc).
import { createSystemClock, createIdSource } from "../core/daemon/systemClock.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { createLocalExecutor } from "../core/targets/executors/localExecutor.ts";
import { captureScreens, listTopology, probeTopology } from "../core/tmux/topology.ts";
import { createProcessTree } from "../core/tmux/processTree.ts";
import { createTmuxServer } from "../core/tmux/tmuxServer.ts";
import { createPrivateTmux } from "../test/harness/privateTmux.ts";
import { callsOn } from "../test/harness/tmuxCalls.ts";
import { until } from "../test/setup/realClock.ts";
import type { BenchOptions, Measured } from "./report/model.ts";
import { ms } from "./report/words.ts";

const SESSIONS = 20;
const PANES_PER_SESSION = 10;
const ROUNDS = 60;

interface Step {
  step: string;
  /** CPU per round in ms. */
  serverCpuMs: number;
  ownCpuMs: number;
  wallMs: number;
}

export const benchTmux = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const [sessions, rounds] = isQuick ? [1, 2] : [SESSIONS, ROUNDS];
  const tmux = createPrivateTmux();
  const clock = createSystemClock();
  const ids = createIdSource(() => clock.now());
  const executor = createLocalExecutor({ targetId: "host", env: { ...process.env } });
  const server = createTmuxServer({
    executor,
    calls: callsOn(executor, tmux.socketPath),
    clock,
    makeNonce: () => ids.nonce(),
    logger: SILENT_LOGGER,
  });
  try {
    for (let session = 0; session < sessions; session++) {
      await tmux.newSession(`s${session}`);
      for (let pane = 1; pane < PANES_PER_SESSION; pane++)
        await (pane % 2 === 1
          ? tmux.run("split-window", "-d", "-t", `s${session}:`, "exec cat")
          : tmux.run("new-window", "-t", `s${session}:`, "exec cat"));
    }
    await probeTopology(server);
    await until(() => server.mode === "direct", "it is asked directly");
    const listing = await listTopology(server, () => ids.nonce());
    if (listing.status !== "ok") throw new Error("bench tmux: no listing");
    const panePids = listing.panes.map((pane) => pane.panePid);
    const paneIds = listing.panes.map((pane) => pane.paneId);
    const processes = createProcessTree({ executor, platform: process.platform, clock });
    const trees = [...(await processes.ofPanes(panePids)).values()].flatMap((tree) => tree.slice(0, 1));

    const measure = async (step: string, work: () => Promise<unknown>): Promise<Step> => {
      await work();
      const serverFrom = await tmux.cpuMs();
      const ownFrom = process.cpuUsage();
      const from = performance.now();
      for (let round = 0; round < rounds; round++) {
        await work();
      }
      const wallMs = (performance.now() - from) / rounds;
      const own = process.cpuUsage(ownFrom);
      // The question for the server's CPU is a client of its own, about 1 ms over all rounds.
      const serverCpuMs = ((await tmux.cpuMs()) - serverFrom) / rounds;
      return { step, serverCpuMs, ownCpuMs: (own.user + own.system) / 1_000 / rounds, wallMs };
    };
    const steps = [
      await measure("probe", () => probeTopology(server)),
      await measure("full listing", () => listTopology(server, () => ids.nonce())),
      await measure("capture of 10 screens", () => captureScreens(server, paneIds.slice(0, 10))),
      await measure("processes of all panes", () => processes.ofPanes(panePids)),
      await measure("verification of all processes", () =>
        Promise.all(trees.map((info) => processes.verify(info.pid, info.startedAt))),
      ),
    ];
    return {
      name: "tmux",
      title: "One look at tmux",
      how: `What each kind of look at a real tmux server with ${paneIds.length} panes costs, over its socket, ${rounds} rounds each, measured in the process of the bench. The probe asks for all panes, the full listing for all that is shown of them. While nothing moves, two looks of three ask for less than a probe does; they are not in this table, but in that of the idle daemon.`,
      tables: [
        {
          caption: "One look",
          head: ["", "by the clock", "CPU of tmux", "CPU of ours"],
          rows: steps.map(({ step, wallMs, serverCpuMs, ownCpuMs }) => [
            step,
            ms(wallMs),
            ms(serverCpuMs),
            ms(ownCpuMs),
          ]),
        },
      ],
      checks: [],
      notes: [],
      figures: { panes: paneIds.length, steps },
    };
  } finally {
    await server.close();
    await executor.close();
    await tmux.close();
  }
};
