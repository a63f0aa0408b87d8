// What the code paths for macOS cost. The daemon runs in this process with the platform forced to darwin, so that every
// question about processes is a `ps`. This `ps` counts its starts and, when asked for arguments, takes as long as on a Mac.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createAdapterRegistry } from "../adapters/index.ts";
import { createDaemon } from "../core/daemon/createDaemon.ts";
import { createFeatures } from "../features/index.ts";
import { createIdSource, createSystemClock } from "../core/daemon/systemClock.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { FeedWatch } from "./feedWatch.ts";
import { fireHooks, measureHooks } from "./panes.ts";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { ms } from "./report/words.ts";
import { createHarness, type Harness } from "./benchHarness.ts";
import { spreadOf, type Spread } from "./statistics.ts";

const PANES = 40;
const AGENTS = 20;
const OTHER_PROCESSES = 1_000;
/**
 * How long a table of 1,000 processes with arguments takes on a Mac (from the sources of its ps: four system calls for each
 * process).
 */
const ARGUMENTS_SECONDS = 0.12;
const SETTLE_MS = 11_000;
const REDRAW_SECONDS = 0.25;
const HOOKS = 100;
const KILLED = 10;
const EVENT_SCRIPT = fileURLToPath(new URL("../resources/hooks/agtmux-event", import.meta.url));

/** A folder for PATH with a `ps` that counts and is slow. */
const createPs = (root: string): { folder: string; starts(): number } => {
  const folder = join(root, "bin");
  const count = join(root, "starts");
  mkdirSync(folder);
  writeFileSync(count, "");
  const real = execFileSync("sh", ["-c", "command -v ps"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh\nprintf . >>'${count}'\ncase "$*" in *args*) sleep ${ARGUMENTS_SECONDS} ;; esac\nexec '${real}' "$@"\n`;
  writeFileSync(join(folder, "ps"), script, { mode: 0o755 });
  return { folder, starts: () => readFileSync(count).length };
};

/** A child with this many children, which end with it. */
const crowd = (count: number): { end(): void } => {
  const child = spawn(
    "sh",
    ["-c", `i=0; while [ $i -lt ${count} ]; do sleep 100000 & i=$((i+1)); done; wait`],
    {
      detached: true,
      stdio: "ignore",
    },
  );
  return {
    end: () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    },
  };
};

const openDaemon = async (harness: Harness, root: string, path: string) => {
  const clock = createSystemClock();
  return createDaemon({
    paths: harness.paths,
    version: "bench",
    host: "test",
    isOnDemand: false,
    adapters: createAdapterRegistry(),
    features: createFeatures(),
    eventScriptSource: EVENT_SCRIPT,
    env: { ...process.env, HOME: root, PATH: path, AGTMUX_TMUX_SOCKETS: harness.tmux.socketPath },
    uid: process.getuid?.() ?? 0,
    platform: "darwin",
    hostClock: clock,
    ids: createIdSource(() => clock.now()),
    logger: SILENT_LOGGER,
    openTerminal: null,
    focusTerminal: null,
    onShutdownRequest: () => {},
  });
};

interface Figures {
  idlePerMinute: number;
  busyPerMinute: number;
  hookToFeed: Spread;
  deathToFeed: Spread;
}

const measure = async (harness: Harness, root: string, options: BenchOptions): Promise<Figures> => {
  const { seconds, isQuick } = options;
  const ps = createPs(root);
  const daemon = await openDaemon(harness, root, `${ps.folder}:${process.env["PATH"]}`);
  const perMinute = async (): Promise<number> => {
    const before = ps.starts();
    await wait(seconds * 1_000);
    return ((ps.starts() - before) / seconds) * 60;
  };
  const feed = new FeedWatch({ feed: (from, signal) => daemon.service.feed(from, signal) });
  try {
    await wait(isQuick ? 300 : SETTLE_MS);
    const idlePerMinute = await perMinute();
    for (const agent of harness.agents) {
      agent.busy(REDRAW_SECONDS);
      harness.drop(agent, "UserPromptSubmit");
    }
    const hooks = fireHooks(harness);
    const busyPerMinute = await perMinute().finally(() => hooks.stop());
    for (const agent of harness.agents) harness.drop(agent, "Stop", { background_tasks: [] });
    await wait(500);
    const hookToFeed = await measureHooks(harness, feed, isQuick ? 4 : HOOKS);
    const deaths: number[] = [];
    for (const agent of harness.agents.slice(0, isQuick ? 1 : KILLED)) {
      await wait(100 + Math.random() * 1_900);
      const noticed = feed.nextGone(agent.paneId);
      const at = performance.now();
      process.kill(agent.pid, "SIGKILL");
      deaths.push((await noticed) - at);
    }
    return { idlePerMinute, busyPerMinute, hookToFeed, deathToFeed: spreadOf(deaths) };
  } finally {
    await feed.close();
    await daemon.close();
  }
};

/** How often `ps` is started, and what that delays, where there is no /proc. */
export const benchDarwin = async (options: BenchOptions): Promise<Measured> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-darwin-"));
  const others = crowd(options.isQuick ? 10 : OTHER_PROCESSES);
  const harness = await createHarness({
    panes: options.isQuick ? 4 : PANES,
    agents: options.isQuick ? 2 : AGENTS,
    isInShell: true,
  });
  try {
    const figures = await measure(harness, root, options);
    const { idlePerMinute, busyPerMinute, hookToFeed, deathToFeed } = figures;
    return {
      name: "darwin",
      title: "Without /proc, as on a Mac",
      how: `The daemon with the platform forced to darwin, beside ${OTHER_PROCESSES} other processes and ${AGENTS} agents; its \`ps\` counts its starts and sleeps for ${ARGUMENTS_SECONDS * 1_000} ms where arguments are asked for. Working: every agent redraws four times a second and has a hook fire every two seconds.`,
      tables: [
        {
          caption: "Starts of `ps` a minute, and what is seen how late",
          head: ["idle", "working", "hook → feed: median", "p95", "an agent is killed → feed: median", "max"],
          rows: [
            [
              idlePerMinute.toFixed(1),
              busyPerMinute.toFixed(1),
              ms(hookToFeed.median),
              ms(hookToFeed.p95),
              ms(deathToFeed.median),
              ms(deathToFeed.max),
            ],
          ],
        },
      ],
      checks: [
        atMost("starts of ps while idle", idlePerMinute, 6, "a minute"),
        atMost("starts of ps while all agents work", busyPerMinute, 30, "a minute"),
        atMost("hook → feed, p95", hookToFeed.p95, 15, "ms"),
        atMost("a dead agent is noticed, at the latest", deathToFeed.max, 2_000, "ms"),
      ],
      notes: [],
      figures,
    };
  } finally {
    await harness.close();
    others.end();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
};
