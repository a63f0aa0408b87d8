// The parts `idle`, `busy` and `naive` of the report: one scene of each size serves all three.
import { benchPanes, type PanesFigures, type WatchCost } from "./panes.ts";
import { atMost, type BenchOptions, type Check, type Measured, type Table } from "./report/model.ts";
import { mb, ms, percent } from "./report/words.ts";

const TARGET_PANES = 200;
const MAX_IDLE_PERCENT = 0.5;
const MAX_RESIDENT_MB = 100;
const MAX_LAG_MS = 2_000;

const costHead = [
  "panes (agents)",
  "daemon",
  "its children",
  "tmux server, more than without",
  "sum",
  "resident (children)",
  "processes/min",
  "hook → feed, p95",
];
const costRow = ({ panes, agents }: PanesFigures, cost: WatchCost): string[] => [
  `${panes} (${agents})`,
  percent(cost.daemonPercent),
  percent(cost.childrenPercent),
  percent(cost.tmuxPercent),
  percent(cost.daemonPercent + cost.childrenPercent + cost.tmuxPercent),
  `${mb(cost.residentMb)} (${mb(cost.childrenMb)})`,
  cost.processesPerMinute.toFixed(0),
  ms(cost.hookToFeed.p95),
];

const idlePart = (sizes: readonly PanesFigures[]): Measured => {
  const rows = sizes.flatMap((size) => (size.idle === null ? [] : [costRow(size, size.idle)]));
  const target = sizes.find(({ panes }) => panes === TARGET_PANES)?.idle;
  const checks: Check[] = sizes.flatMap(({ panes, idle, waitSeen }) => [
    ...(waitSeen === null
      ? []
      : [atMost(`dialog without a hook → feed, p95, ${panes} panes`, waitSeen.p95, MAX_LAG_MS, "ms")]),
    ...(idle === null ? [] : [atMost(`hook → feed, p95, ${panes} panes`, idle.hookToFeed.p95, 50, "ms")]),
  ]);
  if (target !== undefined && target !== null)
    checks.unshift(
      atMost(
        `idle CPU of daemon and children, ${TARGET_PANES} panes`,
        target.daemonPercent + target.childrenPercent,
        MAX_IDLE_PERCENT,
        "% of a core",
      ),
      atMost(`resident memory, ${TARGET_PANES} panes`, target.residentMb, MAX_RESIDENT_MB, "MB"),
    );
  return {
    name: "idle",
    title: "What watching costs while nothing happens",
    how: "One scene of each size, one pane in ten with an agent at its prompt. CPU is read over a quiet stretch that begins after start-up, from /proc with children that ended included (elsewhere from ps, without them); the tmux server's share is what it uses more than in stretches without the daemon before and after; processes started are counted in a stretch of their own.",
    tables: [{ caption: "Percent of a core", head: costHead, rows }],
    checks,
    notes: [
      `From the start of the daemon's process to its first answer: ${sizes.map(({ panes, firstAnswerMs }) => `${ms(firstAnswerMs ?? Number.NaN)} (${panes} panes)`).join(", ")}.`,
    ],
    figures: sizes.map(({ panes, agents, idle, waitSeen, firstAnswerMs }) => ({
      panes,
      agents,
      firstAnswerMs,
      waitSeen,
      ...idle,
    })),
  };
};

const busyPart = (sizes: readonly PanesFigures[]): Measured => ({
  name: "busy",
  title: "What watching costs while every agent works",
  how: "The same scenes; every agent redraws a whole recorded frame four times a second and has a hook fire every two seconds. The tmux server's share is again what it uses more than for the redrawing alone.",
  tables: [
    {
      caption: "Percent of a core",
      head: [...costHead, "events/s", "redraws/s"],
      rows: sizes.flatMap((size) =>
        size.busy === null
          ? []
          : [
              [
                ...costRow(size, size.busy),
                size.busy.eventsPerSecond.toFixed(1),
                size.busy.redrawsPerSecond.toFixed(0),
              ],
            ],
      ),
    },
  ],
  checks: sizes.flatMap(({ panes, busy }) =>
    busy === null
      ? []
      : [atMost(`hook → feed while busy, p95, ${panes} panes`, busy.hookToFeed.p95, 50, "ms")],
  ),
  notes: [],
  figures: sizes.map(({ panes, agents, busy }) => ({ panes, agents, ...busy })),
});

const naiveTable = (sizes: readonly PanesFigures[]): Table => ({
  caption: "Idle scene, the naive script against agtmux",
  head: [
    "panes",
    "",
    "CPU with children",
    "tmux server",
    "sum",
    "processes/min",
    "a wait is seen: median",
    "p95",
  ],
  rows: sizes.flatMap(({ panes, naive, idle, waitSeen }) => [
    ...(naive === null
      ? []
      : [
          [
            String(panes),
            "naive",
            percent(naive.cpuPercent),
            percent(naive.tmuxPercent),
            percent(naive.cpuPercent + naive.tmuxPercent),
            naive.processesPerMinute.toFixed(0),
            ms(naive.waitSeen.median),
            ms(naive.waitSeen.p95),
          ],
        ]),
    ...(idle === null || waitSeen === null
      ? []
      : [
          [
            String(panes),
            "agtmux",
            percent(idle.daemonPercent + idle.childrenPercent),
            percent(idle.tmuxPercent),
            percent(idle.daemonPercent + idle.childrenPercent + idle.tmuxPercent),
            idle.processesPerMinute.toFixed(0),
            ms(waitSeen.median),
            ms(waitSeen.p95),
          ],
        ]),
  ]),
});

const naivePart = (sizes: readonly PanesFigures[]): Measured => ({
  name: "naive",
  title: "Beside the naive way",
  how: "`bench/baseline/naive.sh` in the same scenes: every two seconds one `tmux list-panes` and one `tmux capture-pane` for each pane, matched against a pattern inside the shell. Both see the same dialogs by the screen alone; agtmux with hooks is in the tables above.",
  tables: [
    naiveTable(sizes),
    {
      caption: "One `tmux list-panes -a -F …` as a process",
      head: ["panes", "median", "p95"],
      rows: sizes.map(({ panes, listPanes }) => [String(panes), ms(listPanes.median), ms(listPanes.p95)]),
    },
  ],
  checks: sizes.flatMap(({ panes, naive, idle }) =>
    naive === null || idle === null
      ? []
      : [
          atMost(
            `CPU of everything by that of the naive way, ${panes} panes`,
            (idle.daemonPercent + idle.childrenPercent + idle.tmuxPercent) /
              (naive.cpuPercent + naive.tmuxPercent),
            1,
            "×",
          ),
        ],
  ),
  notes: [
    "The script knows a dialog from a pattern and nothing else: no state but “waiting”, no agent, no reason, and a quoted dialog fools it.",
    "At many panes its rounds take longer than its pause, so that its own CPU levels off and its waits grow late.",
  ],
  figures: sizes.map(({ panes, naive, listPanes }) => ({ panes, naive, listPanes })),
});

/** `wants`: which of idle, busy and naive are asked for. */
export const benchWatching = async (
  options: BenchOptions,
  wants: ReadonlySet<string>,
): Promise<Measured[]> => {
  const sizes: PanesFigures[] = [];
  for (const panes of options.panes) sizes.push(await benchPanes(panes, wants, options));
  const builders = { idle: idlePart, busy: busyPart, naive: naivePart };
  return Object.entries(builders).flatMap(([name, build]) => (wants.has(name) ? [build(sizes)] : []));
};
