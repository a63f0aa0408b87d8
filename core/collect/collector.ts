// The collector of one target: keeps topology, processes, screens and state files up to date in the sink, reading only what may
// have changed. It decides when to list, probe and capture; it never decides what a state is.
import type { Timing } from "../model/config.ts";
import type { Envelope } from "../model/envelope.ts";
import { paneKeyString, type Pane } from "../model/runtime.ts";
import { backgroundPaneId } from "../model/shortRef.ts";
import type { AdapterSource, AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { BindingProbe, EventDelivery, type ListedServer } from "./eventDelivery.ts";
import { LISTEN_MS, OutputWatch, ProcessWatch } from "./processWatch.ts";
import type { Accounts } from "./accounts.ts";
import { BackgroundWatch } from "./backgroundWatch.ts";
import { InsideWatch } from "./insideWatch.ts";
import { ScreenWatch } from "./screenWatch.ts";
import type { CollectorSink, ProcessReader, WatchedRuntime, WatchedServer } from "./sink.ts";

const SLOW_LISTING_MS = 2_000;
const DOWN_AFTER_FAILURES = 3;
const UNANSWERED = "it has not answered yet";

interface ServerState extends ListedServer {
  watched: WatchedServer;
  failures: number;
  /** Why the last listing failed. */
  problem: string | null;
  tookMs: number;
  /** Null where no server runs. */
  serverPid: number | null;
  isListing: Promise<void> | null;
}

const notListed = (watched: WatchedServer): ServerState => ({
  watched,
  panes: [],
  socketPath: null,
  failures: 0,
  problem: null,
  tookMs: 0,
  serverPid: null,
  isListing: null,
});

/** How long the others are waited for once the first is done. */
const PATIENCE_MS = 1_500;
const areAmong = (panes: readonly Pane[], known: readonly Pane[]): boolean =>
  panes.every(({ paneId }) => known.some((one) => one.paneId === paneId));

/** How long the first answer waits for what runs in the background. */
const FIRST_LOOK_MS = 5_000;

/** Resolves when all works are done, or PATIENCE_MS after the first; the others go on. A single one is waited for. */
const mostOf = async (works: readonly Promise<void>[], clock: Clock): Promise<void> => {
  if (works.length < 2) return void (await Promise.all(works));
  const late = Promise.withResolvers<void>();
  let cancel = (): void => {};
  void Promise.race(works).then(
    () => (cancel = clock.setTimer(PATIENCE_MS, late.resolve)),
    () => {},
  );
  await Promise.race([Promise.all(works), late.promise]).finally(() => cancel());
};

export class Collector {
  private readonly deps: ConstructorParameters<typeof Collector>[0];
  private readonly servers: ServerState[];
  /** Sessions that no pane shows, listed like a tmux server. */
  private readonly background: BackgroundWatch;
  private readonly backgroundState: ServerState;
  private readonly inside: InsideWatch;
  private readonly processes: ProcessWatch;
  private readonly screens: ScreenWatch;
  private readonly outputs: OutputWatch;
  private readonly bindingProbe: BindingProbe;
  private readonly delivery: EventDelivery<ServerState>;
  private cancelListing: (() => void) | null = null;
  private isClosed = false;
  /** False until everything was read, at the start and after the target was down; until then it is not reported as back. */
  private hasSight = false;
  private isStarted = false;
  private isLookingAround = false;

  constructor(deps: {
    targetId: string;
    servers: readonly WatchedServer[];
    processes: ProcessReader;
    executor: TargetExecutor;
    sink: CollectorSink;
    adapters: AdapterSource;
    accounts: Accounts;
    timing: () => Timing;
    clock: Clock;
    logger: Logger;
  }) {
    this.deps = deps;
    const { adapters, processes, executor } = deps;
    this.servers = deps.servers.map(notListed);
    const guard = (work: Promise<void>): void => this.guard(work);
    this.background = new BackgroundWatch({
      ...deps,
      kind: executor.kind,
      files: executor.files,
      accountsOf: (adapter) => deps.accounts.all(adapter),
      adapters: () => adapters.list(),
      isGone: (pid) => processes.isGone(pid),
      terminals: (adapter, account) =>
        this.isStarted
          ? this.agents(adapter)
              .filter(({ pane }) => pane.server !== this.background.server)
              .filter(({ pane }) => this.background.mayShow(paneKeyString(pane)))
              .filter(({ account: own }) => (own ?? account)?.configDir === (account ?? own)?.configDir)
              .map(({ runtime }) => runtime.agentSessionId)
          : null,
      hasRow: (id) => this.agents().some(({ pane }) => pane.paneId === backgroundPaneId(id)),
      onNews: () => this.guard(this.listNow(this.background.server)),
    });
    this.backgroundState = notListed(this.background);
    this.inside = new InsideWatch(deps);
    this.processes = new ProcessWatch({
      ...deps,
      inside: this.inside,
      identify: (found) => adapters.identify(found),
      background: this.background,
    });
    this.outputs = new OutputWatch(deps);
    this.screens = new ScreenWatch({
      ...deps,
      servers: [...deps.servers, this.background],
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
    this.delivery = new EventDelivery({
      targetId: deps.targetId,
      sink: deps.sink,
      servers: this.servers,
      processes: this.processes,
      learnFolders: () => this.bindingProbe.learnFolders(),
      listServer: (state) => this.listServer(state),
      listNewSessions: () => {
        this.background.expectNew();
        return this.listServer(this.backgroundState);
      },
    });
  }

  /**
   * Resolves once everything was read, so that the first answer to anybody is true. A server that hardly answers is not waited for,
   * and is reported as one that has not answered yet. `takeEvents` takes in the events that waited while nobody watched.
   */
  async start(takeEvents?: () => Promise<void>): Promise<void> {
    await this.screens.start();
    await this.listServers();
    const inBackground = this.backgroundState.isListing;
    for (const state of this.servers) if (state.isListing !== null) this.applyUnanswered(state);
    await this.screens.readAll();
    await takeEvents?.();
    this.isStarted = true;
    this.regainSight();
    this.scheduleListing();
    // Rows of panes are true by now; that no agent runs is true once this is known, too.
    if (inBackground !== null && this.deps.executor.kind === "local")
      await this.within(inBackground, FIRST_LOOK_MS);
  }

  /** The set of recognised agents changed: every pane's processes and screen are read again with the next listing. */
  rescan(): void {
    this.expectChanges();
    this.processes.forgetAll();
    this.screens.forgetAll();
    for (const state of this.all()) this.guard(this.listServer(state));
  }

  /** The same, but at once; resolves when all was read. Never rejects. */
  async resync(): Promise<void> {
    this.expectChanges();
    this.processes.forgetAll();
    const look = Promise.all(this.all().map((state) => this.listServer(state)));
    const read = look.then(() => this.screens.readAll());
    this.guard(read);
    // The guard has logged the failure.
    await read.catch(() => {});
  }

  private all(): ServerState[] {
    return [this.backgroundState, ...this.servers];
  }

  /** A probe may miss changes of the last second; here they count too. */
  private expectChanges(): void {
    for (const { watched } of this.all()) watched.expectChange();
  }

  /** How closely something is watched has changed: the next read may be due earlier. */
  scheduleReads(): void {
    this.screens.schedule();
  }

  /** Checks which agents still run, except those checked a moment ago. Never rejects. */
  async verifyProcesses(): Promise<void> {
    const look = this.processes.verifyRuntimes();
    this.guard(look);
    // The guard has logged the failure.
    await look.catch(() => {});
  }

  /** Resolves when the server was listed by a listing that began after this call. Never rejects. */
  async listNow(server: string): Promise<void> {
    const state = this.all().find(({ watched }) => watched.server === server);
    if (state === undefined) return;
    // A listing that is already running may have asked tmux before this call.
    while (state.isListing !== null) await state.isListing.catch(() => {});
    if (state !== this.backgroundState) state.watched.expectChange();
    const look = this.listServer(state);
    this.guard(look);
    await look.catch(() => {});
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelListing?.();
    this.processes.close();
    this.screens.close();
    this.outputs.close();
    this.bindingProbe.close();
    await Promise.all(this.all().map((state) => state.watched.close()));
  }

  /** A piece of work that fails may not stop the next one. */
  private guard(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.isClosed)
        this.deps.logger.error({ error, target: this.deps.targetId }, "a look at the target failed");
    });
  }

  /** `hasNews`: what was written before the last listing may have reached tmux only after it, so that another one comes soon. */
  private scheduleListing(hasNews = false): void {
    if (this.isClosed) return;
    const { clock, timing } = this.deps;
    const usualMs = timing().topology_interval_ms;
    this.outputs.afterListing(this.servers);
    const { metersAll } = this.outputs;
    const pauses = this.servers.map(({ watched, tookMs }) => watched.pauseMs(usualMs, { tookMs, metersAll }));
    const pauseMs = Math.min(...(hasNews ? [LISTEN_MS] : []), ...(pauses.length === 0 ? [usualMs] : pauses));
    this.awaitListing(clock.now() + pauseMs, metersAll);
  }

  /** Lists when it is due, or as soon as a meter has news. */
  private awaitListing(dueAt: number, isListening: boolean): void {
    const { clock } = this.deps;
    const leftMs = Math.max(0, dueAt - clock.now());
    this.cancelListing = clock.setTimer(isListening ? Math.min(leftMs, LISTEN_MS) : leftMs, () => {
      const hasNews = this.outputs.hasNews();
      if (clock.now() < dueAt && !hasNews) {
        this.awaitListing(dueAt, isListening);
        return;
      }
      this.outputs.beforeListing();
      this.guard(this.listServers().finally(() => this.scheduleListing(hasNews)));
    });
  }

  // Topology and processes.

  /** Lists all servers, without waiting for those that hardly answer: their listings count when they come. */
  private async listServers(): Promise<void> {
    // Which session a pane shows is known by what runs in the background. What stands still must not hold up the rest.
    const inBackground = this.listServer(this.backgroundState);
    this.guard(inBackground);
    if (this.deps.executor.kind === "local") await this.within(inBackground, PATIENCE_MS);
    const listings = this.servers.map((state) => this.listServer(state));
    // A listing that fails when nobody waits for it any more is repeated by the next one.
    for (const listing of listings) listing.catch(() => {});
    await mostOf(listings, this.deps.clock);
  }

  /** Resolves with the work, or after that time; never rejects. */
  private async within(work: Promise<void>, patienceMs: number): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = this.deps.clock.setTimer(patienceMs, late.resolve);
    // Whoever handed it over logs its failure.
    await Promise.race([work.catch(() => {}), late.promise]).finally(() => cancel());
  }

  /** Until it answers, nothing of it is known. */
  private applyUnanswered({ watched }: ServerState): void {
    this.deps.sink.applyTopology({
      status: "error",
      mode: "none",
      problem: UNANSWERED,
      instance: null,
      panes: [],
      targetId: this.deps.targetId,
      server: watched.server,
    });
  }

  /** One listing at a time per server; a caller that comes during one gets its result. */
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
    // Health is that of tmux.
    if (state !== this.backgroundState) this.tellHealth();
    if (listing.status !== "error") {
      // A pane may have shown it before it was known.
      if (state === this.backgroundState && !areAmong(listing.panes, state.panes)) this.processes.forgetAll();
      state.panes = listing.panes;
    }
    state.serverPid = listing.instance?.pid ?? null;
    state.socketPath = listing.instance?.socketPath ?? state.socketPath;
    sink.applyTopology({ ...listing, targetId, server: state.watched.server });
    // What runs in the background is listed beside the servers, once a second: theirs is enough.
    if (state !== this.backgroundState) this.forgetGone();
    await this.processes.scan(state.panes, false);
    await this.processes.verifyRuntimes();
    if (state !== this.backgroundState) this.background.noteTerminals();
    await this.inside.look(state.watched);
    await this.bindingProbe.learnFolders();
    this.screens.schedule();
    if (this.isStarted && !this.hasSight && !this.isDown() && !this.isLookingAround)
      this.guard(this.lookAround());
  }

  /** After an outage, a server whose listing succeeds first does not wait for the others. */
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

  private agents(adapter?: AgentAdapter): WatchedRuntime[] {
    const { sink, targetId } = this.deps;
    return sink.watchedRuntimes(
      targetId,
      ({ agentType }) => adapter === undefined || agentType === adapter.agentType,
    );
  }

  private forgetGone(): void {
    const panes = new Set(this.all().flatMap((state) => state.panes.map(paneKeyString)));
    const runtimes = new Set(
      this.deps.sink.watchedRuntimes(this.deps.targetId).map(({ runtime }) => runtime.runtimeId),
    );
    this.processes.forgetGone(panes, runtimes);
    this.inside.forgetGone(panes);
    this.background.forgetPanes(panes);
    this.screens.forgetGone(runtimes);
  }

  /** Hands a drained batch to the sink: see EventDelivery. */
  async deliver(envelopes: readonly Envelope[]): Promise<void> {
    await this.delivery.deliver(envelopes);
    // The batch is committed even if this probe fails.
    this.guard(this.bindingProbe.handleChange().then(() => this.background.noteTerminals()));
    this.screens.schedule();
  }
}
