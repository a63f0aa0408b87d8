// The cheap, repeated look at a server of this machine. While nothing changes, it asks only for each window's last activity and
// number of panes, at half the cost of a look at all panes. An answer that is the same text as the last one is not parsed
// again.
import type { Clock } from "../ports/clock.ts";
import type { ReadCommand } from "./readCommand.ts";
import { PROBE_FORMATS, probeListing, parseProbeLine, type ProbeLine, type ProbeResult } from "./topology.ts";
import type { TmuxServer } from "./tmuxServer.ts";

/**
 * A glance does not show that a resting session, window or pane was renamed or moved, so all panes are looked at this often.
 */
const FULL_EVERY_MS = 2_600;
/** While something changes, all panes are looked at this often; in between only windows that become active count. */
const FULL_WHILE_MOVING_MS = 800;

const GLANCE: ReadCommand = ["display-message", "-p", "#{S:#{W:#{window_activity}.#{window_panes} }}"];

/** A window; it occurs once for each session that shows it. `activity`: epoch seconds of its last output. */
interface Window {
  activity: number;
  panes: number;
}

interface Look {
  /** The server and its start. */
  of: string;
  /** When it was asked, epoch ms. */
  at: number;
  lines: readonly string[];
  parsed: readonly ProbeLine[];
  /** The windows in the order of the glance; null if the lines do not give them. */
  windows: readonly Window[] | null;
  /** Something had changed shortly before. */
  isMoving: boolean;
  result: Extract<ProbeResult, { status: "ok" }>;
}

const isSame = (a: ProbeLine | undefined, b: ProbeLine): boolean =>
  a === b || (a?.paneId === b.paneId && a.rest === b.rest);

/** tmux gives activity in whole seconds: a change in the second of a look may have come after it. */
const hasMovedSince = (activity: number, at: number): boolean => activity >= Math.floor(at / 1_000);

/** The windows of all lines, one after the other, each with its panes; a window that two sessions show occurs twice. */
const windowsOf = (rows: readonly ProbeLine[]): Window[] | null => {
  const windows: (Window & { id: string; firstPane: string })[] = [];
  for (const { paneId, windowId, activity } of rows) {
    if (activity === null || windowId === null) return null;
    const current = windows.at(-1);
    if (current?.id === windowId && current.firstPane !== paneId) current.panes += 1;
    else windows.push({ id: windowId, firstPane: paneId, activity, panes: 1 });
  }
  return windows;
};

const parseGlance = (line: string): Window[] | null => {
  const windows = line
    .split(" ")
    .slice(0, -1)
    .map((part) => /^(\d{1,12})\.(\d{1,6})$/.exec(part));
  return windows.every((match) => match !== null)
    ? windows.map(([, activity, panes]) => ({ activity: Number(activity), panes: Number(panes) }))
    : null;
};

/** The windows as they are now; null where that was not answered in this form, or by another server. */
const readGlance = async (server: TmuxServer, of: string): Promise<Window[] | null> => {
  const answer = await server.query([PROBE_FORMATS.instance, GLANCE]);
  if (answer.status !== "ok") return null;
  const [about, windows] = answer.answers;
  if (about?.isOk !== true || windows?.isOk !== true || !about.lines[0]?.startsWith(`${of} `)) return null;
  return parseGlance(windows.lines[0] ?? "");
};

/** Whether a window came, went, was split, or printed something that the last look cannot have seen. */
const isNewIn = (glance: readonly Window[], { windows, isMoving, at }: Look): boolean =>
  windows === null ||
  windows.length !== glance.length ||
  glance.some(({ activity, panes }, index) => {
    const before = windows[index];
    const isKnownToMove = isMoving && before !== undefined && hasMovedSince(before.activity, at - 1_000);
    return before?.panes !== panes || (!isKnownToMove && hasMovedSince(activity, at));
  });

/**
 * Looks as `probeTopology` does, except that the fingerprint can be compared only with others of this prober, and may change
 * when only the order of panes did. Gives the same object as before when nothing changed. One prober belongs to one server.
 */
export const createLocalProbe = (
  server: TmuxServer,
  clock: Pick<Clock, "now">,
): (() => Promise<ProbeResult>) => {
  let last: Look | null = null;
  let serial = 0;

  /** True when a look at all panes would show nothing new, or only changes that can wait. */
  const isAtRest = async (before: Look): Promise<boolean> => {
    const age = clock.now() - before.at;
    if (age >= (before.isMoving ? FULL_WHILE_MOVING_MS : FULL_EVERY_MS) || age < 0) return false;
    const glance = await readGlance(server, before.of);
    return glance !== null && !isNewIn(glance, before);
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
    const isUnchanged =
      before?.lines.length === lines.length && parsed.every((row, index) => row === before.parsed[index]);
    const look = {
      of,
      at,
      lines,
      parsed,
      windows: isUnchanged ? before.windows : windowsOf(parsed),
      isMoving: parsed.some(({ activity }) => activity !== null && hasMovedSince(activity, at - 1_000)),
    };
    if (isUnchanged) {
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
