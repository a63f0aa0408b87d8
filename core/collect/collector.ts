// The collector of one target: keeps topology, processes, screens and state files up to date in the sink, reading only
// what may have changed. It decides when to look; it never decides what a state is.
import type { Timing } from "../model/config.ts";
import type { Envelope } from "../model/envelope.ts";
import { paneKeyString, type Pane, type ProcessInfo } from "../model/runtime.ts";
import { readWrapperEvent } from "../model/wrapperEvent.ts";
import type { AgentAdapter, IdentifyMatch } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { BindingProbe } from "./bindingProbe.ts";
import { ProcessWatch } from "./processWatch.ts";
import { ScreenWatch } from "./screenWatch.ts";
import type { CollectorSink, ProcessReader, WatchedServer } from "./sink.ts";

export interface CollectorDeps {
  targetId: string;
  servers: readonly WatchedServer[];
  processes: ProcessReader;
  executor: TargetExecutor;
  sink: CollectorSink;
  identify: (processes: readonly ProcessInfo[]) => { adapter: AgentAdapter; match: IdentifyMatch } | null;
  timing: () => Timing;
  clock: Clock;
  logger: Logger;
}

const SLOW_LISTING_MS = 2_000;
const DOWN_AFTER_FAILURES = 3;

/** Where an event says that it comes from. */
const placeKey = (tmuxSocket: string | null, paneId: string | null): string => `${tmuxSocket}/${paneId}`;

interface ServerState {
  watched: WatchedServer;
  panes: readonly Pane[];
  /** As the server itself names it: on some systems the configured path goes through a symlink. */
  socketPath: string | null;
  failures: number;
  /** Why the last listing failed. */
  problem: string | null;
  tookMs: number;
  isListing: Promise<void> | null;
}

export class Collector {
  private readonly deps: CollectorDeps;
  private readonly servers: ServerState[];
  private readonly processes: ProcessWatch;
  private readonly screens: ScreenWatch;
  private readonly bindingProbe: BindingProbe;
  private cancelListing: (() => void) | null = null;
  private isClosed = false;
  /**
   * False until a first complete look, and again once the target was down: what is known then is of before, so the target is
   * not told to be back until everything was read.
   */
  private hasSight = false;
  private isStarted = false;
  private isLookingAround = false;

  constructor(deps: CollectorDeps) {
    this.deps = deps;
    this.servers = deps.servers.map((watched) => ({
      watched,
      panes: [],
      socketPath: null,
      failures: 0,
      problem: null,
      tookMs: 0,
      isListing: null,
    }));
    const guard = (work: Promise<void>): void => this.guard(work);
    this.processes = new ProcessWatch(deps);
    this.screens = new ScreenWatch({
      ...deps,
      guard,
      verifyProcesses: () => this.verifyProcesses(),
    });
    this.bindingProbe = new BindingProbe({
      targetId: deps.targetId,
      sink: deps.sink,
      servers: deps.servers,
      files: deps.executor.files,
      clock: deps.clock,
      guard,
    });
  }

  /**
   * Resolves after the first complete look, so that the first answer to anybody is a true one. `takeEvents`: brings the events
   * that waited while nobody looked, where they belong to it.
   */
  async start(takeEvents?: () => Promise<void>): Promise<void> {
    await this.screens.start();
    await Promise.all(this.servers.map((state) => this.listServer(state)));
    await this.screens.readAll();
    await takeEvents?.();
    this.isStarted = true;
    this.regainSight();
    this.scheduleListing();
  }

  /** What counts as an agent changed: every pane's processes and screen are read anew with the next listing. */
  rescan(): void {
    this.processes.forgetAll();
    this.screens.forgetAll();
    for (const state of this.servers) this.guard(this.listServer(state));
  }

  /** The same at once; resolves when all was read. Never rejects. */
  async resync(): Promise<void> {
    this.processes.forgetAll();
    const look = Promise.all(this.servers.map((state) => this.listServer(state)));
    const read = look.then(() => this.screens.readAll());
    this.guard(read);
    // What failed was logged by the guard.
    await read.catch(() => {});
  }

  /** Which agents still live, as far as that was not seen a moment ago. Never rejects. */
  async verifyProcesses(): Promise<void> {
    const look = this.processes.verifyRuntimes();
    this.guard(look);
    // What failed was logged by the guard.
    await look.catch(() => {});
  }

  /** What the server's windows and panes are from this call on is known when it resolves. Never rejects. */
  async listNow(server: string): Promise<void> {
    const state = this.servers.find(({ watched }) => watched.server === server);
    if (state === undefined) return;
    // One that runs already may have asked before.
    while (state.isListing !== null) await state.isListing.catch(() => {});
    state.watched.expectChange();
    const look = this.listServer(state);
    this.guard(look);
    await look.catch(() => {});
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelListing?.();
    this.processes.close();
    this.screens.close();
    this.bindingProbe.close();
    await Promise.all(this.servers.map((state) => state.watched.close()));
  }

  /** Nothing that goes wrong in one look may stop the next one. */
  private guard(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.isClosed)
        this.deps.logger.error({ error, target: this.deps.targetId }, "a look at the target failed");
    });
  }

  private scheduleListing(): void {
    if (this.isClosed) return;
    const usualMs = this.deps.timing().topology_interval_ms;
    const pauses = this.servers.map(({ watched, tookMs }) => watched.pauseMs(usualMs, tookMs));
    this.cancelListing = this.deps.clock.setTimer(pauses.length === 0 ? usualMs : Math.min(...pauses), () => {
      const look = Promise.all(this.servers.map((state) => this.listServer(state)));
      this.guard(look.then(() => undefined).finally(() => this.scheduleListing()));
    });
  }

  // --- topology and processes ------------------------------------------------------------------------------------------

  /** One listing at a time per server; a caller that comes while one runs gets that one. */
  private listServer(state: ServerState): Promise<void> {
    state.isListing ??= this.listOnce(state).finally(() => {
      state.isListing = null;
    });
    return state.isListing;
  }

  private async listOnce(state: ServerState): Promise<void> {
    const { clock, sink, targetId } = this.deps;
    const startedAt = clock.now();
    const listing = await state.watched.list();
    if (this.isClosed) return;
    state.tookMs = clock.now() - startedAt;
    state.failures = listing.status === "error" ? state.failures + 1 : 0;
    state.problem = listing.status === "error" ? listing.problem : null;
    this.tellHealth();
    if (listing.status !== "error") state.panes = listing.panes;
    state.socketPath = listing.instance?.socketPath ?? state.socketPath;
    sink.applyTopology({ ...listing, targetId, server: state.watched.server });
    this.forgetGone();
    await this.processes.scan(state.panes, false);
    await this.processes.verifyRuntimes();
    await this.bindingProbe.learnFolders();
    this.screens.schedule();
    if (this.isStarted && !this.hasSight && !this.isDown() && !this.isLookingAround)
      this.guard(this.lookAround());
  }

  /** After an outage: a server whose listing was the first to succeed does not wait for the others. */
  private async lookAround(): Promise<void> {
    this.isLookingAround = true;
    try {
      await this.screens.readAll();
      this.regainSight();
    } finally {
      this.isLookingAround = false;
    }
  }

  private regainSight(): void {
    this.hasSight = true;
    if (this.servers.length > 0) this.tellHealth();
  }

  private isDown(): boolean {
    return this.servers.every(({ failures }) => failures >= DOWN_AFTER_FAILURES);
  }

  private tellHealth(): void {
    if (this.isClosed) return;
    const { sink, targetId } = this.deps;
    const problem = this.servers.find((state) => state.problem !== null)?.problem ?? null;
    if (this.isDown()) {
      this.hasSight = false;
      sink.setHealth(targetId, "down", problem);
      return;
    }
    if (!this.hasSight) return;
    if (this.servers.some(({ failures }) => failures > 0))
      sink.setHealth(targetId, "degraded", problem ?? "a tmux server does not answer");
    else if (this.servers.some(({ tookMs }) => tookMs > SLOW_LISTING_MS))
      sink.setHealth(targetId, "degraded", "tmux answers slowly");
    else sink.setHealth(targetId, "ok", null);
  }

  private forgetGone(): void {
    const panes = new Set(this.servers.flatMap((state) => state.panes.map(paneKeyString)));
    const runtimes = new Set(
      this.deps.sink.watchedRuntimes(this.deps.targetId).map(({ runtime }) => runtime.runtimeId),
    );
    this.processes.forgetGone(panes, runtimes);
    this.screens.forgetGone(runtimes);
  }

  // --- events ----------------------------------------------------------------------------------------------------------

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
    await this.prepareCandidates(envelopes);
    const unsure = await this.findUnsurePanes(envelopes);
    // What is known needs no list of processes, which on some systems takes longer than all the rest.
    apply(left.filter(({ tmuxSocket, paneId }) => !unsure.has(placeKey(tmuxSocket, paneId))));
    if (unsure.size > 0) await this.processes.scan([...unsure.values()], true);
    apply(left);
    // The batch is committed whatever becomes of this look.
    this.guard(this.bindingProbe.handleChange());
    this.screens.schedule();
  }

  /**
   * Events of a pane up to the one by which the wrapper says how its agent ended: they belong to the process that is gone by
   * now, and count before anybody notices that it is.
   */
  private untilWrapperExit(envelopes: readonly Envelope[]): Envelope[] {
    const watched = this.deps.sink.watchedRuntimes(this.deps.targetId);
    const lastExit = new Map<string, number>();
    for (const [index, envelope] of envelopes.entries()) {
      const event = readWrapperEvent(envelope);
      if (event?.kind !== "exit" || event.pid === null) continue;
      const isOfLive = watched.some(
        ({ runtime }) => runtime.paneId === envelope.paneId && runtime.pid === event.pid,
      );
      if (isOfLive) lastExit.set(placeKey(envelope.tmuxSocket, envelope.paneId), index);
    }
    return envelopes.filter(
      ({ tmuxSocket, paneId }, index) => index <= (lastExit.get(placeKey(tmuxSocket, paneId)) ?? -1),
    );
  }

  /**
   * Events that may name other panes are bound among all runtimes of their agent: every one must be known, its folder too,
   * and none may be a process that has gone.
   */
  private async prepareCandidates(envelopes: readonly Envelope[]): Promise<void> {
    const { sink, targetId } = this.deps;
    if (sink.unplacedAgents(targetId, envelopes).size > 0) {
      await Promise.all(this.servers.map((state) => this.listServer(state)));
      const known = new Set(sink.watchedRuntimes(targetId).map(({ runtime }) => paneKeyString(runtime)));
      const empty = this.servers
        .flatMap((state) => state.panes)
        .filter((pane) => !known.has(paneKeyString(pane)));
      await this.processes.scan(empty, true);
    }
    const agents = new Set(envelopes.map(({ agentType }) => agentType));
    const gone: Pane[] = [];
    await Promise.all(
      sink.watchedRuntimes(targetId).map(async (watched) => {
        if (watched.adapter.eventsMayNameOtherPanes !== true || !agents.has(watched.runtime.agentType))
          return;
        if (!(await this.processes.isAlive(watched))) gone.push(watched.pane);
      }),
    );
    if (gone.length > 0) await this.processes.scan(gone, true);
    await this.bindingProbe.learnFolders();
  }

  /** Panes of these events in which no agent is known, or one whose process is gone; by the place that the events name. */
  private async findUnsurePanes(envelopes: readonly Envelope[]): Promise<Map<string, Pane>> {
    const wanted = new Map<string, { state: ServerState; paneId: string }>();
    for (const { tmuxSocket, paneId } of envelopes) {
      const state = this.servers.find(
        (server) => server.watched.socketPath === tmuxSocket || server.socketPath === tmuxSocket,
      );
      if (state !== undefined && paneId !== null) wanted.set(placeKey(tmuxSocket, paneId), { state, paneId });
    }
    const unknown = new Set(
      [...wanted.values()]
        .filter(({ state, paneId }) => !state.panes.some((pane) => pane.paneId === paneId))
        .map(({ state }) => state),
    );
    await Promise.all([...unknown].map((state) => this.listServer(state)));

    const live = new Map(
      this.deps.sink
        .watchedRuntimes(this.deps.targetId)
        .map((watched) => [paneKeyString(watched.runtime), watched]),
    );
    const unsure = new Map<string, Pane>();
    await Promise.all(
      [...wanted].map(async ([place, { state, paneId }]) => {
        const pane = state.panes.find((one) => one.paneId === paneId);
        const watched = pane === undefined ? undefined : live.get(paneKeyString(pane));
        if (pane !== undefined && (watched === undefined || !(await this.processes.isAlive(watched))))
          unsure.set(place, pane);
      }),
    );
    return unsure;
  }
}
