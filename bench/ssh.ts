// `npm run bench:ssh`: what targets behind SSH cost and how late they are, over a real sshd with 50 ms of added round trip.
// Prints Markdown; `--json` prints the same as JSON; `--idle SECONDS` (60), `--rounds N` (60), `--transport NAME` (both).
import { parseArgs } from "node:util";
import { describeMachine } from "./machine.ts";
import type { Machine } from "./report/model.ts";
import { benchSshIdle, type SshIdle } from "./sshIdle.ts";
import { benchSshLatency, type SshLatency } from "./sshLatency.ts";
import { benchSshLists, type SshLists } from "./sshLists.ts";
import type { Transport } from "./sshHarness.ts";
import type { Spread } from "./statistics.ts";

interface Report {
  machine: Machine;
  transports: { transport: Transport; idle: SshIdle; latency: SshLatency; lists: SshLists }[];
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const spread = ({ median, p95, max, count }: Spread): string =>
  `${ms(median)} | ${ms(p95)} | ${ms(max)} | ${count}`;

const toMarkdown = ({ machine: m, transports }: Report): string => `
# agtmux over SSH

${m.cpu}, ${m.cores} cores, ${m.memoryGb} GB, ${m.system}, Node ${m.node}, ${m.tmux}. A real sshd on this machine behind a proxy that adds 50 ms
of round trip.
${transports
  .map(
    ({ transport, idle, latency, lists }) => `
## ${transport}

| | median | p95 | max | n | target (p95) |
|---|---|---|---|---|---|
| event dropped by the hook → feed | ${spread(latency.hookToFeed)} | 400 ms |
| dialog on the screen, no event → feed | ${spread(latency.screenToFeed)} | 2000 ms |
| list of all panes, one target frozen, one with a changed host key | ${spread(lists.list)} | 50 ms |

| ${idle.panes} panes, ${idle.agents} idle agents, ${idle.seconds} s | value | target |
|---|---|---|
| on the wire, both ways, headers included | ${(idle.wireBytesPerSecond / 1_000).toFixed(2)} kB/s (${idle.packetsPerSecond.toFixed(1)} packets/s) | 2 kB/s |
| processes started over there | ${idle.processStartsPerMinute?.toFixed(1) ?? "not measured: no PID namespace"} per minute | 20 |
| channels | ${idle.channels} | 1 |

Measured round trip: ${latency.rttMs} ms. Targets at the end of the lists: ${lists.targets.map(({ target, health, reason }) => `${target} ${health}${reason === null ? "" : ` (${reason})`}`).join("; ")}.
`,
  )
  .join("")}`;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    idle: { type: "string", default: "60" },
    rounds: { type: "string", default: "60" },
    transport: { type: "string" },
  },
});
const transports: Report["transports"] = [];
for (const transport of ["openssh", "ssh2"] as const) {
  if (values.transport !== undefined && values.transport !== transport) continue;
  transports.push({
    transport,
    idle: await benchSshIdle(transport, Number(values.idle)),
    latency: await benchSshLatency(transport, Number(values.rounds)),
    lists: await benchSshLists(transport, 30),
  });
}
const report: Report = { machine: describeMachine(), transports };
console.log(values.json ? JSON.stringify(report, null, 2) : toMarkdown(report));
