// `npm run bench`: every figure that the README quotes, with the machine, the versions and the baselines of the same run.
// Prints Markdown; `--json` prints the same as JSON; `--idle SECONDS` sets the length of the quiet stretches (60).
import { parseArgs } from "node:util";
import { benchEndToEnd, type EndToEndFigures } from "./endToEnd.ts";
import { benchHook, type HookBench } from "./hook.ts";
import { describeMachine, type Machine } from "./machine.ts";
import { benchSpool, type SpoolBench } from "./spool.ts";
import type { Spread } from "./statistics.ts";
import { benchStore, type StoreBench } from "./store.ts";
import { benchTmux, type TmuxBench } from "./tmux.ts";

interface Report {
  machine: Machine;
  endToEnd: EndToEndFigures;
  hook: HookBench;
  spool: SpoolBench;
  store: StoreBench;
  tmux: TmuxBench;
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const spread = ({ median, p95, max, count }: Spread): string =>
  `${ms(median)} | ${ms(p95)} | ${ms(max)} | ${count}`;

const toMarkdown = ({ machine: m, endToEnd: e, hook, spool, store, tmux }: Report): string => `
# agtmux figures

${m.cpu}, ${m.cores} cores, ${m.memoryGb} GB, ${m.system}, Node ${m.node}, ${m.tmux}

## End to end: ${e.panes} panes in 20 sessions, ${e.agents} played agents

| from → to the client's feed | median | p95 | max | n |
|---|---|---|---|---|
| event dropped by the hook (needs no confirmation) | ${spread(e.hookToFeed)} |
| first frame of the dialog (event needs confirmation) | ${spread(e.dialogToFeed)} |
| new pane by split-window | ${spread(e.newPaneToFeed)} |

First answer of a new daemon: ${ms(e.firstAnswerMs)}.

| idle for ${e.idleSeconds} s | value |
|---|---|
| CPU of daemon and children | ${e.daemonCpuPercent.toFixed(2)} % of a core |
| CPU that tmux uses more than without the daemon | ${e.tmuxCpuPercent.toFixed(2)} % of a core |
| resident memory | ${e.residentMb.toFixed(0)} MB |
| processes started by the daemon | ${e.processesPerMinute.toFixed(0)} per minute |

## Parts

\`\`\`json
${JSON.stringify({ hook, spool, store, tmux }, null, 2)}
\`\`\`
`;

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, idle: { type: "string", default: "60" } },
});
const report: Report = {
  machine: describeMachine(),
  hook: await benchHook(),
  spool: await benchSpool(),
  store: await benchStore(),
  tmux: await benchTmux(),
  endToEnd: await benchEndToEnd(Number(values.idle)),
};
console.log(values.json ? JSON.stringify(report, null, 2) : toMarkdown(report));
