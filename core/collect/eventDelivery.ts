// Drained events on their way to the sink: which panes and processes must be read before an event may count for a runtime
// (`EventDelivery`), and what helps to find the pane of other events (`BindingProbe`). The runtime is decided in
// core/engine/bind.ts.
import type { Clock } from "../ports/clock.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";
import type { CollectorSink, WatchedRuntime, WatchedServer } from "./sink.ts";
import { type Envelope, readWrapperEvent } from "../model/envelope.ts";
import { paneKeyString, type Pane } from "../model/runtime.ts";
import type { ProcessWatch } from "./processWatch.ts";

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4_000;

/** Helps to find the pane of events that name none or the wrong one: reads folders and screens of candidates, decides nothing. */
export class BindingProbe {
  private readonly options: ConstructorParameters<typeof BindingProbe>[0];
  private cancelRetry: (() => void) | null = null;
  private retryMs = FIRST_RETRY_MS;
  private isClosed = false;

  constructor(options: {
    targetId: string;
    sink: CollectorSink;
    servers: readonly WatchedServer[];
    files: TargetFiles;
    clock: Clock;
    /** Runs work whose failure must not stop anything. */
    guard: (work: Promise<void>) => void;
  }) {
    this.options = options;
  }

  close(): void {
    this.isClosed = true;
    this.stopRetrying();
  }

  private stopRetrying(): void {
    this.cancelRetry?.();
    this.cancelRetry = null;
  }

  /** Reads the folder of each runtime that needs it, once. */
  async learnFolders(): Promise<void> {
    const { sink, targetId } = this.options;
    const due = sink
      .watchedRuntimes(targetId, ({ eventsMayNameOtherPanes }) => eventsMayNameOtherPanes === true)
      .filter(({ processCwd }) => processCwd === undefined);
    await Promise.all(
      due.map(async (watched) => sink.setProcessCwd(watched.runtime.runtimeId, await this.folderOf(watched))),
    );
  }

  /** Linux gives the folder of any process; elsewhere tmux gives that of the process in the foreground. */
  private async folderOf({ runtime, pane }: WatchedRuntime): Promise<string | null> {
    const { files, servers } = this.options;
    const linked = runtime.pid === null ? null : await files.readLink(`/proc/${runtime.pid}/cwd`);
    if (linked !== null) return linked;
    const server = servers.find((one) => one.server === runtime.server);
    return (await server?.currentPath(pane.paneId)) ?? null;
  }

  /** Call after every delivery: gives screens to the sink now if events wait for them, and again until none waits. */
  async handleChange(): Promise<void> {
    this.retryMs = FIRST_RETRY_MS;
    await this.look();
  }

  private async look(): Promise<void> {
    const { sink, targetId, clock, guard } = this.options;
    this.stopRetrying();
    const agents = sink.unplacedAgents(targetId, []);
    if (agents.size === 0 || this.isClosed) return;
    await this.learnFolders();
    await this.showScreens(agents);
    if (this.isClosed || sink.unplacedAgents(targetId, []).size === 0) return;
    const delayMs = this.retryMs;
    this.retryMs = Math.min(LONGEST_RETRY_MS, this.retryMs * 2);
    this.stopRetrying();
    this.cancelRetry = clock.setTimer(delayMs, () => guard(this.look()));
  }

  private async showScreens(agents: ReadonlySet<string>): Promise<void> {
    const { sink, targetId, servers, clock } = this.options;
    const candidates = sink.watchedRuntimes(targetId).filter(({ runtime }) => agents.has(runtime.agentType));
    if (candidates.length === 0) return;
    const readAt = clock.now();
    const screens = new Map<string, string>();
    await Promise.all(
      servers.map(async (server) => {
        const here = candidates.filter(({ runtime }) => runtime.server === server.server);
        if (here.length === 0) return;
        const captured = await server.capture(here.map(({ pane }) => pane.paneId));
        for (const { runtime, pane } of here) {
          const lines = captured.get(pane.paneId);
          if (lines !== undefined) screens.set(runtime.runtimeId, lines.join("\n"));
        }
      }),
    );
    if (!this.isClosed) sink.offerScreens(screens, readAt);
  }
}

/** A server with the panes that its last listing found. */
export interface ListedServer {
  watched: WatchedServer;
  panes: readonly Pane[];
  /** The path that the server itself names: on some systems the configured path goes through a symlink. */
  socketPath: string | null;
}

/** The place that an event says it comes from. */
const placeKey = (tmuxSocket: string | null, paneId: string | null): string => `${tmuxSocket}/${paneId}`;

export class EventDelivery<S extends ListedServer> {
  private readonly deps: {
    targetId: string;
    sink: CollectorSink;
    servers: readonly S[];
    processes: ProcessWatch;
    /** Reads the working folders of all runtimes that events from other panes may name. */
    learnFolders: () => Promise<void>;
    listServer: (server: S) => Promise<void>;
    /** Finds background sessions that have begun since the last listing. */
    listNewSessions: () => Promise<void>;
  };

  constructor(deps: EventDelivery<S>["deps"]) {
    this.deps = deps;
  }

  /**
   * Hands a drained batch to the sink, after making sure that the panes it speaks of are known and that their runtimes are
   * still the processes they were: an agent that was restarted in its pane must not inherit, or lend, events.
   */
  async deliver(envelopes: readonly Envelope[]): Promise<void> {
    const { sink, targetId } = this.deps;
    let left = [...envelopes];
    const apply = (ready: readonly Envelope[]): void => {
      if (ready.length === 0) return;
      sink.applyEnvelopes(targetId, ready);
      left = left.filter((envelope) => !ready.includes(envelope));
    };
    apply(this.untilWrapperExit(envelopes));
    if (left.some(({ paneId }) => paneId === null)) await this.deps.listNewSessions();
    await this.prepareCandidates(envelopes);
    const unsure = await this.findUnsurePanes(envelopes);
    // Known panes need no list of processes, which on some systems takes longer than everything else.
    apply(left.filter(({ tmuxSocket, paneId }) => !unsure.has(placeKey(tmuxSocket, paneId))));
    if (unsure.size > 0) await this.deps.processes.scan([...unsure.values()], true);
    apply(left);
  }

  /**
   * Events of a pane up to the wrapper's event of how its agent ended. They belong to a process that is gone by now, and they
   * count before its end is noticed.
   */
  private untilWrapperExit(envelopes: readonly Envelope[]): Envelope[] {
    const exits = envelopes.flatMap((envelope, index) => {
      const event = readWrapperEvent(envelope);
      return event?.kind === "exit" && event.pid !== null ? [{ envelope, index, pid: event.pid }] : [];
    });
    if (exits.length === 0) return [];
    const watched = this.deps.sink.watchedRuntimes(this.deps.targetId);
    const lastExit = new Map<string, number>();
    for (const { envelope, index, pid } of exits) {
      const isOfLive = watched.some(
        ({ runtime }) => runtime.paneId === envelope.paneId && runtime.pid === pid,
      );
      if (isOfLive) lastExit.set(placeKey(envelope.tmuxSocket, envelope.paneId), index);
    }
    return envelopes.filter(
      ({ tmuxSocket, paneId }, index) => index <= (lastExit.get(placeKey(tmuxSocket, paneId)) ?? -1),
    );
  }

  /**
   * Events that may name other panes are bound among all runtimes of their agent. So all of these and their folders must be
   * known, and none may be of a process that is gone.
   */
  private async prepareCandidates(envelopes: readonly Envelope[]): Promise<void> {
    const { sink, targetId } = this.deps;
    if (sink.unplacedAgents(targetId, envelopes).size > 0) {
      await Promise.all(this.deps.servers.map((state) => this.deps.listServer(state)));
      const known = new Set(sink.watchedRuntimes(targetId).map(({ runtime }) => paneKeyString(runtime)));
      const empty = this.deps.servers
        .flatMap((state) => state.panes)
        .filter((pane) => !known.has(paneKeyString(pane)));
      await this.deps.processes.scan(empty, true);
    }
    const agents = new Set(envelopes.map(({ agentType }) => agentType));
    const candidates = sink.watchedRuntimes(
      targetId,
      ({ agentType, eventsMayNameOtherPanes }) => eventsMayNameOtherPanes === true && agents.has(agentType),
    );
    const gone: Pane[] = [];
    await Promise.all(
      candidates.map(async (watched) => {
        if (!(await this.deps.processes.isAlive(watched))) gone.push(watched.pane);
      }),
    );
    if (gone.length > 0) await this.deps.processes.scan(gone, true);
    await this.deps.learnFolders();
  }

  /** The panes that these events name and in which no agent is known, or only one whose process is gone. */
  private async findUnsurePanes(envelopes: readonly Envelope[]): Promise<Map<string, Pane>> {
    const wanted = new Map<string, { state: S; paneId: string }>();
    for (const { tmuxSocket, paneId } of envelopes) {
      const state = this.deps.servers.find(
        (server) => server.watched.socketPath === tmuxSocket || server.socketPath === tmuxSocket,
      );
      if (state !== undefined && paneId !== null) wanted.set(placeKey(tmuxSocket, paneId), { state, paneId });
    }
    const unknown = new Set(
      [...wanted.values()]
        .filter(({ state, paneId }) => !state.panes.some((pane) => pane.paneId === paneId))
        .map(({ state }) => state),
    );
    await Promise.all([...unknown].map((state) => this.deps.listServer(state)));

    const unsure = new Map<string, Pane>();
    await Promise.all(
      [...wanted].map(async ([place, { state, paneId }]) => {
        const pane = state.panes.find((one) => one.paneId === paneId);
        if (pane === undefined) return;
        const watched = this.deps.sink.watchedRuntimeIn(pane);
        if (watched === null || !(await this.deps.processes.isAlive(watched))) unsure.set(place, pane);
      }),
    );
    return unsure;
  }
}
