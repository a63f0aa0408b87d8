// What the collector should watch, and how closely: the live runtimes of a target as they are known now. It only reads.
import { isTurnOver } from "../engine/candidates/resolveContext.ts";
import type { Pane, PaneKey, Runtime } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import { hasOpenRequest, hasUnconfirmed, isUnsustained } from "./sampledReadings.ts";
import type { RuntimeEntry, LiveState } from "./liveState.ts";

/** A live runtime as the collector needs it (see `WatchedRuntime` there). */
export interface WatchedEntry {
  runtime: Runtime;
  adapter: AgentAdapter;
  pane: Pane;
  attention: "close" | "waiting" | "active" | "quiet";
  isUnsustained: boolean;
  cwd: string | null;
  transcriptPath: string | null;
  processCwd: string | null | undefined;
}

/** So long the next looks may decide between two that differ; then each is what its source goes on to say. */
const DIFFERS_FOR_MS = 3_000;

/** One of the screen and the agent's own file shows a turn at work, the other one its end: one of them is older than it looks. */
const isDiffering = ({ runs: { poller, transcript } }: RuntimeEntry, now: number): boolean => {
  if (poller === undefined || transcript === undefined) return false;
  const [screen, file] = [poller.signal, transcript.signal];
  const differs =
    (screen.status.state === "running" && isTurnOver(file.status)) ||
    (file.status.state === "running" && isTurnOver(screen.status));
  return differs && now - Math.max(screen.since, file.since) < DIFFERS_FOR_MS;
};

const attentionOf = (entry: RuntimeEntry, now: number): WatchedEntry["attention"] => {
  const state = entry.resolution?.status.state ?? "unknown";
  if (now < entry.closelyUntil || hasUnconfirmed(entry)) return "close";
  if (isWaiting(state) || hasOpenRequest(entry)) return "waiting";
  if (isDiffering(entry, now)) return "close";
  return state === "running" || state === "unknown" ? "active" : "quiet";
};

/** Counts are made when they are asked for; for most entries nobody asks. */
class Watched implements WatchedEntry {
  readonly runtime: Runtime;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
  readonly processCwd: string | null | undefined;
  private readonly entry: RuntimeEntry;
  readonly adapter: AgentAdapter;
  readonly pane: Pane;
  private readonly now: number;

  constructor(entry: RuntimeEntry, adapter: AgentAdapter, pane: Pane, now: number) {
    this.entry = entry;
    this.adapter = adapter;
    this.pane = pane;
    this.now = now;
    this.runtime = entry.runtime;
    this.cwd = entry.cwd;
    this.transcriptPath = entry.transcriptPath;
    this.processCwd = entry.processCwd;
  }

  get attention(): WatchedEntry["attention"] {
    return attentionOf(this.entry, this.now);
  }

  get isUnsustained(): boolean {
    return isUnsustained(this.entry, this.now);
  }
}

const watchedEntry = (liveState: LiveState, entry: RuntimeEntry, now: number): WatchedEntry | null => {
  const pane = liveState.paneOf(entry.runtime);
  return pane === undefined || entry.adapter === null ? null : new Watched(entry, entry.adapter, pane, now);
};

/** The closeness is that of the moment in which it is read; `now` (epoch ms) is that of the call. */
export const watchedRuntimes = (
  liveState: LiveState,
  targetId: string,
  now: number,
  isWanted: (adapter: AgentAdapter) => boolean,
): WatchedEntry[] => {
  const watched: WatchedEntry[] = [];
  for (const entry of liveState.liveRuntimes()) {
    if (entry.runtime.targetId !== targetId || entry.adapter === null || !isWanted(entry.adapter)) continue;
    const one = watchedEntry(liveState, entry, now);
    if (one !== null) watched.push(one);
  }
  return watched;
};

export const watchedRuntimeIn = (liveState: LiveState, key: PaneKey, now: number): WatchedEntry | null => {
  const entry = liveState.liveOf(key);
  return entry === undefined ? null : watchedEntry(liveState, entry, now);
};
