// Keeps the app on a daemon for as long as it runs: follows its feed and notices, and finds or becomes the next one when a
// joined daemon goes away. The popover's calls go through it to whichever daemon is current.
import { setTimeout as delay } from "node:timers/promises";
import type { NotificationEvent } from "../core/api/service.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { FeedEntry } from "../core/model/view.ts";
import type { ErrorShape, ProcedureCaller, ProcedureRequest } from "../core/rpc/messageBridge.ts";
import { isUnavailable, type ReachedDaemon } from "./reachDaemon.ts";

export interface DaemonSessionDeps {
  reach(signal: AbortSignal): Promise<ReachedDaemon>;
  onReached(daemon: ReachedDaemon): void;
  onEntry(entry: FeedEntry): void;
  onNotice(event: NotificationEvent): void;
  /** The daemon went away; another one is being looked for. */
  onLost(error: unknown): void;
  /** Called when nothing more can be done; the app should show the error and quit. */
  onFailed(error: unknown): void;
}

/** The pause between two attempts to find a daemon, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Resolves with the reason why a stream ended; never rejects. A stream that ends by itself belongs to a daemon that is leaving.
 */
const endOf = (stream: Promise<void>): Promise<unknown> =>
  stream.then(
    () => new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon ended its feed"),
    (error: unknown) => error,
  );

export class DaemonSession implements ProcedureCaller {
  private readonly deps: DaemonSessionDeps;
  private readonly aborter = new AbortController();
  private readonly first = Promise.withResolvers<void>();
  /**
   * The daemon that was reached last. A lost one stays here, because its calls fail with the right message until another is
   * found.
   */
  private daemon: ReachedDaemon | null = null;
  private running: Promise<void> | null = null;

  constructor(deps: DaemonSessionDeps) {
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
      await delay(RETRY_MS, undefined, { signal });
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
