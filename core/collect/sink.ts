// What the collector needs from its surroundings, and what it hands over: types, but for `createYielding` (long work in short
// stretches) and `toProcess`. Ingest implements the sink.
import type { Recognised } from "../engine/epoch.ts";
import type { SampledReading } from "../engine/observe.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Place } from "../model/evidence.ts";
import type {
  Account,
  Pane,
  PaneKey,
  ProcessInfo,
  Runtime,
  ServerInstance,
  TargetHealth,
} from "../model/runtime.ts";
import type { ProcessTree } from "../ports/targetExecutor.ts";
import type { AgentAdapter, ToldActivity } from "../ports/agentAdapter.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import type { ScreenLook } from "../tmux/topology.ts";

/** How long a stretch takes, in milliseconds; it may be longer by one step of the work. */
const STRETCH_MS = 3;

/**
 * Splits long work on the serving loop into short stretches, between which everybody who waits for an answer gets it. Await it
 * between the steps: it lets the loop turn if the last turn was a while ago. Afterwards everything may have changed.
 */
export const createYielding = (clock: { now: () => number }): (() => Promise<void>) => {
  let since = clock.now();
  return async () => {
    if (clock.now() - since < STRETCH_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = clock.now();
  };
};

export interface ServerListing {
  status: "ok" | "no_server" | "error";
  mode: "direct" | "polling" | "none";
  problem: string | null;
  instance: ServerInstance | null;
  panes: readonly Pane[];
}

/** One tmux server as the collector sees it. */
export interface WatchedServer {
  readonly server: string;
  readonly socketPath: string;
  /** Never throws: a failure is a listing with status `error`. */
  list(): Promise<ServerListing>;
  /**
   * How long the next listing may wait, in ms, after one that took `tookMs`: `usualMs`, unless more or fewer changes are
   * expected. `metersAll`: what an agent or the server does meanwhile is noticed without a listing.
   */
  pauseMs(usualMs: number, after: { tookMs: number; metersAll: boolean }): number;
  /** The next listing reads everything, whatever the probe says. */
  expectChange(): void;
  /** Visible screens of the panes, top to bottom; panes that are gone are missing. */
  capture(paneIds: readonly string[]): Promise<Map<string, readonly string[]>>;
  /** The same with where the cursor stands, at twice the cost. */
  look(paneIds: readonly string[]): Promise<Map<string, ScreenLook>>;
  /** Working folder of the program in the pane's foreground, from tmux; null where tmux does not know it. */
  currentPath(paneId: string): Promise<string | null>;
  /** Clients with a terminal; none where tmux does not answer. */
  clients(): Promise<readonly TmuxClient[]>;
  close(): Promise<void>;
}

/** What watching needs to know of processes. */
export type ProcessReader = Omit<ProcessTree, "verify">;

/**
 * How closely a runtime is watched. `close`: a claim waits for its screen, or an action is under way. `waiting`: a request is open.
 * `active`: a turn runs or nothing is known. `quiet`: nothing is expected before the screen changes.
 */
export type Attention = "close" | "waiting" | "active" | "quiet";

export interface WatchedRuntime {
  runtime: Runtime;
  adapter: AgentAdapter;
  pane: Pane;
  attention: Attention;
  /** Fewer than two agreeing reads so far in some source. */
  isUnsustained: boolean;
  /** Working folder as the agent's events name it. */
  cwd: string | null;
  /** The agent's own log of its session, as its events name it. */
  transcriptPath: string | null;
  /** Whose files are its own; null until its process was asked. */
  account: Account | null;
  /** Working folder of the process; undefined until it was read, null where it cannot be. */
  processCwd: string | null | undefined;
}

/** `reading` null: at `readAt` (epoch ms) it showed nothing known. `isChanged`: the text differs from the read before. */
export interface SinkReading {
  reading: SampledReading | null;
  readAt: number;
  isChanged: boolean;
  /** Nothing at all is on the screen. */
  isBlank?: boolean;
}

export interface CollectorSink {
  applyTopology(update: ServerListing & { targetId: string; server: string }): void;
  applyRecognised(key: PaneKey, recognised: Recognised | null): void;
  /** By runtime id, in one transaction. */
  applyReadings(source: "poller" | "transcript", readings: ReadonlyMap<string, SinkReading>): void;
  /** Each captured screen, whatever it shows. */
  noteScreen(runtimeId: string, lines: readonly string[]): void;
  /** A line from the agent's own files, independent of the state; null: they say nothing. */
  applyProgress(runtimeId: string, text: string | null): void;
  /** What the agent's own log says of the work, whose newest entry is of `at` (epoch ms). */
  applyTold(runtimeId: string, told: ToldActivity, at: number): void;
  /** Where the agent works. */
  applyPlace(runtimeId: string, place: Place): void;
  applyEnvelopes(targetId: string, envelopes: readonly Envelope[]): void;
  setHealth(targetId: string, health: TargetHealth, reason: string | null): void;
  setConfirmRequests(runtimeId: string, confirm: boolean): void;
  /** Only for agents whose events may name other panes; null: the folder cannot be read. */
  setProcessCwd(runtimeId: string, processCwd: string | null): void;
  /** Agents whose events (the given ones or waiting ones) find their pane only by the folders and screens of the candidates. */
  unplacedAgents(targetId: string, envelopes: readonly Envelope[]): ReadonlySet<string>;
  /** Screens of all live runtimes of such agents, by runtime id: waiting events are tried again with them. */
  offerScreens(screens: ReadonlyMap<string, string>, readAt: number): void;
  /** Of a target with a hundred agents the list takes a while: `isWanted` leaves out agents of other adapters. */
  watchedRuntimes(targetId: string, isWanted?: (adapter: AgentAdapter) => boolean): WatchedRuntime[];
  watchedRuntimeIn(key: PaneKey): WatchedRuntime | null;
  /** Agents that have rows on a connected machine, which `isMeant` takes by what ssh calls it; null: none is connected. */
  agentsAt(isMeant: (connectionRef: string) => boolean): ReadonlySet<string> | null;
}

/** The runtime's process as adapters and checks know it. */
export const toProcess = ({ runtime }: WatchedRuntime): ProcessInfo => ({
  pid: runtime.pid ?? 0,
  ppid: 0,
  comm: runtime.agentType,
  args: runtime.agentType,
  startedAt: runtime.processStartedAt ?? 0,
});
