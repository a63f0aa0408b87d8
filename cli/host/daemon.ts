// `agtmux daemon run`: the headless host. The one file of the CLI that puts core/daemon and the adapters together: it owns
// the home, serves the socket, and exits cleanly on a signal, on request, or when nobody has needed it for long.
import { homedir } from "node:os";
import { join } from "node:path";
import { createAdapterSource } from "../../adapters/declarative/createAdapterSource.ts";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { openPacks } from "../../adapters/packs/openPacks.ts";
import { createFeatures } from "../../features/index.ts";
import { createDaemon, type Daemon } from "../../core/daemon/createDaemon.ts";
import { crashMessage, openLogFile, openStderrLog, type LogFile } from "../../core/daemon/logFile.ts";
import { createIdSource, createSystemClock } from "../../core/daemon/systemClock.ts";
import { endsWithin } from "../../core/model/endsWithin.ts";
import { AgtmuxError, ERROR_CODES } from "../../core/model/errors.ts";
import type { AdapterSource } from "../../core/ports/agentAdapter.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { tryOwn, type Owner } from "../../core/rpc/ownership.ts";
import { ensureHome, type RuntimePaths } from "../../core/rpc/paths.ts";
import { startSocketServer, type SocketServer } from "../../core/rpc/socketServer.ts";
import type { CliContext } from "../command/context.ts";
import {
  createContext,
  dropDaemonEnvironment,
  findInstallation,
  returnMemory,
} from "../command/createContext.ts";
import { exitCodeOf, renderFailure, toFailure } from "../command/document.ts";

export interface DaemonRunOptions {
  /** Started by a command: it exits silently when another daemon owns the home, and after a while without clients. */
  onDemand?: boolean;
  /** Log to stderr instead of the file. */
  foreground?: boolean;
}

const MAX_LOG_BYTES = 5 * 1024 * 1024;
/** Time limit for closing, in milliseconds. After that the process exits, and the kernel frees the lock. */
const CLOSE_TIMEOUT_MS = 10_000;

/** How long the process may take to end by itself after the daemon was closed. */
const LINGER_MS = 2_000;

type Reason = "signal" | "request" | "idle";

/** Fails with E_USAGE, which names the daemon that has the home. */
const refuseSecond = async (context: CliContext): Promise<never> => {
  const { home } = context.paths();
  const holder = await context.connect({ start: false, checkVersion: false }).then(
    (client) => {
      client.close();
      return ` (pid ${client.hello.pid}, agtmux ${client.hello.version})`;
    },
    () => "",
  );
  throw new AgtmuxError("E_USAGE", `a daemon${holder} already runs for ${home}`, {
    remedy: "Stop it first with 'agtmux daemon stop', or set AGTMUX_HOME to another folder.",
  });
};

/** `left` resolves with "idle" after its time without a client; every client, and whatever needs the daemon, restarts the time. */
const waitUntilIdle = (server: SocketServer, daemon: Daemon): { left: Promise<Reason>; stop(): void } => {
  const { promise, resolve } = Promise.withResolvers<Reason>();
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const onCount = (count: number) => {
    if (timer !== null) clearTimeout(timer);
    // Closing the server ends the last connections; this must not restart the time.
    timer = count === 0 && !isStopped ? setTimeout(onIdle, daemon.idleShutdownMs) : null;
  };
  const onIdle = () => (daemon.keepsAwake ? onCount(0) : resolve("idle"));
  server.onClients(onCount);
  onCount(server.clients());
  return {
    left: promise,
    stop: () => {
      isStopped = true;
      onCount(0);
    },
  };
};

const openLog = (
  context: CliContext,
  paths: RuntimePaths,
  isForeground: boolean,
): Promise<LogFile> | LogFile => {
  const level = context.env["AGTMUX_LOG_LEVEL"] ?? "info";
  return isForeground
    ? openStderrLog(level)
    : openLogFile({ path: paths.log, level, maxBytes: MAX_LOG_BYTES });
};

const start = (
  context: CliContext,
  options: {
    paths: RuntimePaths;
    isOnDemand: boolean;
    logger: Logger;
    clock: Clock;
    adapters: AdapterSource;
    onShutdownRequest: () => void;
  },
): Promise<Daemon> =>
  createDaemon({
    paths: options.paths,
    version: context.version,
    host: "headless",
    isOnDemand: options.isOnDemand,
    adapters: options.adapters,
    features: createFeatures({
      installed: { version: context.version, releases: findInstallation().releases },
    }),
    eventScriptSource: join(context.root, "resources", "hooks", "agtmux-event"),
    env: { HOME: homedir(), ...context.env },
    uid: process.getuid?.() ?? 0,
    platform: process.platform,
    hostClock: options.clock,
    ids: createIdSource(() => options.clock.now()),
    logger: options.logger,
    openTerminal: null,
    focusTerminal: null,
    onShutdownRequest: options.onShutdownRequest,
  });

/** Node's own report of an uncaught error would write code and messages unredacted into a file. */
const logCrashes = (log: LogFile): void => {
  process.on("uncaughtException", (error) => {
    log.logger.error({ error }, "the daemon crashed");
    log.flush();
    process.stderr.write(crashMessage(error));
    process.exit(ERROR_CODES.E_INTERNAL.exit);
  });
};

/** Serves until there is a reason to stop, then closes in the reverse order. */
const serve = async (
  context: CliContext,
  owner: Owner,
  paths: RuntimePaths,
  options: DaemonRunOptions,
): Promise<void> => {
  const log = await openLog(context, paths, options.foreground === true);
  const { logger } = log;
  logCrashes(log);
  const stop = Promise.withResolvers<Reason>();
  context.signal.addEventListener("abort", () => stop.resolve("signal"));
  const isOnDemand = options.onDemand === true;
  const clock = createSystemClock();
  const closers: (() => Promise<void> | void)[] = [() => owner.release()];
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    // The request to stop is handled in the next turn of the loop, so that its answer is sent first.
    const onShutdownRequest = () => void setImmediate(() => stop.resolve("request"));
    const builtIn = createAdapterRegistry().list();
    const { version } = context;
    const shippedDir = join(context.root, "resources/packs");
    const packs = await openPacks({ dir: paths.packsDir, shippedDir, builtIn, version, logger });
    const adapters = await createAdapterSource({ dir: paths.adaptersDir, builtIn, packs, clock, logger });
    closers.push(() => adapters.close());
    const daemon = await start(context, { paths, isOnDemand, logger, clock, adapters, onShutdownRequest });
    closers.push(() => daemon.close());
    const server = await startSocketServer({
      paths,
      owner,
      router: daemon.router,
      version: context.version,
      logger,
    });
    closers.push(() => server.close(), returnMemory(clock));
    const idle = isOnDemand ? waitUntilIdle(server, daemon) : null;
    if (idle !== null) closers.push(() => idle.stop());
    logger.info(
      { pid: process.pid, version: context.version, home: paths.home, isOnDemand },
      "the daemon runs",
    );
    if (!isOnDemand)
      context.print(`agtmux ${context.version} runs for ${paths.home} (pid ${process.pid}).\n`);
    const reason = await Promise.race([stop.promise, ...(idle === null ? [] : [idle.left])]);
    logger.info({ reason }, "the daemon stops");
  } catch (error) {
    logger.error({ error }, "the daemon failed");
    throw error;
  } finally {
    if (!(await endsWithin(closeAll(), CLOSE_TIMEOUT_MS, clock)))
      logger.error({ timeoutMs: CLOSE_TIMEOUT_MS }, "closing took too long");
    log.flush();
    // If something still keeps the process running, it is ended: it must not stay without its home.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
};

/** Resolves when the daemon was stopped. Fails where it cannot start, or where another one owns the home. */
export const runDaemon = async (context: CliContext, options: DaemonRunOptions): Promise<void> => {
  // Files that the daemon creates are for their owner only.
  process.umask(0o077);
  dropDaemonEnvironment(process.env);
  const paths = context.paths();
  ensureHome(paths);
  const owner = tryOwn(paths.home);
  if (owner !== null) await serve(context, owner, paths, options);
  else if (options.onDemand !== true) await refuseSecond(context);
};

/** As a process of its own, without the grammar of all other commands, which would stay in its memory. Sets the exit status. */
export const runDaemonProcess = async (options: DaemonRunOptions): Promise<void> => {
  const outcome = { exitCode: 0 };
  try {
    await runDaemon(createContext(outcome), options);
  } catch (error) {
    const failure = toFailure(error);
    process.stderr.write(renderFailure(failure, false, Date.now()));
    outcome.exitCode = exitCodeOf(failure);
  }
  process.exitCode = outcome.exitCode;
};
