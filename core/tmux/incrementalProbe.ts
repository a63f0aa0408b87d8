// The cheap look at a server behind a connection: tmux itself leaves out every pane that printed nothing since the last look,
// so that an idle target costs a few bytes per pane. Now and then everything is read, because a name or title that a person
// sets does not count as activity. Times are on our own clock, because the target's may be hours off.
import { createHash } from "node:crypto";
import type { Clock } from "../ports/clock.ts";
import { PROBE_FORMATS, probeTopology, readListing, type ProbeResult } from "./topology.ts";
import type { TmuxServer } from "./tmuxServer.ts";

const FULL_EVERY_MS = 15_000;
/**
 * tmux gives activity in whole seconds, so more output in the same second does not show. A change counts as fresh for this
 * long.
 */
const FRESH_SECONDS = 1;

/** What tmux last said of a pane, without its activity. */
type Rest = string;

/** Formats can compare numbers since tmux 3.2; with older versions every look is a full one. */
const canCompare = ({ major, minor }: { major: number | null; minor: number | null }): boolean =>
  major !== null && (major > 3 || (major === 3 && (minor ?? 0) >= 2));

/** Turns times of the target's clock into times of ours: a change gets the time at which it was seen. */
const createActivityClock = (clock: Pick<Clock, "now">) => {
  const moved = new Map<string, { activity: number; at: number }>();
  return {
    note: (paneId: string, activity: number): void => {
      if (moved.get(paneId)?.activity === activity) return;
      moved.set(paneId, { activity, at: Math.floor(clock.now() / 1_000) + FRESH_SECONDS });
    },
    retain: (paneIds: { has(paneId: string): boolean }): void => {
      for (const paneId of moved.keys()) if (!paneIds.has(paneId)) moved.delete(paneId);
    },
    /**
     * Activity before this time (by the target's own clock) need not be reported again. The newest time itself counts as new
     * until its second is surely over.
     */
    since: (): number => {
      const newest = Math.max(0, ...[...moved.values()].map(({ activity }) => activity));
      const now = Math.floor(clock.now() / 1_000);
      const isFresh = [...moved.values()].some(({ activity, at }) => activity === newest && at + 1 >= now);
      return isFresh ? newest : newest + 1;
    },
    seconds: (): Map<string, number> => new Map([...moved].map(([paneId, { at }]) => [paneId, at])),
  };
};

/**
 * Looks like `probeTopology`, with `windowActivity` in our own epoch seconds. One prober belongs to one server; its memory
 * cannot be used for another.
 */
export const createIncrementalProbe = (options: {
  server: TmuxServer;
  version: { major: number | null; minor: number | null };
  clock: Pick<Clock, "now">;
}): (() => Promise<ProbeResult>) => {
  const { server, version, clock } = options;
  const activity = createActivityClock(clock);
  const rests = new Map<string, Rest>();
  let instance = "";
  let fullAt = Number.NEGATIVE_INFINITY;

  const probeFully = async (): Promise<ProbeResult> => {
    const result = await probeTopology(server);
    if (result.status !== "ok") return result;
    for (const [paneId, at] of result.windowActivity) activity.note(paneId, at);
    activity.retain(result.windowActivity);
    return { ...result, windowActivity: activity.seconds() };
  };
  const read = (lines: readonly string[]): void => {
    const present = new Set<string>();
    for (const line of lines) {
      const [, paneId, at, rest = ""] = /^(%\d+)(?: (\d+) (.*))?$/.exec(line) ?? [];
      if (paneId === undefined) continue;
      present.add(paneId);
      if (at !== undefined) {
        activity.note(paneId, Number(at));
        rests.set(paneId, rest);
      } else if (!rests.has(paneId)) fullAt = Number.NEGATIVE_INFINITY;
    }
    activity.retain(present);
    for (const paneId of rests.keys()) if (!present.has(paneId)) rests.delete(paneId);
  };
  const fingerprint = (): string => {
    const hash = createHash("sha1").update(instance);
    for (const [paneId, rest] of [...rests].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      hash.update(`\n${paneId} ${rest}`);
    return hash.digest("hex");
  };

  return async () => {
    if (!canCompare(version)) return probeFully();
    const now = clock.now();
    const isFull = now - fullAt >= FULL_EVERY_MS;
    const details = PROBE_FORMATS.full.slice("#{pane_id}".length);
    const hasMoved = `#{||:#{pane_dead},#{e|>=:#{window_activity},${activity.since()}}}`;
    const format = isFull ? PROBE_FORMATS.full : `#{pane_id}#{?${hasMoved},${details},}`;
    const listing = readListing(
      await server.query([PROBE_FORMATS.instance, ["list-panes", "-a", "-F", format]]),
      server.server,
    );
    if (listing.status !== "ok") return listing;
    const found = `${listing.instance.pid} ${listing.instance.startedAt}`;
    if (found !== instance) rests.clear();
    instance = found;
    if (isFull) fullAt = now;
    read(listing.lines);
    return { status: "ok", fingerprint: fingerprint(), windowActivity: activity.seconds() };
  };
};
