// The daemon's process killed at any moment, and stopped for a while as a machine that sleeps stops it.
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { MIGRATIONS as TODAY } from "../../core/store/migrations.ts";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS } from "./faultHarness.ts";
import { injectFault } from "./injectFault.ts";
import { MIGRATIONS as LATER } from "./nextMigrations.ts";
import type { Outcome } from "./outcome.ts";

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
