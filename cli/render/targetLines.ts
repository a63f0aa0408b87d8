// A target's connection in words: the same after adding it, after connecting it and in the list.
import type { TargetView } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import { cleanLine } from "./clean.ts";
import { plural } from "./foot.ts";

/** The tmux servers, separated by semicolons; empty while none can be seen. */
export const describeServers = ({ health, servers }: TargetView): string =>
  (health === "down" ? [] : servers)
    .map(({ tmux_server, status, mode, problem, pane_count }) => {
      if (status === "no_server") return `${tmux_server}: not running`;
      if (status === "error") return `${tmux_server}: ${cleanLine(problem ?? "error")}`;
      return `${tmux_server}: ${plural(pane_count, "pane")}, ${mode}`;
    })
    .join("; ");

/** `ssh2, 1.3 ms`; empty for this machine and without a connection. */
export const describeLink = ({ transport, rtt_ms }: TargetView): string =>
  transport === null || rtt_ms === null ? "" : `${transport}, ${rtt_ms} ms`;

const describeNext = (inMs: number): string =>
  inMs < 1_000 ? "next attempt at once" : `next attempt in ${formatAge(inMs)}`;

/** What is wrong, what to do about it and when it is tried again; nothing for a target that is well. */
export const describeTrouble = (target: TargetView, now: number): string[] => {
  const { health_reason, remedy, next_attempt_at } = target;
  if (health_reason === null) return [];
  return [
    cleanLine(health_reason),
    ...(remedy === null ? [] : [cleanLine(remedy)]),
    ...(next_attempt_at === null ? [] : [describeNext(Date.parse(next_attempt_at) - now)]),
  ];
};

/** `connected over ssh2, 1.3 ms: 12 panes (default)`, for a connected target. */
export const describeConnected = (target: TargetView): string => {
  const running = target.servers.filter(({ status }) => status === "ok");
  const count = running.reduce((sum, { pane_count }) => sum + pane_count, 0);
  const panes =
    running.length === 0
      ? "no tmux server runs there yet"
      : `${plural(count, "pane")} (${running.map(({ tmux_server }) => tmux_server).join(", ")})`;
  return `connected over ${describeLink(target)}: ${panes}`;
};
