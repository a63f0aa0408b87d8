// Hears agents that rest, between two looks at tmux: the kernel counts what each process writes, and which children a server has.
// A look at a server is dear, and this is next to nothing, so while all agents rest and all can be heard, looks are rarer, and an
// agent that begins to draw is seen sooner.
import type { Clock } from "../ports/clock.ts";
import type { Meter } from "../ports/processTree.ts";
import type { Pane } from "../model/runtime.ts";
import type { CollectorSink, ProcessReader, WatchedRuntime } from "./sink.ts";

/** How often to listen, ms. */
export const LISTEN_MS = 450;
/** An agent that wrote this short a time ago works; that it goes on is no news. */
const RESTS_AFTER_MS = 1_500;
/** An agent that has drawn its screen has written more; a program that only started the agent has not. */
const MIN_WRITTEN_BYTES = 1_024;
/** Each takes a file descriptor of ours. */
const MAX_METERS = 256;

interface Ear {
  meter: Meter<number>;
  pid: number;
  /** Null once it has ended. */
  written: number | null;
  /** When it last wrote, epoch ms. */
  wroteAt: number;
  /** What had been written when the last look began, and the one before it; null before there was one. */
  atLook: number | null;
  atLookBefore: number | null;
  /** tmux's time of the last output in its window, of the last look. */
  activity: number;
  /** Its window showed output of which its process wrote nothing: another process draws there. */
  isDeaf: boolean;
}

/** A tmux server after a look. */
interface Looked {
  watched: { readonly server: string };
  /** Null where none runs. */
  serverPid: number | null;
  panes: readonly Pane[];
}

interface ServerEar {
  meter: Meter<string>;
  pid: number;
  children: string;
}

export class OutputWatch {
  private readonly deps: {
    targetId: string;
    processes: ProcessReader;
    sink: CollectorSink;
    clock: Clock;
  };
  private readonly agents = new Map<string, Ear>();
  private readonly servers = new Map<string, ServerEar>();
  private hearsEverything = false;

  constructor(deps: OutputWatch["deps"]) {
    this.deps = deps;
  }

  /** Every agent and every server can be heard: between looks nothing of what matters goes unnoticed. */
  get hearsAll(): boolean {
    return this.hearsEverything;
  }

  /** An agent that rested has written something or ended, or a server has other panes. */
  hasHeard(): boolean {
    const now = this.deps.clock.now();
    let isNews = false;
    for (const ear of this.agents.values()) {
      const written = ear.meter.read();
      if (written === ear.written) continue;
      if (written === null || now - ear.wroteAt >= RESTS_AFTER_MS) isNews = true;
      ear.written = written;
      ear.wroteAt = now;
    }
    for (const ear of this.servers.values()) {
      const children = ear.meter.read() ?? "";
      if (children !== ear.children) isNews = true;
      ear.children = children;
    }
    return isNews;
  }

  /** To be called just before a look at the servers. */
  beforeLook(): void {
    for (const ear of this.agents.values()) {
      ear.atLookBefore = ear.atLook;
      ear.atLook = ear.meter.read();
    }
  }

  /** To be called after a look: listens to the agents and servers that there are now. */
  afterLook(servers: readonly Looked[]): void {
    const { processes, sink, targetId } = this.deps;
    if (processes.meterOutput === undefined) return;
    const watched = sink.watchedRuntimes(targetId);
    this.dropAllBut(
      new Map(watched.map(({ runtime }) => [runtime.runtimeId, runtime.pid])),
      new Map(servers.map(({ watched: { server }, serverPid }) => [server, serverPid])),
    );
    const panesOfWindow = Map.groupBy(
      servers.flatMap(({ panes }) => panes),
      ({ server, windowId }) => `${server} ${windowId}`,
    );
    const isAlone = ({ pane }: WatchedRuntime): boolean =>
      panesOfWindow.get(`${pane.server} ${pane.windowId}`)?.length === 1;
    const agents = watched.map((one) => this.listenTo(one, isAlone(one)));
    const heard = servers.map(({ watched: { server }, serverPid }) => this.listenToServer(server, serverPid));
    this.hearsEverything = [...agents, ...heard].every((isHeard) => isHeard);
  }

  close(): void {
    this.dropAllBut(new Map(), new Map());
  }

  /** Whether it can be heard. */
  private listenTo({ runtime: { runtimeId, pid }, pane }: WatchedRuntime, isAlone: boolean): boolean {
    const ear = this.agents.get(runtimeId) ?? this.openEar(runtimeId, pid);
    if (ear === null) return false;
    const written = ear.meter.read();
    // What tmux saw since the look before, the process has written after that look began.
    if (isAlone && pane.windowActivity !== ear.activity && written === ear.atLookBefore) ear.isDeaf = true;
    ear.activity = pane.windowActivity;
    return !ear.isDeaf && written !== null && written >= MIN_WRITTEN_BYTES;
  }

  private openEar(runtimeId: string, pid: number | null): Ear | null {
    if (pid === null || this.agents.size >= MAX_METERS) return null;
    const meter = this.deps.processes.meterOutput?.(pid) ?? null;
    if (meter === null) return null;
    const wroteAt = this.deps.clock.now();
    const ear = {
      meter,
      pid,
      written: meter.read(),
      wroteAt,
      atLook: null,
      atLookBefore: null,
      activity: 0,
      isDeaf: false,
    };
    this.agents.set(runtimeId, ear);
    return ear;
  }

  private listenToServer(server: string, pid: number | null): boolean {
    if (this.servers.has(server)) return true;
    const meter = pid === null ? null : (this.deps.processes.meterChildren?.(pid) ?? null);
    if (meter === null || pid === null) return false;
    this.servers.set(server, { meter, pid, children: meter.read() ?? "" });
    return true;
  }

  /** Each with the process that it has now. */
  private dropAllBut(
    runtimes: ReadonlyMap<string, number | null>,
    servers: ReadonlyMap<string, number | null>,
  ): void {
    for (const [id, { meter, pid }] of this.agents)
      if (runtimes.get(id) !== pid) {
        meter.close();
        this.agents.delete(id);
      }
    for (const [server, { meter, pid }] of this.servers)
      if (servers.get(server) !== pid) {
        meter.close();
        this.servers.delete(server);
      }
  }
}
