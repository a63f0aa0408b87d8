// How the app gets a daemon (`reachDaemon`) and keeps one as long as it runs (`DaemonSession`): it follows the feed and notices,
// and finds or becomes the next one when a joined daemon goes away. The popover's calls go through the session.
import { setTimeout as delay } from "node:timers/promises";
import type { ReachableService } from "../core/api/calls.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { ProcedureCaller, ErrorShape, ProcedureRequest } from "../core/rpc/messageBridge.ts";
import { endOutdated, tryOwn, type Owner } from "../core/rpc/ownership.ts";
import type { RuntimePaths } from "../core/rpc/paths.ts";
import { connectCurrent, type DaemonClient } from "../core/rpc/socketClient.ts";
import { tryStartLock } from "../core/rpc/connect.ts";
import type { NotificationEvent } from "../core/model/notifications.ts";
import type { FeedEntry } from "../core/model/view.ts";

/** A hosted or a joined daemon: the rest of the app sees the same interface. */
export interface ReachedDaemon {
  readonly role: "host" | "client";
  readonly service: ReachableService;
  readonly caller: ProcedureCaller;
  /** Ends a hosted daemon, leaves a joined one running. */
  close(): Promise<void>;
}

const HELLO_TIMEOUT_MS = 5_000;
/** An owner that starts or ends right now gets this long, in milliseconds. */
const REACH_TIMEOUT_MS = 15_000;
const ATTEMPT_PAUSE_MS = 100;

const isUnavailable = (error: unknown): boolean =>
  error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE";

/** Null while no daemon answers, and after an outdated one was asked to end; every other failure is final. */
const tryJoin = async ({
  paths,
  version,
  join,
}: Parameters<typeof reachDaemon>[0]): Promise<ReachedDaemon | null> => {
  const client = await connectCurrent({ paths, version, helloTimeoutMs: HELLO_TIMEOUT_MS });
  if (client !== null) return join(client);
  const unlock = tryStartLock(paths.home);
  try {
    if (unlock !== null) await endOutdated({ paths, version });
  } finally {
    unlock?.();
  }
  return null;
};

/**
 * Becomes the home's owner and hosts a daemon, or joins the one that runs, unless that one is outdated after an upgrade. Fails with
 * E_DAEMON_VERSION beside an incompatible daemon, with E_DAEMON_UNAVAILABLE when the owner does not answer in time, with the
 * daemon's own error when it cannot start here, and with an AbortError.
 */
export const reachDaemon = async (options: {
  readonly paths: RuntimePaths;
  readonly version: string;
  readonly host: (owner: Owner) => Promise<ReachedDaemon>;
  readonly join: (client: DaemonClient) => ReachedDaemon;
  readonly signal: AbortSignal;
}): Promise<ReachedDaemon> => {
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
    await delay(ATTEMPT_PAUSE_MS, undefined, { signal: options.signal });
  }
};

/** The pause between two attempts to find a daemon, in milliseconds. */
const REJOIN_PAUSE_MS = 1_000;

/**
 * Resolves with the reason why a stream ended; never rejects. A stream that ends by itself belongs to a daemon that is ending.
 */
const endOf = (stream: Promise<void>): Promise<unknown> =>
  stream.then(
    () => new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon ended its feed"),
    (error: unknown) => error,
  );

export class DaemonSession implements ProcedureCaller {
  private readonly deps: ConstructorParameters<typeof DaemonSession>[0];
  private readonly aborter = new AbortController();
  private readonly first = Promise.withResolvers<void>();
  /**
   * The daemon that was reached last. A lost one stays here, because its calls fail with the right message until another is
   * found.
   */
  private daemon: ReachedDaemon | null = null;
  private running: Promise<void> | null = null;

  constructor(deps: {
    reach(signal: AbortSignal): Promise<ReachedDaemon>;
    onReached(daemon: ReachedDaemon): void;
    onEntry(entry: FeedEntry): void;
    onNotice(event: NotificationEvent): void;
    /** The daemon went away; the search for another one has begun. */
    onLost(error: unknown): void;
    /** Called when nothing more can be done; the app should show the error and quit. */
    onFailed(error: unknown): void;
  }) {
    this.deps = deps;
  }

  start(): void {
    this.running ??= this.run().catch((error: unknown) => {
      if (!this.aborter.signal.aborted) this.deps.onFailed(error);
    });
  }

  /** The service of the present daemon; waits for the first one. */
  async service(): Promise<ReachedDaemon["service"]> {
    return (await this.present()).service;
  }

  async call(request: ProcedureRequest): Promise<unknown> {
    return (await this.present()).caller.call(request);
  }

  /** Errors can only come after a call, so there is a daemon. */
  toErrorShape(error: unknown, request: ProcedureRequest): ErrorShape {
    if (this.daemon === null) throw new Error("no daemon was reached yet", { cause: error });
    return this.daemon.caller.toErrorShape(error, request);
  }

  /** Ends a hosted daemon, leaves a joined one. Idempotent. */
  async close(): Promise<void> {
    this.aborter.abort();
    await this.running;
    await this.daemon?.close();
  }

  private async present(): Promise<ReachedDaemon> {
    await this.first.promise;
    if (this.daemon === null) throw new Error("the first daemon is missing");
    return this.daemon;
  }

  private async run(): Promise<void> {
    const { signal } = this.aborter;
    while (!signal.aborted) {
      const daemon = await this.reachNext();
      await this.daemon?.close();
      this.daemon = daemon;
      this.first.resolve();
      this.deps.onReached(daemon);
      const error = await this.follow(daemon);
      if (signal.aborted) return;
      if (!isUnavailable(error)) throw error;
      this.deps.onLost(error);
    }
  }

  /** The first daemon must be reached at once; a lost one is looked for until another is found. */
  private async reachNext(): Promise<ReachedDaemon> {
    const { signal } = this.aborter;
    for (;;) {
      try {
        return await this.deps.reach(signal);
      } catch (error) {
        if (this.daemon === null || !isUnavailable(error)) throw error;
      }
      await delay(REJOIN_PAUSE_MS, undefined, { signal });
    }
  }

  /** Resolves with the reason why the first of the two streams ended. */
  private async follow({ service }: ReachedDaemon): Promise<unknown> {
    const inner = new AbortController();
    const signal = AbortSignal.any([this.aborter.signal, inner.signal]);
    const feed = async (): Promise<void> => {
      for await (const entry of service.feed({ since: null, sinceTime: null, all: false }, signal))
        this.deps.onEntry(entry);
    };
    const notices = async (): Promise<void> => {
      for await (const event of service.notices(signal)) this.deps.onNotice(event);
    };
    const ends = [endOf(feed()), endOf(notices())];
    const error = await Promise.race(ends);
    inner.abort();
    await Promise.all(ends);
    return error;
  }
}
