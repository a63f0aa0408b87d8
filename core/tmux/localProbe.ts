// The cheap look at a server of this machine, again and again. While nothing moves it asks for no more than when each window moved
// last, a quarter of what a look at all panes costs; and what tmux said last time in the same words is not read once more.
import type { Clock } from "../ports/clock.ts";
import type { ReadCommand } from "./readCommand.ts";
import { PROBE_FORMATS, probeListing, parseProbeLine, type ProbeLine, type ProbeResult } from "./topology.ts";
import type { TmuxServer } from "./tmuxServer.ts";

/** What no output tells is seen this often: a session that is renamed, one pane of several that goes. */
const FULL_EVERY_MS = 2_600;

const GLANCE: ReadCommand = ["display-message", "-p", "#{S:#{W:#{window_activity} }}"];

interface Look {
  /** Which life of which server. */
  of: string;
  /** When it was asked, epoch ms. */
  at: number;
  lines: readonly string[];
  parsed: readonly ProbeLine[];
  /** Something had moved shortly before: the next look is at everything again. */
  isMoving: boolean;
  /** Windows of all sessions, as the first glance after it counted them; null before that. */
  windows: number | null;
  result: Extract<ProbeResult, { status: "ok" }>;
}

const isSame = (a: ProbeLine | undefined, b: ProbeLine): boolean =>
  a === b || (a?.paneId === b.paneId && a.rest === b.rest);

/** tmux tells activity in whole seconds: what moved in the second of a look may have done so after it. */
const hasMovedSince = (activity: number | null, at: number): boolean =>
  activity !== null && activity >= Math.floor(at / 1_000);

/** When each window moved last, epoch seconds; null where that was not answered in this form, or by another server. */
const readGlance = async (server: TmuxServer, of: string): Promise<number[] | null> => {
  const answer = await server.query([PROBE_FORMATS.instance, GLANCE]);
  if (answer.status !== "ok") return null;
  const [about, windows] = answer.answers;
  if (about?.isOk !== true || windows?.isOk !== true || !about.lines[0]?.startsWith(`${of} `)) return null;
  const activities = (windows.lines[0] ?? "").split(" ").slice(0, -1).map(Number);
  return activities.every((activity) => Number.isSafeInteger(activity)) ? activities : null;
};

/**
 * Looks like `probeTopology`, but for the fingerprint: it is one of this prober alone, and may differ where only the order of
 * panes did. Gives the same object as before when nothing moved. One prober belongs to one server.
 */
export const createLocalProbe = (
  server: TmuxServer,
  clock: Pick<Clock, "now">,
): (() => Promise<ProbeResult>) => {
  let last: Look | null = null;
  let serial = 0;

  /** True when a look at all panes would show nothing new. */
  const isAtRest = async (before: Look): Promise<boolean> => {
    const age = clock.now() - before.at;
    if (before.isMoving || age >= FULL_EVERY_MS || age < 0) return false;
    const glance = await readGlance(server, before.of);
    if (glance === null) return false;
    const { windows } = before;
    before.windows ??= glance.length;
    if (windows !== null && windows !== glance.length) return false;
    return !glance.some((activity) => hasMovedSince(activity, before.at));
  };

  return async () => {
    if (last !== null && (await isAtRest(last))) return last.result;
    const at = clock.now();
    const listing = await probeListing(server);
    if (listing.status !== "ok") {
      last = null;
      return listing;
    }
    const { lines, instance } = listing;
    const of = `${instance.pid} ${instance.startedAt / 1_000}`;
    const before = last?.of === of ? last : null;
    const parsed = lines.map((line, index) => {
      const known = before?.lines[index] === line ? before.parsed[index] : undefined;
      return known ?? parseProbeLine(line);
    });
    const look = {
      of,
      at,
      lines,
      parsed,
      isMoving: parsed.some(({ activity }) => hasMovedSince(activity, at - 1_000)),
      windows: null,
    };
    if (before?.lines.length === lines.length && parsed.every((row, index) => row === before.parsed[index])) {
      last = { ...look, result: before.result };
      return last.result;
    }
    const hasMoved =
      before?.lines.length !== lines.length ||
      !parsed.every((row, index) => isSame(before.parsed[index], row));
    if (hasMoved) serial += 1;
    const windowActivity = new Map<string, number>();
    for (const { paneId, activity } of parsed) if (activity !== null) windowActivity.set(paneId, activity);
    last = { ...look, result: { status: "ok", fingerprint: String(serial), windowActivity } };
    return last.result;
  };
};
