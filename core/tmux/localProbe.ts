// The cheap look at a server of this machine, again and again: what tmux said last time in the same words is not read once
// more. With a thousand panes at rest, a look is a comparison of lines.
import { probeListing, parseProbeLine, type ProbeLine, type ProbeResult } from "./topology.ts";
import type { TmuxServer } from "./tmuxServer.ts";

interface Look {
  /** Which life of which server. */
  of: string;
  lines: readonly string[];
  parsed: readonly ProbeLine[];
  result: Extract<ProbeResult, { status: "ok" }>;
}

const isSame = (a: ProbeLine | undefined, b: ProbeLine): boolean =>
  a === b || (a?.paneId === b.paneId && a.rest === b.rest);

/**
 * Looks like `probeTopology`, but for the fingerprint: it is one of this prober alone, and may differ where only the order of
 * panes did. Gives the same object as before when nothing moved. One prober belongs to one server.
 */
export const createLocalProbe = (server: TmuxServer): (() => Promise<ProbeResult>) => {
  let last: Look | null = null;
  let serial = 0;

  return async () => {
    const listing = await probeListing(server);
    if (listing.status !== "ok") {
      last = null;
      return listing;
    }
    const { lines, instance } = listing;
    const of = `${instance.pid} ${instance.startedAt}`;
    const before = last?.of === of ? last : null;
    const parsed = lines.map((line, index) => {
      const known = before?.lines[index] === line ? before.parsed[index] : undefined;
      return known ?? parseProbeLine(line);
    });
    if (before?.lines.length === lines.length && parsed.every((row, at) => row === before.parsed[at]))
      return before.result;
    const hasMoved =
      before?.lines.length !== lines.length || !parsed.every((row, at) => isSame(before.parsed[at], row));
    if (hasMoved) serial += 1;
    const windowActivity = new Map<string, number>();
    for (const { paneId, activity } of parsed) if (activity !== null) windowActivity.set(paneId, activity);
    last = { of, lines, parsed, result: { status: "ok", fingerprint: String(serial), windowActivity } };
    return last.result;
  };
};
