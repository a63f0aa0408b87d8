// The app's daemon: one that is put together in this process (the only file here that names adapters) and also serves the home's
// socket for the command line, or another process's daemon as a service of this one.
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createAdapterSource } from "../adapters/declarative/createAdapterSource.ts";
import { createAdapterRegistry } from "../adapters/index.ts";
import { openPacks } from "../adapters/packs/openPacks.ts";
import { showPlan, type DesktopActions } from "../core/actions/attach.ts";
import { CALLS, type CallName, type ReachableService } from "../core/api/calls.ts";
import { createFeatures } from "../features/index.ts";
import type { Installed } from "../features/releases/releases.ts";
import { createRouter } from "../core/api/router.ts";
import { createDaemon } from "../core/daemon/createDaemon.ts";
import type { LoginItem } from "../core/daemon/service.ts";
import { createIdSource, createSystemClock } from "../core/daemon/systemClock.ts";
import type { FeatureAnswers } from "../core/ports/feature.ts";
import type { Logger } from "../core/ports/logger.ts";
import type { SleepBlocker } from "../core/ports/sleepBlocker.ts";
import { createRouterCaller } from "../core/rpc/messageBridge.ts";
import type { Owner } from "../core/rpc/ownership.ts";
import type { RuntimePaths } from "../core/rpc/paths.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import { startSocketServer } from "../core/rpc/socketServer.ts";
import type { ReachedDaemon } from "./daemonSession.ts";
import type { TerminalService } from "./terminals/terminalService.ts";

const TIMEOUT_MS = 5_000;

/** Runs a short command without a shell. Resolves with its exit status; null when a signal ended it or it could not be started. */
const runShort = ([file = "", ...args]: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    execFile(file, args, { timeout: TIMEOUT_MS }, (error) => {
      if (error === null) resolve(0);
      else resolve(typeof error.code === "number" ? error.code : null);
    });
  });

/** Starts the daemon of an owned home and its socket. If anything fails, the home is freed. */
export const hostDaemon = async (options: {
  readonly owner: Owner;
  readonly paths: RuntimePaths;
  readonly installed: Installed;
  /** Path of the event script as shipped. */
  readonly eventScript: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
  readonly terminals: TerminalService;
  readonly loginItem: LoginItem;
  readonly sleepBlocker: SleepBlocker;
  readonly onShutdownRequest: () => void;
}): Promise<ReachedDaemon> => {
  const { owner, paths, logger } = options;
  const { version } = options.installed;
  const closers: (() => Promise<void> | void)[] = [() => owner.release()];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    const clock = createSystemClock();
    const builtIn = createAdapterRegistry().list();
    const shippedDir = join(dirname(options.eventScript), "../packs");
    const packs = await openPacks({ dir: paths.packsDir, shippedDir, builtIn, version, logger });
    const adapters = await createAdapterSource({ dir: paths.adaptersDir, builtIn, packs, clock, logger });
    closers.push(() => adapters.close());
    const daemon = await createDaemon({
      paths,
      version,
      host: "app",
      isOnDemand: false,
      adapters,
      features: createFeatures({ sleepBlocker: options.sleepBlocker, installed: options.installed }),
      eventScriptSource: options.eventScript,
      env: { HOME: homedir(), ...options.env },
      uid: process.getuid?.() ?? 0,
      platform: process.platform,
      hostClock: clock,
      ids: createIdSource(() => clock.now()),
      logger,
      openTerminal: (argv) => options.terminals.open(argv),
      focusTerminal: options.terminals.focus,
      findTerminal: () => options.terminals.inUse(),
      loginItem: options.loginItem,
      onShutdownRequest: options.onShutdownRequest,
    });
    closers.push(() => daemon.close());
    const server = await startSocketServer({
      paths,
      owner,
      router: daemon.router,
      version,
      logger,
    });
    closers.push(() => server.close());
    return { role: "host", service: daemon.service, caller: createRouterCaller(daemon.router), close };
  } catch (error) {
    await close();
    throw error;
  }
};

/**
 * Another process's daemon as a service of this process, so that our own surfaces use the same router. Nothing is cached: every
 * call goes through. Every method fails as the daemon does, or with E_DAEMON_UNAVAILABLE when it is gone. The caller closes the
 * client.
 */
export const createRemoteService = (client: DaemonClient): ReachableService => {
  const calls = Object.entries(CALLS).map(([name, { kind }]) => [
    name,
    (input: unknown) => client.forward(name, kind, input),
  ]);
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one method for each name of the table
    ...(Object.fromEntries(calls) as Pick<ReachableService, CallName>),
    hello: () => client.hello,
    feed: (options, signal) => client.feed(options, signal),
    notices: (signal) => client.notices(signal),
  };
};

/** The calls of features, passed on in the same way. */
const remoteFeatures = (client: DaemonClient): FeatureAnswers[] =>
  createFeatures().map(({ name, calls }) => ({
    name,
    calls,
    answer: (call, input) => client.forward(`${name}.${call}`, calls[call]?.kind ?? "query", input),
  }));

/** Uses another process's daemon as ours. That process may have no desktop, so terminal windows are opened here. */
export const joinDaemon = (client: DaemonClient, terminals: TerminalService): ReachedDaemon => {
  const desktop: DesktopActions = {
    run: runShort,
    openTerminal: (argv) => terminals.open(argv),
    focusTerminal: terminals.focus,
  };
  const remote = createRemoteService(client);
  const service = {
    ...remote,
    openAttach: (input: Parameters<typeof remote.openAttach>[0]) =>
      showPlan(desktop, ({ mayFocus }) => remote.prepareAttach({ ...input, insideTmux: null, mayFocus })),
  };
  return {
    role: "client",
    service,
    caller: createRouterCaller(createRouter(service, remoteFeatures(client))),
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
};
