// One tmux server as the collector watches it: the cheap probe each time, the full listing only when something moved.
import type { Pane, ServerInstance } from "../model/runtime.ts";
import type { Clock } from "../ports/clock.ts";
import {
  captureLooks,
  captureScreens,
  createLocalProbe,
  listTopology,
  NO_PROCESS,
  type ProbeResult,
} from "../tmux/topology.ts";
import { CLIENT_FORMAT, parseClients } from "../tmux/clients.ts";
import type { TmuxServer } from "../tmux/tmuxServer.ts";
import type { ServerListing, WatchedServer } from "./sink.ts";

/** Panes with the activity that the probe saw; a pane that did not change stays the same object. */
const withActivity = (panes: readonly Pane[], activity: ReadonlyMap<string, number>): Pane[] =>
  panes.map((pane) => {
    const windowActivity = activity.get(pane.paneId) ?? pane.windowActivity;
    return windowActivity === pane.windowActivity ? pane : { ...pane, windowActivity };
  });

/** A pane for which tmux names no process any more keeps the one that it had in the same life of the server. */
const createLastProcesses = () => {
  let life = "";
  let pids = new Map<string, number>();
  return (panes: readonly Pane[], { pid, startedAt }: ServerInstance): Pane[] => {
    const before = life === `${pid} ${startedAt}` ? pids : null;
    const known = panes.map((pane) =>
      pane.panePid === NO_PROCESS ? { ...pane, panePid: before?.get(pane.paneId) ?? NO_PROCESS } : pane,
    );
    life = `${pid} ${startedAt}`;
    pids = new Map(known.map(({ paneId, panePid }) => [paneId, panePid]));
    return known;
  };
};

/** After something moved, more changes are likely: listings come this much sooner, if they cost next to nothing. */
const SOON_SHARE = 0.5;
const SOON_FOR_MS = 10_000;
/** The largest share of the time that such early listings may take. */
const SOON_TIME_SHARE = 0.01;
/** When nothing changed for this long, listings come less often, by the share below. */
const RESTS_AFTER_MS = 30_000;
const REST_SHARE = 4 / 3;
/** Where resting agents are metered, a listing only has to find what a person moved or renamed. */
const HEARD_SHARE = 5 / 2;

/** A pane has another title, window or session name than in the listing before. */
const hasOtherNames = (before: readonly Pane[], now: readonly Pane[]): boolean => {
  const known = new Map(before.map((pane) => [pane.paneId, pane]));
  return now.some(({ paneId, title, windowName, sessionName }) => {
    const pane = known.get(paneId);
    return (
      pane !== undefined &&
      (pane.title !== title || pane.windowName !== windowName || pane.sessionName !== sessionName)
    );
  });
};

type Looked = Extract<ProbeResult, { status: "ok" }>;

export const watchServer = (options: {
  tmux: TmuxServer;
  socketPath: string;
  makeNonce: () => string;
  clock: Clock;
  /** Another kind of probe; its times of activity replace tmux's own. */
  probe?: () => Promise<ProbeResult>;
}): WatchedServer => {
  const { tmux, socketPath, makeNonce, clock, probe = createLocalProbe(tmux, clock) } = options;
  /** The caller needs the present state, and the probe alone would not see all of it. */
  let isExpected = false;
  let last: { listing: ServerListing; looked: Looked } | null = null;
  let movedAt = clock.now();
  const withLastProcess = createLastProcesses();

  const frame = () => ({ mode: tmux.mode, problem: tmux.problem });

  const listFully = async (looked: Looked): Promise<ServerListing> => {
    const before = last?.listing ?? null;
    last = null;
    const result = await listTopology(tmux, makeNonce);
    if (result.status === "no_server")
      return { ...frame(), status: "no_server", mode: "none", instance: null, panes: [] };
    if (result.status === "error")
      return { ...frame(), status: "error", problem: result.problem, instance: null, panes: [] };
    const panes = withLastProcess(result.panes, result.instance);
    const listing: ServerListing = {
      status: "ok",
      mode: tmux.mode,
      problem: result.problem ?? tmux.problem,
      // Events name their server by its socket: nobody else's is believed to be at the path of one of the person's.
      instance: tmux.isShared ? { ...result.instance, socketPath } : result.instance,
      panes: options.probe === undefined ? panes : withActivity(panes, looked.windowActivity),
    };
    last = { listing, looked };
    // It may have met a name that stood there only between two probes, which then see no change: it is listed once more.
    isExpected = before !== null && hasOtherNames(before.panes, listing.panes);
    return listing;
  };

  return {
    server: tmux.server,
    socketPath,
    pauseMs(usualMs, { tookMs, metersAll }) {
      if (options.probe !== undefined || tmux.mode !== "direct") return usualMs;
      const restedMs = clock.now() - movedAt;
      if (metersAll && restedMs >= SOON_FOR_MS) return usualMs * HEARD_SHARE;
      if (restedMs >= RESTS_AFTER_MS) return usualMs * REST_SHARE;
      if (restedMs >= SOON_FOR_MS) return usualMs;
      return Math.min(usualMs, Math.max(usualMs * SOON_SHARE, tookMs / SOON_TIME_SHARE));
    },
    async list() {
      const looked = await probe();
      if (looked.status !== "ok" || looked !== last?.looked) movedAt = clock.now();
      if (looked.status !== "ok") {
        last = null;
        return looked.status === "no_server"
          ? { ...frame(), status: "no_server", mode: "none", instance: null, panes: [] }
          : { ...frame(), status: "error", problem: looked.problem, instance: null, panes: [] };
      }
      const isDue = last === null || isExpected || last.looked.fingerprint !== looked.fingerprint;
      isExpected = false;
      if (last === null || isDue) return listFully(looked);
      const { panes } = last.listing;
      const listing = {
        ...last.listing,
        ...frame(),
        panes: last.looked === looked ? panes : withActivity(panes, looked.windowActivity),
      };
      last = { listing, looked };
      return listing;
    },
    expectChange: () => {
      isExpected = true;
    },
    capture: (paneIds) => captureScreens(tmux, paneIds),
    look: (paneIds) => captureLooks(tmux, paneIds),
    async currentPath(paneId) {
      const result = await tmux.query([["display-message", "-p", "-t", paneId, "#{pane_current_path}"]]);
      const [answer] = result.status === "ok" ? result.answers : [];
      const path = answer?.isOk === true ? answer.lines[0] : undefined;
      return path === undefined || path === "" ? null : path;
    },
    async clients() {
      const result = await tmux.query([["list-clients", "-F", CLIENT_FORMAT]]);
      const [answer] = result.status === "ok" ? result.answers : [];
      return answer?.isOk === true ? parseClients(answer.lines) : [];
    },
    close: () => tmux.close(),
  };
};
