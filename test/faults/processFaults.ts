// The daemon's process killed at any moment, and stopped for a while as a machine that sleeps stops it.
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { MIGRATIONS as TODAY } from "../../core/store/migrations.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { createProxy } from "../ssh/proxy.ts";
import { openRemoteTargets } from "../ssh/remoteTargetsHarness.ts";
import { createSshServer } from "../ssh/sshServer.ts";
import { type FaultHarness, LIMIT_MS } from "./faultHarness.ts";
import { injectFault, timed } from "./injectFault.ts";
import { memoryMb } from "./memory.ts";
import { MIGRATIONS as LATER } from "./nextMigrations.ts";
import type { Outcome } from "./outcome.ts";

// A connection whose other end is gone without a word (half-open TCP) while an agent over there works: what its machine is
// seen as until then, and that the next connection goes on. Cuts, frozen sshds and wedged shells are in test/ssh.

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
/** A connection that broke sooner would make the pauses before the next one grow with each round, to a minute and a half. */
const HELD_MS = 31_000;

export const halfOpen = async (times: number): Promise<Outcome> => {
  const server = await createSshServer();
  const proxy = await createProxy(server.port);
  await server.addHost("proxied", [`Port ${proxy.port}`]);
  await appendFile(server.knownHosts, server.hostKeyLine.replace(`:${server.port} `, `:${proxy.port} `));
  const remote = createPrivateTmux();
  const player = await createPlayer({
    tmux: { socketArgs: remote.socketArgs },
    home: server.remoteHome,
    recordingsDir: RECORDINGS,
  });
  const remoteTargets = await openRemoteTargets({ server, sockets: [join(remote.folder, "none")] });
  const wrong: string[] = [];
  const stateOf = (): string | null => {
    const row = remoteTargets.rowsOf("vm1").find(({ identity }) => identity.pane_id === player.paneId);
    return row?.state ?? null;
  };
  // Its health is ok from the first look on; a round trip is told only once all of the connection is there.
  const untilUp = (): Promise<void> =>
    until(
      () => remoteTargets.target("vm1")?.health === "ok" && remoteTargets.target("vm1")?.rtt_ms !== null,
      "vm1 is connected",
      LIMIT_MS,
    ).catch((cause: unknown) => {
      throw new Error(`vm1 is ${JSON.stringify(remoteTargets.target("vm1"))}`, { cause });
    });
  const untilState = (state: string): Promise<void> =>
    until(() => stateOf() === state, `the far agent is ${state}`, LIMIT_MS);
  try {
    await remoteTargets.add({
      name: "vm1",
      alias: "proxied",
      transport: "ssh2",
      socketPath: remote.socketPath,
    });
    await untilUp();
    await player.frame("waiting_approval");
    await untilState("waiting_approval");
    const before = memoryMb(process.pid);
    let worstMs = 0;
    for (let round = 0; round < times; round += 1) {
      if (round > 0) await wait(HELD_MS);
      const from = performance.now();
      proxy.vanish();
      // Nobody can see the change: the old state may be claimed only until the silence is noticed.
      await player.frame(round % 2 === 0 ? "tool_running" : "waiting_approval");
      await remoteTargets.untilHealth("vm1", "down", LIMIT_MS);
      if (stateOf() !== null && stateOf() !== "unknown") wrong.push(`${stateOf()} of a machine that is gone`);
      await untilUp();
      await untilState(round % 2 === 0 ? "running" : "waiting_approval");
      worstMs = Math.max(worstMs, performance.now() - from);
    }
    return {
      fault: "half-open connection",
      times,
      recovered: times,
      lost: 0,
      wrong: wrong.length,
      worstMs,
      // One round, among faults that share this process, says nothing of its memory; a hundred alone do.
      memoryMb: [before, times === 1 ? before : memoryMb(process.pid)],
      note: "ssh2; the memory is that of the test with the daemon in it",
    };
  } finally {
    await remoteTargets.daemon.close();
    await player.close();
    await proxy.close();
    await server.close();
    await remote.close();
  }
};

// The tmux server under the daemon: killed and started again with the same pane ids, or standing still.

/** The rows' agents and panes as they were: none of them may come back. */
export const crashedServer = (times: number): Promise<Outcome> =>
  injectFault({ fault: "tmux server killed, pane ids reused", times }, async (trial) => {
    const { harness } = trial;
    await trial.rounds(async () => {
      const old = new Set((await harness.look()).map(({ identity }) => identity.runtime_id));
      process.kill(await harness.tmux.serverPid(), "SIGKILL");
      for (const { player } of Object.values(harness.agents))
        await until(() => !player.isAlive(), "the agents went with their server", LIMIT_MS);
      await harness.replay();
      const tookMs = await harness.untilTrueAfterChange();
      const now = await harness.look();
      if (now.some(({ identity }) => old.has(identity.runtime_id)))
        throw new Error("an agent of the old server is taken for one of the new");
      harness.drop();
      await harness.untilDrained();
      return tookMs;
    });
    return "";
  });

const go = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It was ended meanwhile, which is right.
  }
};

/** Asks for the lists for `forMs`; resolves with the longest that an answer took, in ms. */
const slowestLook = async (harness: FaultHarness, forMs: number): Promise<number> => {
  let slowestMs = 0;
  const over = performance.now() + forMs;
  while (performance.now() < over) {
    slowestMs = Math.max(slowestMs, await timed(() => harness.look()));
    await wait(50);
  }
  return slowestMs;
};

/** For `stillMs` each time. */
export const wedgedTmux = (times: number, stillMs: number): Promise<Outcome> =>
  injectFault({ fault: "tmux server stands still", times }, async (trial) => {
    const { harness } = trial;
    const stopped: number[] = [];
    let slowestMs = 0;
    try {
      await trial.rounds(async () => {
        const pid = await harness.tmux.serverPid();
        go(pid, "SIGSTOP");
        stopped.push(pid);
        harness.drop(10);
        slowestMs = Math.max(slowestMs, await slowestLook(harness, stillMs));
        go(pid, "SIGCONT");
        await harness.turnWaiting();
        const tookMs = await harness.untilTrueAfterChange();
        await harness.untilDrained();
        return tookMs;
      });
    } finally {
      for (const pid of stopped) go(pid, "SIGCONT");
    }
    return `slowest list meanwhile ${slowestMs.toFixed(0)} ms`;
  });

const EVENT_EVERY_MS = 15;
/** From before the first line of the program to well after its first listing. */
const LATEST_KILL_MS = 1_500;
/** Kills after which a daemon is left alone until everything is right again. */
const KILLS_PER_CHECK = 20;

/** `random`: in [0, 1), so that a run can be repeated. */
export const killAtRandom = (times: number, random: () => number): Promise<Outcome> =>
  injectFault({ fault: "kill -9 at random", times }, async (trial) => {
    const { harness } = trial;
    const check = async (): Promise<number> => {
      const tookMs = await trial.recover();
      await harness.untilDrained();
      const clients = await harness.tmux.clientPids();
      if (clients.length > 0) throw new Error(`a killed daemon left tmux clients: ${clients.join(" ")}`);
      return tookMs;
    };
    await trial.rounds(async (round) => {
      await trial.daemon.stop("SIGKILL");
      const doomed = harness.launch();
      const end = performance.now() + random() * LATEST_KILL_MS;
      while (performance.now() < end) {
        harness.drop();
        await wait(EVENT_EVERY_MS);
      }
      await doomed.stop("SIGKILL");
      const kills = round + 1;
      return kills % KILLS_PER_CHECK === 0 || kills === times ? check() : 0;
    });
    return `${harness.dropped.length} events, looked at after every ${KILLS_PER_CHECK}`;
  });

const EVENTS_BEFORE = 300;

const schemaVersion = (path: string): unknown => {
  const db = new Database(path, { readonly: true });
  try {
    return db.pragma("user_version", { simple: true });
  } finally {
    db.close();
  }
};

/** A database of the first version that holds `EVENTS_BEFORE` events of the running agent. */
const makeOldDatabase = (newest: string, old: string): void => {
  rmSync(old, { force: true });
  const db = new Database(old);
  const [first] = TODAY;
  db.exec(first?.sql ?? "");
  db.pragma("application_id = 0x41475458");
  db.exec(`ATTACH '${newest}' AS now`);
  for (const table of ["runtimes", "pane_epochs", "events", "state_transitions", "spool_names"]) {
    const columns = db
      .prepare<[string], string>("SELECT name FROM pragma_table_info(?)")
      .pluck()
      .all(table)
      .join(", ");
    db.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM now.${table}`);
  }
  db.pragma(`main.user_version = ${first?.version ?? 0}`);
  db.close();
};

/** Killed while it brings a database of the first version to the newest one. */
export const killInMigration = (times: number, random: () => number): Promise<Outcome> =>
  injectFault({ fault: "kill -9 in a migration", times }, async (trial) => {
    const { harness } = trial;
    const old = join(harness.root, "old.db");
    harness.drop(EVENTS_BEFORE);
    await harness.untilDrained();
    await trial.daemon.stop();
    makeOldDatabase(harness.paths.stateDb, old);
    await trial.rounds(async () => {
      await trial.daemon.stop("SIGKILL");
      for (const part of ["", "-wal", "-shm"]) rmSync(`${harness.paths.stateDb}${part}`, { force: true });
      copyFileSync(old, harness.paths.stateDb);
      const doomed = harness.launch();
      // The file's log appears a moment before the first step.
      await until(() => existsSync(`${harness.paths.stateDb}-wal`), "the database is opened", LIMIT_MS);
      await wait(random() * 12);
      await doomed.stop("SIGKILL");
      const tookMs = await trial.recover();
      const reached = schemaVersion(harness.paths.stateDb);
      if (reached !== LATER.at(-1)?.version)
        throw new Error(`the database is of version ${String(reached)} after its migration`);
      trial.count(harness.dropped, harness.stored());
      return tookMs;
    });
    return `${EVENTS_BEFORE} events before`;
  });

/** The whole process stands still while its agents go on, as on a machine that sleeps or is wedged. */
export const sleepAndResume = (times: number, sleepMs: number): Promise<Outcome> =>
  injectFault({ fault: "sleep and resume", times }, async (trial) => {
    const { harness, daemon } = trial;
    await trial.rounds(async () => {
      process.kill(daemon.pid, "SIGSTOP");
      await harness.turnWaiting();
      harness.drop(20);
      await wait(sleepMs);
      process.kill(daemon.pid, "SIGCONT");
      const tookMs = await harness.untilTrueAfterChange();
      await harness.untilDrained();
      return tookMs;
    });
    return `SIGSTOP for ${sleepMs} ms`;
  });
