// Drained events on their way to the sink: which panes and processes must be looked at before an event may count for a runtime.
import type { Envelope } from "../model/envelope.ts";
import { paneKeyString, type Pane } from "../model/runtime.ts";
import { readWrapperEvent } from "../model/wrapperEvent.ts";
import type { ProcessWatch } from "./processWatch.ts";
import type { CollectorSink, WatchedServer } from "./sink.ts";

/** A server with the panes that its last listing found. */
export interface ListedServer {
  watched: Pick<WatchedServer, "socketPath">;
  panes: readonly Pane[];
  /** The path that the server itself names: on some systems the configured path goes through a symlink. */
  socketPath: string | null;
}

export interface EventDeliveryDeps<S extends ListedServer> {
  targetId: string;
  sink: CollectorSink;
  servers: readonly S[];
  processes: Pick<ProcessWatch, "scan" | "isAlive">;
  /** Reads the working folders of all runtimes that events from other panes may name. */
  learnFolders: () => Promise<void>;
  listServer: (server: S) => Promise<void>;
}

/** The place that an event says it comes from. */
const placeKey = (tmuxSocket: string | null, paneId: string | null): string => `${tmuxSocket}/${paneId}`;

export class EventDelivery<S extends ListedServer> {
  private readonly deps: EventDeliveryDeps<S>;

  constructor(deps: EventDeliveryDeps<S>) {
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
