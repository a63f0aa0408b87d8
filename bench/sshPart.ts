// The part `ssh`: what `npm run bench:ssh` measures over both transports, and the cost to the remote side. Long, so only by name.
import { atMost, type BenchOptions, type Check, type Measured } from "./report/model.ts";
import { digits, mb, percent, SPREAD_HEAD, spreadCells } from "./report/words.ts";
import { benchSshRemoteCost, type SshRemoteCost } from "./sshRemoteCost.ts";
import { benchSshIdle, type SshIdle } from "./sshIdle.ts";
import { benchSshLatency, type SshLatency } from "./sshLatency.ts";
import { benchSshLists, type SshLists } from "./sshLists.ts";
import type { Transport } from "./sshHarness.ts";

interface Figures {
  transport: Transport;
  latency: SshLatency;
  lists: SshLists;
  idle: SshIdle;
  remote: SshRemoteCost;
}

const TRANSPORTS: readonly Transport[] = ["openssh", "ssh2"];
const ROUNDS = 40;
const LIST_SECONDS = 20;
const REMOTE_SECONDS = 30;

const checksOf = ({ transport, latency, lists, idle }: Figures): Check[] => [
  atMost(`hook → feed over ${transport}, p95`, latency.hookToFeed.p95, 400, "ms"),
  atMost(`wait by its screen → feed over ${transport}, p95`, latency.screenToFeed.p95, 2_000, "ms"),
  atMost(`list with targets in trouble, ${transport}, p95`, lists.list.p95, 50, "ms"),
  atMost(`on the wire while idle, ${transport}`, idle.wireBytesPerSecond / 1_000, 2, "kB/s"),
  ...(idle.processStartsPerMinute === null
    ? []
    : [atMost(`programs started over there, ${transport}`, idle.processStartsPerMinute, 20, "/min")]),
];

const toMeasured = (all: readonly Figures[]): Measured => ({
  name: "ssh",
  title: "Targets behind SSH",
  how: "A real sshd behind a proxy that adds 50 ms of round trip, 50 panes over there, both transports. The remote side's cost is measured without the added delay: the sshd processes that serve the daemon with everything they started, and what the remote tmux server uses more than without it.",
  tables: [
    {
      caption: "Latency to the client's feed",
      head: ["transport", "path", ...SPREAD_HEAD],
      rows: all.flatMap(({ transport, latency, lists }) => [
        [transport, "event dropped by the remote hook", ...spreadCells(latency.hookToFeed)],
        [transport, "first frame of a dialog that no event tells of", ...spreadCells(latency.screenToFeed)],
        [
          transport,
          "list of all panes, with one target frozen and one with a changed key",
          ...spreadCells(lists.list),
        ],
      ]),
    },
    {
      caption: "While nothing happens",
      head: ["transport", "on the wire", "packets/s", "channels", "programs started/min"],
      rows: all.map(({ transport, idle }) => [
        transport,
        `${digits(idle.wireBytesPerSecond / 1_000)} kB/s`,
        idle.packetsPerSecond.toFixed(1),
        String(idle.channels),
        idle.processStartsPerMinute?.toFixed(1) ?? "not measured: no PID namespace",
      ]),
    },
    {
      caption: "Percent of a core of the remote side",
      head: [
        "transport",
        "sessions, agents idle",
        "tmux, idle",
        "sessions, five agents redraw",
        "tmux, busy",
        "resident",
      ],
      rows: all.map(({ transport, remote }) => [
        transport,
        percent(remote.idle.sessionPercent),
        percent(remote.idle.tmuxPercent),
        percent(remote.busy.sessionPercent),
        percent(remote.busy.tmuxPercent),
        mb(remote.sessionMb),
      ]),
    },
  ],
  checks: all.flatMap(checksOf),
  notes: [],
  figures: all,
});

export const benchSsh = async ({ isQuick, seconds }: BenchOptions): Promise<Measured> => {
  const all: Figures[] = [];
  for (const transport of TRANSPORTS)
    all.push({
      transport,
      remote: await benchSshRemoteCost(transport, isQuick ? 3 : REMOTE_SECONDS),
      latency: await benchSshLatency(transport, isQuick ? 4 : ROUNDS),
      lists: await benchSshLists(transport, isQuick ? 2 : LIST_SECONDS),
      idle: await benchSshIdle(transport, isQuick ? 3 : seconds),
    });
  return toMeasured(all);
};
