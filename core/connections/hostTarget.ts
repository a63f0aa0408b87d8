// This machine as a target, which is always there, and the search for tmux on any target. Which tmux servers are watched follows
// config.json; tmux is searched for again when they change. Without tmux the target is down and says so.
import { BACKGROUND_SERVER } from "../model/shortRef.ts";
import { HOST_TARGET, type Target, type TargetHealth } from "../model/runtime.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { findTmux, type FoundTmux } from "../tmux/findTmux.ts";
import type { ConfigFile } from "../config/configFile.ts";
import type { ConnectedTarget, ConnectedTargetParts, ConnectedTargets } from "./connectedTarget.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { LocalPrograms } from "../tmux/localPrograms.ts";
import { createProcessTree } from "../tmux/processTree.ts";
import { resolveServers, type TmuxSocket } from "../tmux/servers.ts";

/** An app that the desktop starts has no shell's PATH, and where Nix puts a person's programs depends on the person. */
const foldersOf = ({ PATH, HOME, USER }: NodeJS.ProcessEnv): string =>
  [
    PATH,
    ...(HOME === undefined ? [] : [`${HOME}/.nix-profile/bin`]),
    ...(USER === undefined ? [] : [`/etc/profiles/per-user/${USER}/bin`]),
  ]
    .filter(Boolean)
    .join(":");

/** Fails with E_TMUX_MISSING and the places that were tried. */
export type FindTmuxOn = (executor: TargetExecutor) => Promise<FoundTmux>;

/** Searches only the configured path if there is one, else the usual places; on this machine also the person's PATH. */
export const createTmuxFinder =
  (config: ConfigFile, env: NodeJS.ProcessEnv): FindTmuxOn =>
  (executor) => {
    const { tmux_path, targets } = config.current;
    const { targetId } = executor;
    if (targetId === HOST_TARGET)
      return findTmux({ executor, configuredPath: tmux_path, pathVariable: foldersOf(env) });
    const configured = targets.find(({ name }) => name === targetId);
    return findTmux({ executor, configuredPath: configured?.tmux_path ?? null, pathVariable: undefined });
  };

/** Registers this machine as a target. */
export const createHostTarget = async (deps: {
  ingest: {
    setTarget(target: Target): void;
    setHealth(targetId: string, health: TargetHealth, reason: string | null): void;
    /** Forgets what is known of its other tmux servers. */
    keepServers(targetId: string, watched: readonly string[]): void;
  };
  executor: TargetExecutor;
  programs: LocalPrograms;
  findTmuxOn: FindTmuxOn;
  config: ConfigFile;
  createConnected: (parts: ConnectedTargetParts) => ConnectedTarget;
  /** This machine is among these all the time. */
  connectedTargets: ConnectedTargets;
  env: NodeJS.ProcessEnv;
  uid: number;
  platform: NodeJS.Platform;
  takeEvents: ConnectedTargetParts["takeEvents"];
  clock: Clock;
  logger: Logger;
}) => {
  const { ingest, executor, programs, config, connectedTargets, platform, clock, logger } = deps;
  ingest.setTarget({
    targetId: HOST_TARGET,
    targetName: HOST_TARGET,
    kind: "local",
    connectionRef: null,
    isDefault: true,
    health: "ok",
    healthReason: null,
    lastSeenAt: clock.now(),
    updatedAt: clock.now(),
    link: null,
  });
  const processes = createProcessTree({ executor, platform, clock, programs });
  const find = async (): Promise<FoundTmux | null> => {
    try {
      return await deps.findTmuxOn(executor);
    } catch (error) {
      if (!(error instanceof AgtmuxError)) throw error;
      logger.error({ error }, "tmux was not found");
      ingest.setHealth(HOST_TARGET, "down", `${error.message}. ${error.remedy}`);
      return null;
    }
  };
  const serversNow = (): TmuxSocket[] =>
    resolveServers({ configured: config.current.tmux_servers, env: deps.env, uid: deps.uid });
  const connect = async (servers: readonly TmuxSocket[]): Promise<ConnectedTarget> =>
    deps.createConnected({
      executor,
      tmux: await find(),
      servers,
      processes,
      takeEvents: deps.takeEvents,
    });
  const put = (next: ConnectedTarget): void => {
    connectedTargets.add(next);
    // Also what an earlier daemon watched.
    ingest.keepServers(HOST_TARGET, [...next.servers.map(({ server }) => server), BACKGROUND_SERVER]);
  };

  let connected = await connect(serversNow());
  put(connected);
  let isClosed = false;
  let work: Promise<void> = Promise.resolve();
  let stopFollowing = (): void => {};
  const renew = async (): Promise<void> => {
    const servers = serversNow();
    if (isClosed || JSON.stringify(servers) === JSON.stringify(connected.servers)) return;
    const next = await connect(servers);
    await connected.close();
    connected = next;
    if (isClosed) return next.close();
    put(next);
    await next.collector.start();
  };
  const follow = (): void => {
    work = work
      .then(renew)
      .catch((error: unknown) => logger.error({ error }, "the tmux servers of config.json are not watched"));
  };
  return {
    /** The present connection. */
    get connected(): ConnectedTarget {
      return connected;
    },
    /** Resolves after the collector's first complete round; from then on config.json is followed. */
    start: async (): Promise<void> => {
      await connected.collector.start();
      stopFollowing = config.onChange(follow);
      // It may have changed during that round.
      follow();
    },
    close: async (): Promise<void> => {
      isClosed = true;
      stopFollowing();
      await work;
      await connected.close();
    },
  };
};
