// What exists on one tmux server: the full listing, and a cheap probe that says whether a full listing is due. Measured on
// tmux 3.3a with 200 panes in 20 sessions (bench/tmux.ts): each format variable costs the server about 1 µs per pane.
import { createHash } from "node:crypto";
import type { Pane, ServerInstance } from "../model/runtime.ts";
import { foldRows, parseRows, rowFormat } from "./paneRows.ts";
import type { ReadCommand } from "./readCommand.ts";
import type { QueryResult, TmuxServer } from "./tmuxServer.ts";

/** `problem`: something was wrong with a part (rows skipped), null when all is well. */
export type TopologyResult =
  | { status: "ok"; instance: ServerInstance; panes: Pane[]; problem: string | null }
  | { status: "no_server" }
  | { status: "error"; problem: string };

/**
 * `fingerprint` changes when the server is another one, a pane appears, disappears, is respawned, dies, becomes active or
 * moves to another window, index or session, and when a title, window or session is renamed. `windowActivity` (epoch seconds, per
 * pane id) is the time of the last output in the pane's window.
 */
export type ProbeResult =
  | { status: "ok"; fingerprint: string; windowActivity: ReadonlyMap<string, number> }
  | { status: "no_server" }
  | { status: "error"; problem: string };

const INSTANCE: ReadCommand = ["display-message", "-p", "#{pid} #{start_time} #{socket_path}"];

/** A server that lists more rows (a pane once for each session that shows it) is not believed. */
const MAX_ROWS = 10_000;

/** Shows splits, deaths, new numbers, titles, names and activity. */
const PROBE =
  "#{pane_id} #{window_activity} #{pane_pid} #{pane_dead} #{window_id} #{window_index} #{pane_title} #{window_name} #{session_name}";

/** The formats of the answers that `readListing` and the probe read, for probes of other kinds. */
export const PROBE_FORMATS = { instance: INSTANCE, full: PROBE } as const;

/** The listing of `result`, or why there is none. */
export const readListing = (
  result: QueryResult,
  server: string,
):
  | { status: "ok"; instance: ServerInstance; lines: readonly string[]; at: number }
  | Exclude<QueryResult, { status: "ok" }> => {
  if (result.status !== "ok") return result;
  const [about, listing] = result.answers;
  const [, pid, startedAt, socketPath = ""] =
    /^(\d{1,10}) (\d{1,12}) (.*)$/.exec(about?.lines[0] ?? "") ?? [];
  if (about?.isOk !== true || pid === undefined || listing === undefined)
    return { status: "error", problem: "tmux did not say which server it is" };
  const instance = { server, socketPath, pid: Number(pid), startedAt: Number(startedAt) * 1_000 };
  return { status: "ok", instance, lines: listing.lines, at: result.at };
};

/**
 * Every pane of the server, one entry each. `makeNonce` gives the marks that names cannot forge. A row that cannot be read
 * is left out and counted in `problem`. Instance: pid, start time (epoch ms, whole seconds) and the server's own socket path.
 */
export const listTopology = async (server: TmuxServer, makeNonce: () => string): Promise<TopologyResult> => {
  const nonce = makeNonce();
  const result = await server.query([INSTANCE, ["list-panes", "-a", "-F", rowFormat(nonce)]]);
  const listing = readListing(result, server.server);
  if (listing.status !== "ok") return listing;
  const { rows, malformed } = parseRows(listing.lines, nonce);
  if (rows.length > MAX_ROWS)
    return {
      status: "error",
      problem: `tmux lists ${rows.length} panes: more than ${MAX_ROWS} are not watched`,
    };
  const identity = { targetId: server.targetId, server: server.server, updatedAt: listing.at };
  return {
    status: "ok",
    instance: listing.instance,
    panes: foldRows(rows).map((pane) => ({ ...identity, ...pane })),
    problem: malformed === 0 ? null : `tmux list-panes: ${malformed} rows could not be read and are left out`,
  };
};

/** The command of the cheap look, and the parser of its answer. */
export const probeListing = async (server: TmuxServer): Promise<ReturnType<typeof readListing>> =>
  readListing(await server.query([INSTANCE, ["list-panes", "-a", "-F", PROBE]]), server.server);

/** `rest`: everything but the activity, which moves with every output. A line of another form is all `rest`. */
export interface ProbeLine {
  paneId: string;
  activity: number | null;
  windowId: string | null;
  rest: string;
}

export const parseProbeLine = (line: string): ProbeLine => {
  const [, paneId = "", activity, rest = line] = /^(%\d+) (\d+) (.*)$/.exec(line) ?? [];
  const windowId = /^\d+ \d+ (@\d+) /.exec(rest)?.[1] ?? null;
  return { paneId, activity: activity === undefined ? null : Number(activity), windowId, rest };
};

/** The cheap look: ask often, and list when the fingerprint differs from that of the last listing. */
export const probeTopology = async (server: TmuxServer): Promise<ProbeResult> => {
  const listing = await probeListing(server);
  if (listing.status !== "ok") return listing;
  const hash = createHash("sha1").update(`${listing.instance.pid} ${listing.instance.startedAt}`);
  const windowActivity = new Map<string, number>();
  for (const { paneId, activity, rest } of listing.lines.map(parseProbeLine)) {
    // Activity moves with every output; it is reported beside the fingerprint, not in it.
    hash.update(`\n${paneId} ${rest}`);
    if (activity !== null) windowActivity.set(paneId, activity);
  }
  return { status: "ok", fingerprint: hash.digest("hex"), windowActivity };
};
