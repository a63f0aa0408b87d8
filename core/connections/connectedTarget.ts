// One connected target with all that belongs to it: its executor, its tmux servers, its processes and the collector that watches
// them. It exists as long as one connection, which is opened, closed and renewed elsewhere. Also the list of the targets that are
// connected right now, and what features reach of one.
import { Accounts } from "../collect/accounts.ts";
import type { AccountMemory } from "../config/accountMemory.ts";
import { Collector } from "../collect/collector.ts";
import { watchServer } from "../collect/serverWatch.ts";
import type { CollectorSink, WatchedServer } from "../collect/sink.ts";
import type { Timing } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, ProcessInfo } from "../model/runtime.ts";
import type { AdapterSource } from "../ports/agentAdapter.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor, ProcessTree } from "../ports/targetExecutor.ts";
import { knowledgeOf, type FoundTmux } from "../tmux/findTmux.ts";
import type { TmuxSocket } from "../tmux/servers.ts";
import { createIncrementalProbe, type ScreenLook } from "../tmux/topology.ts";
import { createTmuxCalls, type TmuxCalls } from "../tmux/tmuxCalls.ts";
import { createTmuxServer } from "../tmux/tmuxServer.ts";
import type { FeatureContext } from "../ports/feature.ts";

/** The options in which targets differ. */
export interface ConnectedTargetParts {
  executor: TargetExecutor;
  /** The executor through which watching reads: `executor` itself, or the one remote shell of a connection. */
  reader?: TargetExecutor;
  /** Null: no tmux was found there. */
  tmux: FoundTmux | null;
  servers: readonly TmuxSocket[];
  processes: ProcessTree;
  /** Takes in the events that wait in its spool at this moment. @throws Error where they cannot be read. */
  takeEvents(): Promise<void>;
  /** Turns a command of the target into one for a person's terminal here; absent where no change is needed. */
  toTerminal?: (argv: readonly string[]) => string[];
}

export const createConnectedTarget = (
  deps: ConnectedTargetParts & {
    sink: CollectorSink;
    adapters: AdapterSource;
    accountMemory: AccountMemory;
    /** Folders of an agent that config.json names. */
    namedAccounts: (agentType: string) => readonly string[];
    timing: () => Timing;
    clock: Clock;
    ids: IdSource;
    logger: Logger;
  },
) => {
  const { executor, tmux, servers, processes, clock, ids, logger } = deps;
  const reader = deps.reader ?? executor;
  const callsOver = (over: TargetExecutor, found: FoundTmux, socket: TmuxSocket): TmuxCalls =>
    createTmuxCalls({
      executor: over,
      tmuxPath: found.path,
      knowledge: async () => knowledgeOf(found.version),
      socket,
      clock,
    });
  /** On a connection each byte and each program of the remote side counts. */
  const isFar = executor.kind === "ssh";
  const watch = (found: FoundTmux, socket: TmuxSocket): WatchedServer => {
    const server = createTmuxServer({
      executor: reader,
      calls: callsOver(reader, found, socket),
      clock,
      // Nonces are sent again and again; 48 bits are enough there.
      makeNonce: () => (isFar ? ids.nonce().slice(0, 12) : ids.nonce()),
      logger,
    });
    return watchServer({
      tmux: server,
      socketPath: socket.socketPath,
      makeNonce: () => ids.nonce(),
      clock,
      ...(isFar ? { probe: createIncrementalProbe({ server, version: found.version, clock }) } : {}),
    });
  };
  const collected = tmux === null ? [] : servers.map((server) => watch(tmux, server));
  const accounts = new Accounts({
    targetId: executor.targetId,
    executor: reader,
    memory: deps.accountMemory,
    named: deps.namedAccounts,
    clock,
    logger,
  });
  const collector = new Collector({
    targetId: executor.targetId,
    servers: collected,
    processes,
    executor: reader,
    sink: deps.sink,
    adapters: deps.adapters,
    accounts,
    timing: deps.timing,
    clock,
    logger,
  });
  const processesOf = async ({ panePid }: Pane): Promise<readonly ProcessInfo[]> =>
    (await processes.ofPanes([panePid])).get(panePid) ?? [];
  return {
    targetId: executor.targetId,
    executor,
    reader,
    tmuxPath: tmux?.path ?? null,
    /** How tmux is called on one of the servers. @throws AgtmuxError E_TMUX_MISSING; null for a server that is not watched. */
    tmuxOf: (name: string): TmuxCalls | null => {
      const socket = servers.find(({ server }) => server === name);
      if (tmux === null) throw new AgtmuxError("E_TMUX_MISSING", `no tmux was found on ${executor.targetId}`);
      return socket === undefined ? null : callsOver(executor, tmux, socket);
    },
    /** The same for a server of agtmux's own. @throws AgtmuxError E_TMUX_MISSING */
    tmuxAt: (socket: TmuxSocket): TmuxCalls => {
      if (tmux === null) throw new AgtmuxError("E_TMUX_MISSING", `no tmux was found on ${executor.targetId}`);
      return callsOver(executor, tmux, socket);
    },
    servers,
    collected,
    collector,
    processes,
    accounts,
    toTerminal: deps.toTerminal ?? ((argv) => [...argv]),
    /** Visible lines of a pane now; null where it cannot be read. */
    capture: async ({ server, paneId }: Pane): Promise<readonly string[] | null> => {
      const screens = await collected.find((one) => one.server === server)?.capture([paneId]);
      return screens?.get(paneId) ?? null;
    },
    /** The same with where its cursor stands. */
    look: async ({ server, paneId }: Pane): Promise<ScreenLook | null> => {
      const looks = await collected.find((one) => one.server === server)?.look([paneId]);
      return looks?.get(paneId) ?? null;
    },
    processesOf,
    /** Takes in the events that wait in its spool at this moment. @throws Error where they cannot be read. */
    takeEvents: (): Promise<void> => deps.takeEvents(),
    /** Whether an agent runs in the pane at this moment: the collector may not have seen it yet. */
    hasAgent: async (pane: Pane): Promise<boolean> =>
      deps.adapters.identify(await processesOf(pane)) !== null,
    /** Ends the collector; the owner of the executor ends that itself. */
    close: (): Promise<void> => collector.close(),
  };
};

export type ConnectedTarget = ReturnType<typeof createConnectedTarget>;

/**
 * The targets that are connected right now, by id. Everything that needs a target asks here, and gets an error with one sentence
 * when the target is not connected.
 */
export const createConnectedTargets = (
  describe: (targetId: string) => { name: string; reason: string | null },
) => {
  const byId = new Map<string, ConnectedTarget>();
  return {
    /** @throws AgtmuxError E_TARGET_UNREACHABLE while there is no connection to the target. */
    get: (targetId: string): ConnectedTarget => {
      const connected = byId.get(targetId);
      if (connected !== undefined) return connected;
      const { name, reason } = describe(targetId);
      throw new AgtmuxError(
        "E_TARGET_UNREACHABLE",
        `machine ${name} is not connected${reason === null ? "" : `: ${reason}`}`,
        { remedy: `Try 'agtmux target connect ${name}'.` },
      );
    },
    find: (targetId: string): ConnectedTarget | null => byId.get(targetId) ?? null,
    all: (): readonly ConnectedTarget[] => [...byId.values()],
    /** Replaces an earlier connection of the same target, which its owner closes. */
    add: (connected: ConnectedTarget): void => {
      byId.set(connected.targetId, connected);
    },
    /** Removes the target only if it is still the one in place. */
    remove: (connected: ConnectedTarget): void => {
      if (byId.get(connected.targetId) === connected) byId.delete(connected.targetId);
    },
  };
};

export type ConnectedTargets = ReturnType<typeof createConnectedTargets>;

/**
 * What features reach of a target: its files and programs, and its tmux servers.
 * `targetIdOf`: by the name that rows have; undefined where no target has that name.
 */
export const createTargetReach =
  (
    connectedTargets: ConnectedTargets,
    targetIdOf: (name: string) => string | undefined,
  ): FeatureContext["target"] =>
  (name) => {
    const targetId = targetIdOf(name);
    if (targetId === undefined)
      throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no machine '${name.slice(0, 64)}'`);
    const connected = connectedTargets.get(targetId);
    const { executor, reader, servers } = connected;
    // What takes long must not hold up the one connection through which watching reads.
    return {
      kind: executor.kind,
      homeDir: () => executor.homeDir(),
      run: (argv, options) => executor.run(argv, options),
      files: reader.files,
      accounts: (adapter) => connected.accounts.all(adapter),
      tmux: (wanted) => {
        const tmux = connected.tmuxOf(wanted ?? servers[0]?.server ?? "");
        if (tmux !== null) return tmux;
        throw new AgtmuxError(
          "E_USAGE",
          `no tmux server '${(wanted ?? "").slice(0, 64)}' is watched on ${name}`,
        );
      },
    };
  };
