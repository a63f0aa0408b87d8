// The processes of a target's panes: what a pane without a known agent runs, which agents that rest have written (`OutputWatch`),
// and which agent runs where and whether it still does (`ProcessWatch`, which gives the recognised agents to the sink). It reads
// when something may have changed; how processes are read is in core/tmux.
import type { Config } from "../model/config.ts";
import { type ProcessInfo, type Pane, paneKeyString } from "../model/runtime.ts";
import type { AgentAdapter, IdentifyMatch } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Meter, ProcessLife } from "../ports/targetExecutor.ts";
import {
  type CollectorSink,
  type ProcessReader,
  type WatchedRuntime,
  toProcess,
  createYielding,
} from "./sink.ts";
import type { Recognised } from "../engine/epoch.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";
import type { Accounts } from "./accounts.ts";
import type { BackgroundWatch } from "./backgroundWatch.ts";
import { programOf, type InsideWatch } from "./insideWatch.ts";

// Beside the adapters: a process that a person named as an agent in `config.json` (`agents.<type>.programs`: a wrapper around a
// container, or a name of their own), and why no agent is recognised.

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Every name under which a process may be meant: its own, its program's and, where another program runs it, its script's. */
const namesOf = ({ comm, args, file }: ProcessInfo): string[] => {
  const [program = "", script = ""] = args.split(/\s+/, 2);
  const paths = [program, script, ...(file === undefined ? [] : [file.path])];
  return [comm, ...paths, ...paths.map(baseName)];
};

/** The first process, parents before children, that the person named; null: none. */
export const findNamed = (
  processes: readonly ProcessInfo[],
  agents: Config["agents"],
  byAgentType: (agentType: string) => AgentAdapter | null,
): { adapter: AgentAdapter; match: IdentifyMatch } | null => {
  const named = Object.entries(agents).filter(([, { programs }]) => programs.length > 0);
  if (named.length === 0) return null;
  for (const process of processes) {
    const names = namesOf(process);
    for (const [agentType, { programs }] of named) {
      const adapter = byAgentType(agentType);
      const program = programs.find((one) => names.includes(one));
      if (adapter === null || program === undefined) continue;
      const sign = `"${program}", which config.json names for it`;
      return { adapter, match: { process, confidence: "medium", sign } };
    }
  }
  return null;
};

const UNPROVED = "its screen alone proves no agent now";
const REMOTE = `add the machine as a target (agtmux target add); ${UNPROVED}`;
const CONTAINER = `what runs in a container is not seen, and ${UNPROVED}; a wrapper of it can stand for an agent (agents.<type>.programs in config.json)`;
const REASONS: readonly (readonly [program: RegExp, remedy: string])[] = [
  [/^(ssh|autossh|mosh(-client)?|et|telnet)$/, REMOTE],
  [/^tmux(: client)?$/, `name its server in config.json (tmux_servers) to watch what is in it; ${UNPROVED}`],
  [/^screen$/i, `what runs in another terminal multiplexer is not seen, and ${UNPROVED}`],
  [
    /^(docker|podman|nerdctl|kubectl|lxc|incus|machinectl|nsenter|distrobox(-enter)?|toolbox|limactl|devcontainer|wsl)$/,
    CONTAINER,
  ],
];
const MAX_NAMED = 5;

/** Why no agent is recognised, in one sentence. `processes`: of the pane, parents before children. */
export const whyNoAgent = (processes: readonly ProcessInfo[]): string => {
  const names = processes.map(programOf);
  for (const name of names.toReversed())
    for (const [program, remedy] of REASONS)
      if (program.test(name)) return `its program is ${name}: ${remedy}`;
  if (names.length === 0) return "no agent was recognised in this pane, and its processes cannot be read";
  const named = [...new Set(names)].slice(-MAX_NAMED).join(", ");
  return `no agent was recognised in this pane; it runs ${named}`;
};

// Output between two listings: the kernel counts what each process writes, and which children a server has. A listing is dear, and
// this costs next to nothing, so while all agents rest and all have a meter, listings are rarer, and an agent that begins to draw
// is noticed sooner.

/** How often the meters are read, ms. */
export const LISTEN_MS = 450;
/** An agent that wrote within this time works; that it goes on is no news. */
const RESTS_AFTER_MS = 1_500;
/** An agent that has drawn its screen has written more; a program that only started the agent has not. */
const MIN_WRITTEN_BYTES = 1_024;
/** Each takes a file descriptor of ours. */
const MAX_METERS = 256;

interface MeteredAgent {
  meter: Meter<number>;
  pid: number;
  /** Null once it has ended. */
  written: number | null;
  /** When it last wrote, epoch ms. */
  wroteAt: number;
  /** What had been written when the last listing began, and the one before it; null before there was one. */
  atListing: number | null;
  atListingBefore: number | null;
  /** tmux's time of the last output in its window, as of the last listing. */
  activity: number;
  /** Its window showed output of which its process wrote nothing: another process draws there. */
  isDrawnByAnother: boolean;
}

/** A tmux server after a listing. */
interface Listed {
  watched: { readonly server: string };
  /** Null where none runs. */
  serverPid: number | null;
  panes: readonly Pane[];
}

interface MeteredServer {
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
  private readonly agents = new Map<string, MeteredAgent>();
  private readonly servers = new Map<string, MeteredServer>();
  private metersEverything = false;

  constructor(deps: OutputWatch["deps"]) {
    this.deps = deps;
  }

  /** Every agent and every server has a meter: between listings nothing that matters goes unnoticed. */
  get metersAll(): boolean {
    return this.metersEverything;
  }

  /** An agent that rested has written something or ended, or a server has other panes. */
  hasNews(): boolean {
    const now = this.deps.clock.now();
    let isNews = false;
    for (const metered of this.agents.values()) {
      const written = metered.meter.read();
      if (written === metered.written) continue;
      if (written === null || now - metered.wroteAt >= RESTS_AFTER_MS) isNews = true;
      metered.written = written;
      metered.wroteAt = now;
    }
    for (const metered of this.servers.values()) {
      const children = metered.meter.read() ?? "";
      if (children !== metered.children) isNews = true;
      metered.children = children;
    }
    return isNews;
  }

  /** To be called just before the servers are listed. */
  beforeListing(): void {
    for (const metered of this.agents.values()) {
      metered.atListingBefore = metered.atListing;
      metered.atListing = metered.meter.read();
    }
  }

  /** To be called after a listing: meters the agents and servers that there are now. */
  afterListing(servers: readonly Listed[]): void {
    const { processes, sink, targetId } = this.deps;
    if (processes.meterOutput === undefined) return;
    // Sessions without a pane say by their files what they do.
    const watched = sink.watchedRuntimes(targetId).filter(({ pane }) => pane.server !== BACKGROUND_SERVER);
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
    const agents = watched.map((one) => this.meterAgent(one, isAlone(one)));
    const metered = servers.map(({ watched: { server }, serverPid }) => this.meterServer(server, serverPid));
    this.metersEverything = [...agents, ...metered].every((isMetered) => isMetered);
  }

  close(): void {
    this.dropAllBut(new Map(), new Map());
  }

  /** Whether its meter shows all that it writes. */
  private meterAgent({ runtime: { runtimeId, pid }, pane }: WatchedRuntime, isAlone: boolean): boolean {
    const metered = this.agents.get(runtimeId) ?? this.openMeter(runtimeId, pid);
    if (metered === null) return false;
    const written = metered.meter.read();
    // Output that tmux saw since the listing before was written after that listing began.
    if (isAlone && pane.windowActivity !== metered.activity && written === metered.atListingBefore)
      metered.isDrawnByAnother = true;
    metered.activity = pane.windowActivity;
    return !metered.isDrawnByAnother && written !== null && written >= MIN_WRITTEN_BYTES;
  }

  private openMeter(runtimeId: string, pid: number | null): MeteredAgent | null {
    if (pid === null || this.agents.size >= MAX_METERS) return null;
    const meter = this.deps.processes.meterOutput?.(pid) ?? null;
    if (meter === null) return null;
    const wroteAt = this.deps.clock.now();
    const metered = {
      meter,
      pid,
      written: meter.read(),
      wroteAt,
      atListing: null,
      atListingBefore: null,
      activity: 0,
      isDrawnByAnother: false,
    };
    this.agents.set(runtimeId, metered);
    return metered;
  }

  private meterServer(server: string, pid: number | null): boolean {
    if (this.servers.has(server)) return true;
    const meter = pid === null ? null : (this.deps.processes.meterChildren?.(pid) ?? null);
    if (meter === null || pid === null) return false;
    this.servers.set(server, { meter, pid, children: meter.read() ?? "" });
    return true;
  }

  /** Closes the meters of all others; each runtime and server comes with the process that it has now. */
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

// Scans: which panes' processes are worth reading now. A pane with a live runtime is only verified; one without is read when
// something moved in it; everything is read again now and then, because a silent change must be noticed too.

interface LastScan {
  at: number;
  panePid: number;
  title: string;
}

const SWEEP_MS = 60_000;
const MIN_GAP_MS = 700;

export const isScanDue = (
  pane: Pane,
  last: LastScan | undefined,
  isSettled: boolean,
  now: number,
): boolean => {
  if (last === undefined || last.panePid !== pane.panePid) return true;
  if (now - last.at >= SWEEP_MS) return true;
  if (isSettled || now - last.at < MIN_GAP_MS) return false;
  return last.title !== pane.title || pane.windowActivity >= Math.floor(last.at / 1_000);
};

const VERIFY_MS = 2_000;

interface Identified {
  adapter: AgentAdapter;
  match: IdentifyMatch;
}

export class ProcessWatch {
  private readonly deps: ConstructorParameters<typeof ProcessWatch>[0];
  private readonly scans = new Map<string, LastScan>();
  private readonly verified = new Map<string, number>();
  private isClosed = false;

  constructor(deps: {
    targetId: string;
    processes: ProcessReader;
    sink: CollectorSink;
    identify: (processes: readonly ProcessInfo[]) => Identified | null;
    background: Pick<
      BackgroundWatch,
      "recognise" | "sessionIdOf" | "noteViewer" | "noteApart" | "mayRoam" | "viewOf"
    >;
    accounts: Pick<Accounts, "learn" | "of">;
    inside: Pick<InsideWatch, "recognise">;
    clock: Clock;
  }) {
    this.deps = deps;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Everything is read again with the next scan. */
  forgetAll(): void {
    this.scans.clear();
  }

  forgetGone(panes: ReadonlySet<string>, runtimes: ReadonlySet<string>): void {
    for (const key of this.scans.keys()) if (!panes.has(key)) this.scans.delete(key);
    for (const id of this.verified.keys()) if (!runtimes.has(id)) this.verified.delete(id);
  }

  /** Reads the processes of those panes that are due, or of all of them when forced. */
  async scan(panes: readonly Pane[], isForced: boolean): Promise<void> {
    const now = this.deps.clock.now();
    const live = new Set(
      this.deps.sink.watchedRuntimes(this.deps.targetId).map(({ runtime }) => paneKeyString(runtime)),
    );
    const due = panes.filter((pane) => {
      const key = paneKeyString(pane);
      const isSettled = live.has(key) && !this.deps.background.mayRoam(key, pane.title);
      return isForced || isScanDue(pane, this.scans.get(key), isSettled, now);
    });
    if (due.length === 0) return;
    const trees = await this.deps.processes.ofPanes(due.map((pane) => pane.panePid));
    const yieldToEventLoop = createYielding(this.deps.clock);
    const all: { pane: Pane; processes: readonly ProcessInfo[]; found: Identified | null }[] = [];
    for (const pane of due) {
      await yieldToEventLoop();
      const processes = pane.isDead ? [] : (trees.get(pane.panePid) ?? []);
      const found = pane.server === BACKGROUND_SERVER ? null : this.deps.identify(processes);
      all.push({ pane, processes, found });
    }
    await this.deps.accounts.learn(
      all.flatMap(({ found }) => (found === null ? [] : [{ ...found, process: found.match.process }])),
    );
    for (const { pane, processes, found } of all) {
      await yieldToEventLoop();
      const view = found === null ? undefined : await this.viewOf(pane, found);
      if (this.isClosed) return;
      // A later scan was faster: what it found is newer.
      if ((this.scans.get(paneKeyString(pane))?.at ?? 0) > now) continue;
      this.scans.set(paneKeyString(pane), { at: now, panePid: pane.panePid, title: pane.title });
      const recognised =
        pane.server === BACKGROUND_SERVER
          ? this.deps.background.recognise(pane, processes)
          : this.recognise(pane, { processes, found, view });
      if (recognised !== "listing") this.deps.sink.applyRecognised(pane, recognised);
    }
  }

  private viewOf(pane: Pane, { adapter, match }: Identified): Promise<string | null | undefined> {
    const { accounts, background } = this.deps;
    const account = accounts.of(match.process);
    return background.viewOf(pane, { adapter, process: match.process, account });
  }

  private recognise(
    pane: Pane,
    {
      processes,
      found,
      view,
    }: { processes: readonly ProcessInfo[]; found: Identified | null; view: string | null | undefined },
  ): Recognised | null {
    const { accounts, background, inside } = this.deps;
    const { background: sessions } = found?.adapter ?? {};
    const named = found === null ? null : (view ?? sessions?.shownBy(found.match.process) ?? null);
    // Where every terminal shows some session, its command line says which one it showed first.
    const first = sessions?.startsInTerminals === true ? named : null;
    const sessionId =
      found === null || named === null || first !== null
        ? first
        : background.sessionIdOf(found.adapter.agentType, named);
    const shown = sessionId === null || first !== null ? null : named;
    background.noteViewer(paneKeyString(pane), shown);
    background.noteApart(
      paneKeyString(pane),
      found !== null && sessions?.isApart?.(found.match.process) === true,
    );
    if (found === null) return inside.recognise(pane, processes);
    const { agentType } = found.adapter;
    const { process } = found.match;
    const account = accounts.of(process);
    const roaming = view === undefined ? {} : { view, isViewer: true };
    const recognised = { agentType, process, ...(account === null ? {} : { account }), ...roaming };
    if (sessionId === null) return recognised;
    return { ...recognised, sessionId, isViewer: true };
  }

  /** Checks live runtimes whose process is gone or was not seen for a while. If one is gone, its whole pane is read at once. */
  async verifyRuntimes(): Promise<void> {
    const { clock, processes, sink, targetId } = this.deps;
    const now = clock.now();
    const due = sink
      .watchedRuntimes(targetId)
      .filter(
        ({ runtime }) =>
          (runtime.pid !== null && processes.isGone(runtime.pid)) ||
          now - (this.verified.get(runtime.runtimeId) ?? 0) >= VERIFY_MS,
      );
    const gone: Pane[] = [];
    await Promise.all(
      due.map(async (watched) => {
        const { pane, runtime } = watched;
        // Whoever suspends an agent makes the shell print.
        const hasPrinted =
          pane.windowActivity >= Math.floor((this.verified.get(runtime.runtimeId) ?? 0) / 1_000);
        const life = await this.lifeOf(watched, { isFull: hasPrinted });
        if (life === "gone") return gone.push(pane);
        this.verified.set(runtime.runtimeId, now);
        const process = { ...toProcess(watched), isStopped: life === "stopped" };
        sink.applyRecognised(pane, { agentType: runtime.agentType, process });
        return undefined;
      }),
    );
    if (gone.length > 0 && !this.isClosed) await this.scan(gone, true);
  }

  async isAlive(watched: WatchedRuntime): Promise<boolean> {
    return (await this.lifeOf(watched)) !== "gone";
  }

  private async lifeOf({ runtime }: WatchedRuntime, look?: { isFull: boolean }): Promise<ProcessLife> {
    const { pid, processStartedAt } = runtime;
    return pid === null || processStartedAt === null
      ? "gone"
      : this.deps.processes.lifeOf(pid, processStartedAt, look);
  }
}
