// What the daemon knows right now, in memory: an agent's activity, requests whose end no screen has shown, the entry of a runtime
// with its folded facts, and `LiveState` with targets, tmux servers, panes and all entries. The store holds the durable form;
// nothing outside ingest writes here.
import {
  type ActivitySource,
  type ActivityView,
  type Evidence,
  type EvidenceSource,
  type Liveness,
  type Resolution,
  NO_LIVENESS,
  NO_TURN_MARKS,
  type TurnMarks,
} from "../model/evidence.ts";
import type { PromptRequest } from "../model/request.ts";
import { isWaiting, type Status, type CanonicalState } from "../model/state.ts";
import { type Facts, EMPTY_FACTS } from "../engine/facts.ts";
import type { ObservationRun } from "../engine/observe.ts";
import type { Account, Pane, PaneKey, Runtime, ServerInstance, Target } from "../model/runtime.ts";
import type { PaneView } from "../model/view.ts";
import type { WorkspaceView } from "../model/workspace.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";

/** One part of an agent's activity, and the source that reported it last. `at`: epoch ms. */
export interface Told<T> {
  value: T;
  source: ActivitySource;
  at: number;
}

type Parts = { [F in keyof ActivityView]: Told<ActivityView[F]> | null };

/** The pane's title as it was listed, and what the agent says in it of its session. */
interface LookedAtTitle {
  raw: string;
  folder: string | null;
  told: Told<string> | null;
}

export interface ActivityState extends Parts {
  /** `session_title` is what the agent's own files say, which goes before this. */
  paneTitle: LookedAtTitle | null;
  /** What clients see, and since when. */
  shown: ActivityView | null;
  shownAt: number;
}

export const NO_ACTIVITY: ActivityState = {
  prompt: null,
  session_title: null,
  paneTitle: null,
  tool: null,
  said: null,
  folder: null,
  repository: null,
  branch: null,
  worktree: null,
  work_tree: null,
  turn_began_at: null,
  shown: null,
  shownAt: -Infinity,
};

// Unended requests: those reported by events while no screen has shown that nothing is asked. The open dialog may be that of any of
// them, whatever later events say of an end, so a file in the spool can neither end a request nor put another in its place. In
// memory only, and for approvals without a person only; states are not decided by this.

/** Beyond this number none is certain, until the screen shows that nothing is asked. */
const MAX_OPENED = 100;
/** How long every capture must show no dialog: a single one may be of a half-drawn frame. */
const SHOWN_MS = 300;

export interface Unended {
  /** By the id of the event. `drawnBy`: its dialog is drawn by then, if at all, epoch ms. */
  readonly opened: ReadonlyMap<string, { readonly request: PromptRequest; readonly drawnBy: number }>;
  /** False: there may have been more of them. */
  readonly isComplete: boolean;
  /** Since when each capture has shown a known screen without a dialog, epoch ms; null: the last one did not. */
  readonly clearSince: number | null;
}

export const NONE_UNENDED: Unended = { opened: new Map(), isComplete: true, clearSince: null };
/** Of an agent that ran before this memory began. */
export const UNKNOWN_UNENDED: Unended = { ...NONE_UNENDED, isComplete: false };

/** With a request that an event reported. By `ingestedAt`, not by the time that the event claims. */
export const withOpened = (unended: Unended, { eventId, ingestedAt, signal }: Evidence): Unended => {
  if (signal.kind !== "request") return unended;
  if (unended.opened.size >= MAX_OPENED) return { ...unended, isComplete: false };
  const drawnBy = ingestedAt + signal.dialogGraceMs;
  return {
    ...unended,
    opened: new Map(unended.opened).set(eventId, { request: signal.request, drawnBy }),
  };
};

/** With a capture of the screen; `status` null: it shows nothing that is known, which may be a part of a dialog. */
export const withLook = (unended: Unended, status: Status | null, readAt: number): Unended => {
  if (status === null || isWaiting(status.state))
    return unended.clearSince === null ? unended : { ...unended, clearSince: null };
  const clearSince = unended.clearSince ?? readAt;
  const isShown = readAt - clearSince >= SHOWN_MS;
  const opened = isShown
    ? new Map([...unended.opened].filter(([, { drawnBy }]) => drawnBy > readAt))
    : unended.opened;
  return { opened, isComplete: unended.isComplete || isShown, clearSince };
};

/** Printable ASCII only: other differences between two texts may not be visible on a screen. */
const visible = (text: string): string => text.replaceAll(/[^!-~]/g, "");

/** Whether the dialog of `told`, on the screen to the letter, may be that of another request, or this cannot be known. */
export const mayBeOfAnother = (
  { opened, isComplete }: Unended,
  { eventId, told }: { eventId: string; told: PromptRequest },
): boolean => {
  const text = visible(told.body ?? "");
  return (
    !isComplete ||
    [...opened].some(
      ([id, { request }]) => id !== eventId && (request.body === null || visible(request.body) === text),
    )
  );
};

// Entries: one per runtime and per tmux server.

/** A prompt as it is shown. `fingerprint` null: it cannot be answered, because its text is not known or not drawn yet. */
export interface Prompt {
  request: PromptRequest;
  fingerprint: string | null;
}

/** What a sampled source last said of the work, and in which state. */
interface ReadProgress {
  state: CanonicalState;
  text: string | null;
}

interface ProgressState {
  /** By sampled source, the screen first. */
  poller: ReadProgress | null;
  transcript: ReadProgress | null;
  /** From the agent's own files, whatever the state. */
  files: string | null;
  /** What clients see, and since when. */
  shown: string | null;
  shownAt: number;
}

const NO_PROGRESS: ProgressState = {
  poller: null,
  transcript: null,
  files: null,
  shown: null,
  shownAt: -Infinity,
};

export interface ServerEntry {
  targetId: string;
  server: string;
  status: "ok" | "no_server" | "error";
  mode: "direct" | "polling" | "none";
  problem: string | null;
  instance: ServerInstance | null;
  panes: ReadonlyMap<string, Pane>;
}

export interface RuntimeEntry {
  runtime: Runtime;
  /** Null if the adapter of a stored runtime is gone. */
  adapter: AgentAdapter | null;
  facts: Facts;
  /** Highest stored event row folded into `facts`. */
  eventHorizon: number;
  liveness: Liveness;
  runs: Partial<Record<EvidenceSource, ObservationRun>>;
  resolution: Resolution | null;
  /** What is asked, to the letter: by the event that opened a request, and as each source read it last. Never stored. */
  asked: {
    byEvent: ReadonlyMap<string, PromptRequest>;
    /** Those whose end no screen has shown; absent: no event reported one. */
    unended?: Unended;
  } & Partial<Record<"poller" | "transcript", PromptRequest | null>>;
  /** The wait that was restored from the store, while only `unknown` has followed it: it may go on as the same one. */
  storedWait: Resolution | null;
  /** The prompt that is open, as it is shown. */
  prompt: Prompt | null;
  /** The fingerprint with which the present wait was reported last; null while it had none. */
  named: string | null;
  /** From when on the prompt may be reported even without its dialog; null if nothing waits for the dialog. */
  promptDueAt: number | null;
  /** The resolution comes from the store, and the screen was not read since. */
  isRestored: boolean;
  stateVersion: number;
  /** The agent itself said that it ends. */
  sawExitEvent: boolean;
  /** By when its process should be gone after that, epoch ms; null otherwise. */
  leavesBy: number | null;
  /** Its screen is captured often until then, epoch ms: an action is under way, or the agent is exiting. */
  closelyUntil: number;
  /** As the wrapper announced it. */
  wrapperExitStatus: number | null;
  /** Since when its process is gone while its wrapper has not said how it ended, epoch ms; null otherwise. */
  goneSince: number | null;
  killedByUs: boolean;
  /** It only shows a session that another process runs. */
  isViewer: boolean;
  /** Which one, where it goes from session to session (`Recognised.view`); undefined: it has not begun to. */
  viewed: string | null | undefined;
  /** The folders that its process uses; null until it was asked. Never stored. */
  account: Account | null;
  /** Another program may answer this agent's permission requests: dialogs need confirmation. */
  confirmRequests: boolean;
  /** Working folder as the agent's events name it. */
  cwd: string | null;
  /** The agent's own log of its session, as its events name it. */
  transcriptPath: string | null;
  /** For events that name other panes, like `screen`; undefined until it was asked for. */
  processCwd: string | null | undefined;
  screen: { text: string; readAt: number } | null;
  /** When its screen was read last, whatever it showed. */
  screenReadAt: number | null;
  /** Ended with proof of a crash: the row stays until dismissed. */
  crashedAt: number | null;
  /** A crashed row that was looked at stays until then, epoch ms, though its pane is gone. */
  keptUntil: number;
  marks: TurnMarks;
  progress: ProgressState;
  /** What a person armed for it; said by a feature. */
  armed: string | null;
  activity: ActivityState;
  /** What a feature knows of its worktree. Never stored. */
  workspace: WorkspaceView | null;
  view: PaneView | null;
}

export const newRuntimeEntry = (runtime: Runtime, adapter: AgentAdapter | null): RuntimeEntry => ({
  runtime,
  adapter,
  facts: EMPTY_FACTS,
  eventHorizon: 0,
  liveness: NO_LIVENESS,
  runs: {},
  resolution: null,
  asked: { byEvent: new Map() },
  storedWait: null,
  prompt: null,
  named: null,
  promptDueAt: null,
  isRestored: false,
  stateVersion: 0,
  sawExitEvent: false,
  leavesBy: null,
  closelyUntil: 0,
  wrapperExitStatus: null,
  goneSince: null,
  killedByUs: false,
  isViewer: false,
  viewed: undefined,
  account: null,
  confirmRequests: false,
  cwd: null,
  transcriptPath: null,
  processCwd: undefined,
  screen: null,
  screenReadAt: null,
  crashedAt: null,
  keptUntil: 0,
  marks: NO_TURN_MARKS,
  progress: NO_PROGRESS,
  armed: null,
  activity: NO_ACTIVITY,
  workspace: null,
  view: null,
});

/** Changes whenever a turn is reported to begin or to end. */
export const turnMark = (entry: RuntimeEntry | null): string =>
  entry === null ? "" : `${entry.marks.beganAt} ${entry.marks.doneAt} ${entry.activity.prompt?.at}`;

/** Of each target. */
const MAX_ENDED = 500;
/** Entries that were the last of their session. */
const MAX_LEFT = 100;

const sessionKey = (targetId: string, agentSessionId: string | null): string | null =>
  agentSessionId === null ? null : `${targetId}\0${agentSessionId}`;

const NONE_LIVE: ReadonlyMap<string, RuntimeEntry> = new Map();

/** Keys of servers, the last one cached: a pass through all panes asks for the same one again and again. */
const createServerKey = (): ((targetId: string, server: string) => string) => {
  let last = { targetId: "", server: "", key: "/" };
  return (targetId, server) => {
    if (last.targetId !== targetId || last.server !== server)
      last = { targetId, server, key: `${targetId}/${server}` };
    return last.key;
  };
};

export class LiveState {
  readonly targets = new Map<string, Target>();
  readonly servers = new Map<string, ServerEntry>();
  readonly runtimes = new Map<string, RuntimeEntry>();
  /** Runtimes that ended lately, by target: their late events are recognised and dropped, not left pending. */
  private readonly ended = new Map<string, Runtime[]>();
  /** By server and pane. */
  private readonly live = new Map<string, Map<string, RuntimeEntry>>();
  /** By target and the agent's own session id; more than one where the same session was taken up in another pane. */
  private readonly sessions = new Map<string, Set<RuntimeEntry>>();
  /** The last entry of a session that none has now, by target and session. */
  private readonly left = new Map<string, RuntimeEntry>();
  /** How many live agents of a kind and target use each configuration folder. */
  private readonly accounts = new Map<string, Map<string, number>>();
  private readonly serverKey = createServerKey();
  /** Since when (epoch ms) agents of a kind have no hooks, by target and kind. */
  private readonly hookless = new Map<string, Map<string, number>>();

  /** These agents of a target have no hooks since `at`, and the others do. False: that was known. */
  setHookless(targetId: string, agentTypes: ReadonlySet<string>, at: number): boolean {
    const before = this.hookless.get(targetId) ?? new Map<string, number>();
    if (before.size === agentTypes.size && [...agentTypes].every((type) => before.has(type))) return false;
    this.hookless.set(targetId, new Map([...agentTypes].map((type) => [type, before.get(type) ?? at])));
    return true;
  }

  hooklessSince({ targetId, agentType }: Runtime): number | null {
    return this.hookless.get(targetId)?.get(agentType) ?? null;
  }

  serverOf(targetId: string, server: string): ServerEntry | undefined {
    return this.servers.get(this.serverKey(targetId, server));
  }

  setServer(entry: ServerEntry): void {
    this.servers.set(this.serverKey(entry.targetId, entry.server), entry);
  }

  paneOf(key: PaneKey): Pane | undefined {
    return this.serverOf(key.targetId, key.server)?.panes.get(key.paneId);
  }

  liveOf(key: PaneKey): RuntimeEntry | undefined {
    return this.live.get(this.serverKey(key.targetId, key.server))?.get(key.paneId);
  }

  /** Live runtimes of a server, by pane id. */
  liveOfServer({
    targetId,
    server,
  }: {
    targetId: string;
    server: string;
  }): ReadonlyMap<string, RuntimeEntry> {
    return this.live.get(this.serverKey(targetId, server)) ?? NONE_LIVE;
  }

  /** Of one target: what another machine calls its agents means nothing here. */
  liveOfSession(targetId: string, sessionId: string): Iterable<RuntimeEntry> {
    return this.sessions.get(sessionKey(targetId, sessionId) ?? "") ?? [];
  }

  /** Who had the session of this entry before it, or has it, too. */
  predecessorOf({ runtime }: RuntimeEntry): RuntimeEntry | null {
    const { targetId, agentSessionId, agentType } = runtime;
    if (agentSessionId === null) return null;
    const others = [...this.liveOfSession(targetId, agentSessionId)].filter(
      (one) => one.runtime.runtimeId !== runtime.runtimeId,
    );
    const found = others.at(-1) ?? this.left.get(sessionKey(targetId, agentSessionId) ?? "");
    return found?.runtime.agentType === agentType ? found : null;
  }

  endedOf(targetId: string): readonly Runtime[] {
    return this.ended.get(targetId) ?? [];
  }

  setAgentSession(entry: RuntimeEntry, agentSessionId: string): void {
    this.leaveSession(entry);
    entry.runtime = { ...entry.runtime, agentSessionId };
    this.joinSession(entry);
  }

  /** True where live agents of this kind begin or cease to have several accounts: their rows name them then. */
  setAccount(entry: RuntimeEntry, account: Account | null): boolean {
    const { targetId, agentType } = entry.runtime;
    const key = `${targetId}/${agentType}`;
    const used = this.accounts.get(key) ?? new Map<string, number>();
    const had = used.size > 1;
    const count = (dir: string, step: number): void => {
      const now = (used.get(dir) ?? 0) + step;
      if (now > 0) used.set(dir, now);
      else used.delete(dir);
    };
    if (entry.account !== null) count(entry.account.configDir, -1);
    if (account !== null) count(account.configDir, 1);
    entry.account = account;
    this.accounts.set(key, used);
    return had !== used.size > 1;
  }

  /** The name of its account, where live agents of its kind have several; null: there is nothing to tell apart. */
  accountName({ runtime: { targetId, agentType }, account }: RuntimeEntry): string | null {
    const used = this.accounts.get(`${targetId}/${agentType}`);
    return account !== null && used !== undefined && used.size > 1 ? account.name : null;
  }

  private joinSession(entry: RuntimeEntry): void {
    const key = sessionKey(entry.runtime.targetId, entry.runtime.agentSessionId);
    if (key === null) return;
    const entries = this.sessions.get(key);
    if (entries === undefined) this.sessions.set(key, new Set([entry]));
    else entries.add(entry);
  }

  private leaveSession(entry: RuntimeEntry): void {
    const key = sessionKey(entry.runtime.targetId, entry.runtime.agentSessionId);
    const entries = key === null ? undefined : this.sessions.get(key);
    if (key === null || entries === undefined) return;
    entries.delete(entry);
    if (entries.size === 0) this.sessions.delete(key);
  }

  removeTarget(targetId: string): void {
    this.hookless.delete(targetId);
    this.targets.delete(targetId);
    this.ended.delete(targetId);
    for (const [key, server] of this.servers) if (server.targetId === targetId) this.servers.delete(key);
  }

  clear(): void {
    this.targets.clear();
    this.servers.clear();
    this.runtimes.clear();
    this.live.clear();
    this.sessions.clear();
    this.left.clear();
    this.accounts.clear();
  }

  /** Stored panes, until the first listing says what is really there. */
  restorePanes(all: readonly Pane[]): void {
    const byServer = Map.groupBy(all, ({ targetId, server }) => this.serverKey(targetId, server));
    for (const panes of byServer.values()) {
      const [first] = panes;
      if (first === undefined) continue;
      this.setServer({
        targetId: first.targetId,
        server: first.server,
        status: "ok",
        mode: "none",
        problem: null,
        instance: null,
        panes: new Map(panes.map((pane) => [pane.paneId, pane])),
      });
    }
  }

  addRuntime(entry: RuntimeEntry): void {
    this.runtimes.set(entry.runtime.runtimeId, entry);
    const { targetId, server, paneId } = entry.runtime;
    const key = this.serverKey(targetId, server);
    const panes = this.live.get(key) ?? new Map<string, RuntimeEntry>();
    const before = panes.get(paneId);
    if (before !== undefined) this.leaveSession(before);
    this.live.set(key, panes.set(paneId, entry));
    this.joinSession(entry);
  }

  /** Takes the runtime out of its pane; it stays listed while it is a crashed row. */
  retire(entry: RuntimeEntry, isKept: boolean): void {
    const { targetId, server, paneId } = entry.runtime;
    const panes = this.live.get(this.serverKey(targetId, server));
    if (panes?.get(paneId) === entry) panes.delete(paneId);
    this.leaveSession(entry);
    const session = sessionKey(targetId, entry.runtime.agentSessionId);
    if (session !== null && entry.adapter?.background !== undefined) {
      this.left.delete(session);
      this.left.set(session, entry);
      for (const key of [...this.left.keys()].slice(0, -MAX_LEFT)) this.left.delete(key);
    }
    if (!isKept) this.runtimes.delete(entry.runtime.runtimeId);
    const ended = this.ended.get(targetId) ?? [];
    ended.push(entry.runtime);
    this.ended.set(targetId, ended.slice(-MAX_ENDED));
  }

  *liveRuntimes(): IterableIterator<RuntimeEntry> {
    for (const panes of this.live.values()) yield* panes.values();
  }

  *liveOfTarget(targetId: string): IterableIterator<RuntimeEntry> {
    for (const server of this.servers.values())
      if (server.targetId === targetId) yield* this.liveOfServer(server).values();
  }

  *panes(): IterableIterator<Pane> {
    for (const server of this.servers.values()) yield* server.panes.values();
  }

  instances(targetId: string): ServerInstance[] {
    return [...this.servers.values()].flatMap((server) =>
      server.targetId === targetId && server.instance !== null ? [server.instance] : [],
    );
  }
}
