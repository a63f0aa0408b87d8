// Agents that run unseen behind a program of the target: inside ssh, a container, another multiplexer. Which program that is
// (`carrierOf`), and whether its screen is one agent's for two looks (`InsideWatch`, which gives such agents to the sink). Whether it
// goes on to be is seen in screenWatch.ts; what a screen proves is the adapters' business.
import { isSameProcess, type Recognised } from "../engine/epoch.ts";
import { paneKeyString, type Pane, type ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import { onScreenAlone } from "../ports/screenAlone.ts";
import type { ScreenLook } from "../tmux/topology.ts";
import type { CollectorSink, WatchedServer } from "./sink.ts";

/** By the file behind the process, else by its name. An editor is none: what its terminals run is below it. */
const CARRIER =
  /^(ssh|telnet|mosh|et|docker|podman|nerdctl|kubectl|lxc|incus|machinectl|distrobox|toolbox|limactl|devcontainer|wsl|screen|tmux)(?:-client|-enter|: client)?(?:\.(?:exe|js))?$/;

export const programOf = ({ comm, file }: ProcessInfo): string => {
  const path = file?.path ?? comm;
  return path.slice(path.lastIndexOf("/") + 1);
};

interface Carrier {
  process: ProcessInfo;
  /** Of the program, as rows say it. */
  name: string;
}

/**
 * The program in front behind which something else draws; null: there is none. `processes`: of a pane, parents before children. What
 * has the terminal beside it, as a pager behind a pipe, may be what draws; a shell or a wrapper above it does not.
 */
export const carrierOf = (processes: readonly ProcessInfo[]): Carrier | null => {
  const front = processes.filter(({ isInFront, isStopped }) => isInFront === true && isStopped !== true);
  const carrier = front.find((process) => CARRIER.test(programOf(process)));
  const name = carrier === undefined ? undefined : CARRIER.exec(programOf(carrier))?.[1];
  if (carrier === undefined || name === undefined) return null;
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const isBelow = (process: ProcessInfo, other: ProcessInfo): boolean => {
    const seen = new Set<number>();
    for (let at = byPid.get(process.ppid); at !== undefined && !seen.has(at.pid); at = byPid.get(at.ppid)) {
      if (at === other) return true;
      seen.add(at.pid);
    }
    return false;
  };
  const isAlone = front.every(
    (process) => process === carrier || isBelow(process, carrier) || isBelow(carrier, process),
  );
  return isAlone ? { process: carrier, name } : null;
};

/** Programs that reach another machine, which may be watched itself. */
const REMOTE: ReadonlySet<string> = new Set(["ssh", "telnet", "mosh", "et"]);

/** Without a person before it and a port after it. */
const hostOf = (machine: string): string => machine.replace(/^.*@/, "").replace(/:\d*$/, "");

/** Options of ssh(1) whose value is the next word. */
const WITH_VALUE = /^-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOoPpQRSWw]$/;

/** Where it goes: the first word of ssh that is no option; of others, which have their own options, any word. */
const goesTo = ({ name, process: { args } }: Carrier, machine: string): boolean => {
  const words = args.split(/\s+/).slice(1);
  if (name !== "ssh") return words.some((word) => hostOf(word) === hostOf(machine));
  const at = words.findIndex(
    (word, index) => !word.startsWith("-") && !WITH_VALUE.test(words[index - 1] ?? ""),
  );
  return hostOf(words[at]?.replace(/^ssh:\/\//, "") ?? "") === hostOf(machine);
};

/** Between the two looks: what is only passing by has gone, and an agent that starts has drawn itself. */
const HOLD_MS = 1_000;
/** The same where the machine is watched: an agent that has just started there gets its row there. */
const WATCHED_HOLD_MS = 10_000;

interface Candidate extends Carrier {
  pane: Pane;
  /** The agent whose screen it was at the last look, and since when. */
  seen: { agentType: string; at: number } | null;
  /** Something may have changed since the last look. */
  isDue: boolean;
}

export class InsideWatch {
  private readonly deps: ConstructorParameters<typeof InsideWatch>[0];
  private readonly candidates = new Map<string, Candidate>();

  constructor(deps: {
    servers: readonly WatchedServer[];
    adapters: { list(): readonly AgentAdapter[] };
    sink: CollectorSink;
    clock: Clock;
  }) {
    this.deps = deps;
  }

  forgetGone(panes: ReadonlySet<string>): void {
    for (const key of this.candidates.keys()) if (!panes.has(key)) this.candidates.delete(key);
  }

  /** For a pane none of whose processes is an agent's: the agent that was found behind its program before, as long as that runs. */
  recognise(pane: Pane, processes: readonly ProcessInfo[]): Recognised | null {
    const { sink } = this.deps;
    const key = paneKeyString(pane);
    const carrier = carrierOf(processes);
    const before = this.candidates.get(key);
    this.candidates.delete(key);
    if (carrier === null) return null;
    const { name: inside, process } = carrier;
    const live = sink.watchedRuntimeIn(pane)?.runtime ?? null;
    if (live?.inside === inside && isSameProcess(live, process))
      // Where it has a row on its own machine by now, this one goes.
      return this.agentsBehind(carrier)?.has(live.agentType) === true
        ? null
        : { agentType: live.agentType, process, inside };
    const seen = before?.process.pid === process.pid ? before.seen : null;
    this.candidates.set(key, { ...carrier, pane, seen, isDue: true });
    return null;
  }

  /** Looks at those screens of the server that may show an agent; does nothing where there are none. */
  async look(server: WatchedServer): Promise<void> {
    const now = this.deps.clock.now();
    const due = [...this.candidates].filter(
      ([, { pane, seen, isDue }]) =>
        pane.server === server.server && (isDue || (seen !== null && now - seen.at >= HOLD_MS)),
    );
    if (due.length === 0) return;
    const hasTmux = due.some(([, { name }]) => name === "tmux");
    const [looks, terminals] = await Promise.all([
      server.look(due.map(([, { pane }]) => pane.paneId)),
      hasTmux ? this.attachedTerminals() : new Set<string>(),
    ]);
    for (const [key, candidate] of due) {
      // A later scan found another program.
      if (this.candidates.get(key) !== candidate) continue;
      candidate.isDue = false;
      const look = looks.get(candidate.pane.paneId);
      const isShownElsewhere = candidate.name === "tmux" && terminals.has(candidate.pane.tty);
      const agentType = look === undefined || isShownElsewhere ? null : this.identify(look, candidate);
      const own = this.agentsBehind(candidate);
      const holdMs = own === null ? HOLD_MS : WATCHED_HOLD_MS;
      // Whether it is the one that has a row there nobody can tell: no wait is told twice.
      if (agentType === null || own?.has(agentType) === true) candidate.seen = null;
      else if (candidate.seen?.agentType !== agentType) candidate.seen = { agentType, at: now };
      else if (now - candidate.seen.at >= holdMs) {
        this.candidates.delete(key);
        const { pane, process, name: inside } = candidate;
        this.deps.sink.applyRecognised(pane, { agentType, process, inside });
      }
    }
  }

  /** Agents that have rows on the machine it goes to; null where that is not watched, or it goes nowhere. */
  private agentsBehind(carrier: Carrier): ReadonlySet<string> | null {
    return REMOTE.has(carrier.name) ? this.deps.sink.agentsAt((machine) => goesTo(carrier, machine)) : null;
  }

  /** Of clients of the servers that are watched: what they show has rows of its own. */
  private async attachedTerminals(): Promise<Set<string>> {
    const clients = await Promise.all(this.deps.servers.map((server) => server.clients()));
    return new Set(clients.flat().map(({ tty }) => tty));
  }

  /** The one agent whose screen this is, and whose state it tells. */
  private identify(look: ScreenLook, { pane: { title }, name }: Candidate): string | null {
    const found = this.deps.adapters.list().filter((adapter) => {
      const reading = onScreenAlone(adapter, name)?.readScreen({ ...look, title }) ?? null;
      return reading !== null && reading.status.state !== "unknown";
    });
    return found.length === 1 ? (found[0]?.agentType ?? null) : null;
  }
}
