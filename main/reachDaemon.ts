// How the app gets a daemon: it becomes the home's owner and hosts one, or joins the one that runs, unless that one is outdated
// after an upgrade. Either way the rest of the app sees the same interface.
import { setTimeout as delay } from "node:timers/promises";
import type { ReachableService } from "../core/api/calls.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { ProcedureCaller } from "../core/rpc/messageBridge.ts";
import { makeRoom } from "../core/rpc/makeRoom.ts";
import { tryOwn, type Owner } from "../core/rpc/ownership.ts";
import type { RuntimePaths } from "../core/rpc/paths.ts";
import { connectCurrent, type DaemonClient } from "../core/rpc/socketClient.ts";
import { tryStartLock } from "../core/rpc/startLock.ts";

export interface ReachedDaemon {
  readonly role: "host" | "client";
  readonly service: ReachableService;
  readonly caller: ProcedureCaller;
  /** Ends a hosted daemon, leaves a joined one running. */
  close(): Promise<void>;
}

export interface ReachOptions {
  readonly paths: RuntimePaths;
  readonly version: string;
  readonly host: (owner: Owner) => Promise<ReachedDaemon>;
  readonly join: (client: DaemonClient) => ReachedDaemon;
  readonly signal: AbortSignal;
}

const HELLO_TIMEOUT_MS = 5_000;
/** An owner that starts or ends right now gets this long, in milliseconds. */
const REACH_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;

export const isUnavailable = (error: unknown): boolean =>
  error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE";

/** Null while no daemon answers, and after an outdated one was asked to leave; every other failure is final. */
const tryJoin = async ({ paths, version, join }: ReachOptions): Promise<ReachedDaemon | null> => {
  const client = await connectCurrent({ paths, version, helloTimeoutMs: HELLO_TIMEOUT_MS });
  if (client !== null) return join(client);
  const unlock = tryStartLock(paths.home);
  try {
    if (unlock !== null) await makeRoom({ paths, version });
  } finally {
    unlock?.();
  }
  return null;
};

/**
 * Fails with E_DAEMON_VERSION beside an incompatible daemon, with E_DAEMON_UNAVAILABLE when the owner does not answer in
 * time, with the daemon's own error when it cannot start here, and with an AbortError.
 */
export const reachDaemon = async (options: ReachOptions): Promise<ReachedDaemon> => {
  const deadline = performance.now() + REACH_TIMEOUT_MS;
  for (;;) {
    options.signal.throwIfAborted();
    const owner = tryOwn(options.paths.home);
    const reached = owner === null ? await tryJoin(options) : await options.host(owner);
    if (reached !== null) return reached;
    if (performance.now() > deadline)
      throw new AgtmuxError(
        "E_DAEMON_UNAVAILABLE",
        `the daemon that owns ${options.paths.home} does not answer`,
      );
    await delay(RETRY_MS, undefined, { signal: options.signal });
  }
};
