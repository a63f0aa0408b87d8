// A real daemon inside the test: real tmux, real spool, real store, in a temporary home.
import { placeIdOf } from "../../core/model/shortRef.ts";
import { mkdtempSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { createDaemon, type Daemon } from "../../core/daemon/createDaemon.ts";
import { createIdSource, createSystemClock } from "../../core/daemon/systemClock.ts";
import type { FeedEntry, PaneView } from "../../core/model/view.ts";
import type { AdapterSource } from "../../core/ports/agentAdapter.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { SILENT_LOGGER, type Logger } from "../../core/ports/logger.ts";
import { createFeatures } from "../../features/index.ts";
import { runtimePaths, type RuntimePaths } from "../../core/rpc/paths.ts";

type DaemonDeps = Parameters<typeof createDaemon>[0];

/** `AGTMUX_TEST_PLATFORM=darwin`: the daemon takes the paths of a Mac, where nothing is known of processes but by `ps`. */
const PLATFORM: NodeJS.Platform =
  process.env["AGTMUX_TEST_PLATFORM"] === "darwin" ? "darwin" : process.platform;
const EVENT_SCRIPT = fileURLToPath(new URL("../../resources/hooks/agtmux-event", import.meta.url));

export interface TestDaemon {
  readonly daemon: Daemon;
  readonly paths: RuntimePaths;
  /** HOME of the person and of the played agents. */
  readonly home: string;
  readonly eventScript: string;
  /** Every entry of one subscription with `all`, since the start. */
  readonly feed: FeedEntry[];
  rows(): PaneView[];
  /** Resolves with the row of the pane once it satisfies the condition; fails naming what it was last. */
  until(paneId: string, condition: (row: PaneView) => boolean, limitMs?: number): Promise<PaneView>;
  untilState(paneId: string, state: string, limitMs?: number): Promise<PaneView>;
  /** Resolves once there is no row with an agent for the pane. */
  untilGone(paneId: string, limitMs?: number): Promise<void>;
  /** States of the pane's runtimes in order, without repeats of the same state. */
  timeline(paneId: string): string[];
  /** Puts this into config.json; resolves when it is in force. */
  configure(config: object): Promise<void>;
  /** Stops the daemon and starts another one on the same home. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const startTestDaemon = async (options: {
  sockets: readonly string[];
  home?: string;
  logger?: Logger;
  clock?: Clock;
  adapters?: AdapterSource;
  features?: DaemonDeps["features"];
  openTerminal?: DaemonDeps["openTerminal"];
  focusTerminal?: DaemonDeps["focusTerminal"];
  /** Beside what the tests run with. */
  env?: NodeJS.ProcessEnv;
}): Promise<TestDaemon> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-d-"));
  const home = options.home ?? join(root, "home");
  const paths = runtimePaths(join(root, "a"));
  await mkdir(home, { recursive: true });
  await mkdir(paths.home, { recursive: true, mode: 0o700 });
  const clock = options.clock ?? createSystemClock();
  const start = () =>
    createDaemon({
      paths,
      version: "0.0.0-test",
      host: "test",
      isOnDemand: false,
      adapters: options.adapters ?? createAdapterRegistry(),
      features: options.features ?? createFeatures(),
      eventScriptSource: EVENT_SCRIPT,
      env: { ...process.env, HOME: home, AGTMUX_TMUX_SOCKETS: options.sockets.join(","), ...options.env },
      uid: process.getuid?.() ?? 0,
      platform: PLATFORM,
      hostClock: clock,
      ids: createIdSource(() => clock.now()),
      logger: options.logger ?? SILENT_LOGGER,
      openTerminal: options.openTerminal ?? null,
      focusTerminal: options.focusTerminal ?? null,
      onShutdownRequest: () => {},
    });
  const feed: FeedEntry[] = [];
  const waiters = new Set<() => void>();
  let daemon = await start();
  let following = new AbortController();

  const follow = async (): Promise<void> => {
    for await (const entry of daemon.service.feed(
      { since: null, sinceTime: null, all: true },
      following.signal,
    )) {
      feed.push(entry);
      for (const wake of waiters) wake();
    }
  };
  let followed = follow();

  const rows = (): PaneView[] => daemon.service.panes({ all: true }).items;

  /**
   * A commit of several events is in the rows at once, and in the feed entry by entry: whoever looks at both waits for the feed. What
   * a daemon found when it started again is in no feed.
   */
  const feedTold = async ({ identity, state_version }: PaneView): Promise<void> => {
    const isTold = (): boolean =>
      feed.some(
        (entry) =>
          entry.kind === "state" &&
          entry.pane.identity.pane_ref === identity.pane_ref &&
          entry.pane.state_version >= state_version,
      );
    for (let look = 0; look < 100 && !isTold(); look += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** Looks again after every feed entry: nothing sleeps. */
  const nextTrue = <T>(look: () => T | null, limitMs: number, what: () => Promise<string>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const limit = setTimeout(() => {
        waiters.delete(check);
        void what().then((how) => reject(new Error(`not within ${limitMs} ms: ${how}`)), reject);
      }, limitMs);
      const check = (): void => {
        const now = look();
        if (now === null) return;
        clearTimeout(limit);
        waiters.delete(check);
        resolve(now);
      };
      waiters.add(check);
    });
  const untilTrue = async <T>(
    look: () => T | null,
    limitMs: number,
    what: () => Promise<string>,
  ): Promise<T> => look() ?? (await nextTrue(look, limitMs, what));
  const describeRow = async (paneId: string): Promise<string> => {
    const row = rows().find((one) => placeIdOf(one) === paneId);
    if (row === undefined) return `${paneId} has no row`;
    const why =
      row.state === null
        ? ""
        : JSON.stringify((await daemon.service.explain({ ref: row.identity.pane_ref })).evidence);
    return `${paneId} is ${row.state}/${row.reason_code}; ${why}`;
  };
  const until: TestDaemon["until"] = async (paneId, condition, limitMs = 5_000) => {
    const look = () => rows().find((row) => placeIdOf(row) === paneId && condition(row)) ?? null;
    const found = await untilTrue(look, limitMs, () => describeRow(paneId));
    await feedTold(found);
    // Guards are taken from it: what has changed meanwhile would be refused as stale.
    return look() ?? found;
  };

  const stop = async (): Promise<void> => {
    following.abort();
    await followed;
    await daemon.close();
  };

  return {
    get daemon() {
      return daemon;
    },
    paths,
    home,
    eventScript: join(paths.binDir, "agtmux-event"),
    feed,
    rows,
    until,
    untilState: (paneId, state, limitMs) => until(paneId, (row) => row.state === state, limitMs),
    untilGone: async (paneId, limitMs = 5_000) => {
      await untilTrue(
        () => (rows().some((row) => placeIdOf(row) === paneId && row.state !== null) ? null : true),
        limitMs,
        () => describeRow(paneId),
      );
    },
    timeline: (paneId) => {
      const states = feed.flatMap((entry) =>
        entry.kind === "state" && placeIdOf(entry.pane) === paneId && entry.pane.state !== null
          ? [entry.pane.state]
          : [],
      );
      return states.filter((state, index) => state !== states[index - 1]);
    },
    configure: async (config) => {
      await writeFile(paths.config, JSON.stringify(config));
      // Asking for the settings reads the file at once; by itself it is looked at every two seconds.
      await daemon.service.configGet(undefined);
    },
    restart: async () => {
      await stop();
      following = new AbortController();
      daemon = await start();
      followed = follow();
    },
    close: async () => {
      await stop();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
