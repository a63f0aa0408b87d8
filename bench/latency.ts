// End to end on this machine, by path: from a dropped event, a drawn dialog and a new pane to the entry that a client of the feed
// receives, with 200 panes of which 20 have an agent.
import { setTimeout as wait } from "node:timers/promises";
import type { PaneView } from "../core/model/view.ts";
import { FeedWatch } from "./feedWatch.ts";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { SPREAD_HEAD, spreadCells } from "./report/words.ts";
import { createHarness, type BenchAgent, type Harness } from "./benchHarness.ts";
import { spreadOf, type Spread } from "./statistics.ts";

/** Between event and dialog, as recorded. */
const DIALOG_GAP_MS = 300;
const QUIET_MS = 4_000;

interface Rounds {
  hooks: number;
  dialogs: number;
  screens: number;
  newPanes: number;
}
const FULL: Rounds = { hooks: 10, dialogs: 20, screens: 1, newPanes: 20 };
const QUICK: Rounds = { hooks: 1, dialogs: 1, screens: 1, newPanes: 1 };

const isState = (agent: BenchAgent, state: string) => (pane: PaneView) =>
  pane.identity.pane_id === agent.paneId && pane.state === state;

/** A sample of one path; the causes never fall into step with the daemon's looks. */
const odd = (round: number): Promise<void> => wait(137 * (1 + (round % 7)));

const measureHooks = async (harness: Harness, feed: FeedWatch, rounds: number): Promise<Spread> => {
  const sample: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const agent of harness.agents) {
      const [event, state] =
        round % 2 === 0 ? (["UserPromptSubmit", "running"] as const) : (["Stop", "completed"] as const);
      const arrived = feed.next(isState(agent, state));
      const at = harness.drop(agent, event, { background_tasks: [] });
      sample.push((await arrived) - at);
    }
  return spreadOf(sample);
};

/** An auto-accept mode makes Claude's permission event need its dialog. */
const measureDialogs = async (harness: Harness, feed: FeedWatch, rounds: number): Promise<Spread> => {
  const sample: number[] = [];
  for (const agent of harness.agents.slice(0, rounds)) {
    agent.frame("running");
    harness.drop(agent, "UserPromptSubmit", { permission_mode: "auto" });
    await wait(700);
    const arrived = feed.next(isState(agent, "waiting_approval"));
    harness.drop(agent, "PermissionRequest", {
      permission_mode: "auto",
      tool_name: "Bash",
      tool_input: { command: "touch approved.txt" },
    });
    await wait(DIALOG_GAP_MS);
    const at = agent.frame("waiting_approval");
    sample.push((await arrived) - at);
    agent.frame("completed");
    harness.drop(agent, "Stop", { background_tasks: [] });
  }
  return spreadOf(sample);
};

/** No agent has sent an event; each shows `before`, then `after`, which only its screen tells. */
const measureScreens = async (
  harness: Harness,
  feed: FeedWatch,
  options: { rounds: number; after: "running" | "waiting_approval"; state: string },
): Promise<Spread> => {
  const sample: number[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, agent] of harness.agents.entries()) {
      await odd(index);
      const arrived = feed.next(isState(agent, options.state));
      const at = agent.frame(options.after);
      sample.push((await arrived) - at);
    }
    const back = harness.agents.map((agent) =>
      feed.next((pane) => isState(agent, "idle")(pane) || isState(agent, "completed")(pane)),
    );
    for (const agent of harness.agents) agent.frame("idle_fresh");
    await Promise.all(back);
  }
  return spreadOf(sample);
};

const measureNewPanes = async (harness: Harness, feed: FeedWatch, rounds: number): Promise<Spread> => {
  const sample: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let paneId = "";
    const early = new Map<string, number>();
    const arrived = feed.next((pane) => {
      early.set(pane.identity.pane_id ?? "", performance.now());
      return paneId !== "" && early.has(paneId);
    });
    // oxfmt-ignore
    paneId = await harness.tmux.run("new-window", "-d", "-t", "s0:", "-P", "-F", "#{pane_id}", "sleep 100000");
    const at = performance.now();
    const known = early.get(paneId);
    sample.push(known === undefined ? Math.max(0, (await arrived) - at) : 0);
    await harness.tmux.run("kill-pane", "-t", paneId);
    await odd(round);
  }
  return spreadOf(sample);
};

interface Figures {
  waitByScreen: Spread;
  workByScreen: Spread;
  hookToFeed: Spread;
  newPaneToFeed: Spread;
  dialogToFeed: Spread;
}

const toMeasured = (figures: Figures, panes: number): Measured => {
  const worst = Math.max(
    ...[figures.waitByScreen, figures.workByScreen, figures.newPaneToFeed].map((one) => one.p95),
  );
  return {
    name: "latency",
    title: "End to end, by path",
    how: `Real tmux with ${panes} panes, one in ten of them with an agent that draws recorded frames of Claude Code; the daemon as it is installed; the clock stops when a client of the feed has the entry.`,
    tables: [
      {
        caption: "From → to the client's feed",
        head: ["path", ...SPREAD_HEAD],
        rows: [
          ["event file renamed into the spool (needs no confirmation)", ...spreadCells(figures.hookToFeed)],
          [
            "first frame of a dialog whose event must be confirmed by the screen",
            ...spreadCells(figures.dialogToFeed),
          ],
          ["dialog of an idle agent without any hook: its first frame", ...spreadCells(figures.waitByScreen)],
          [
            "turn of an idle agent without any hook: its first running frame",
            ...spreadCells(figures.workByScreen),
          ],
          ["new pane: return of tmux's own command", ...spreadCells(figures.newPaneToFeed)],
        ],
      },
    ],
    checks: [
      atMost("hook → feed, p95", figures.hookToFeed.p95, 50, "ms"),
      atMost("dialog to be confirmed → feed, p95", figures.dialogToFeed.p95, 2_000, "ms"),
      atMost("the slowest path without a hook → feed, p95", worst, 2_000, "ms"),
    ],
    notes: [],
    figures,
  };
};

export const benchLatency = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const rounds = isQuick ? QUICK : FULL;
  const harness = await createHarness(isQuick ? { panes: 20, agents: 2 } : { panes: 200, agents: 20 });
  try {
    const daemon = await harness.startDaemon();
    const feed = new FeedWatch(daemon.client);
    await wait(isQuick ? 0 : QUIET_MS);
    const screens = { rounds: rounds.screens };
    const figures = {
      waitByScreen: await measureScreens(harness, feed, {
        ...screens,
        after: "waiting_approval",
        state: "waiting_approval",
      }),
      workByScreen: await measureScreens(harness, feed, { ...screens, after: "running", state: "running" }),
      hookToFeed: await measureHooks(harness, feed, rounds.hooks),
      newPaneToFeed: await measureNewPanes(harness, feed, rounds.newPanes),
      dialogToFeed: await measureDialogs(harness, feed, rounds.dialogs),
    };
    await feed.close();
    await daemon.stop();
    return toMeasured(figures, harness.agents.length * 10);
  } finally {
    await harness.close();
  }
};
