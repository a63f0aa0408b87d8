// The daemon's process killed at any moment, and stopped for a while as a machine that sleeps stops it.
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { MIGRATIONS } from "../../core/store/migrations/index.ts";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS, memoryMb, openFaultScene } from "./faultScene.ts";
import { countLost, type Outcome } from "./outcome.ts";

const EVENT_EVERY_MS = 15;
/** From before the first line of the program to well after its first listing. */
const LATEST_KILL_MS = 1_500;
/** Kills after which a daemon is left alone until everything is right again. */
const KILLS_PER_CHECK = 20;

/** `random`: in [0, 1), so that a run can be repeated. */
export const killAtRandom = async (times: number, random: () => number): Promise<Outcome> => {
  const scene = await openFaultScene();
  try {
    const first = await scene.start();
    await scene.untilTrue();
    const before = memoryMb(first.pid);
    await first.stop("SIGKILL");
    let [recovered, worstMs, after] = [0, 0, before];
    const check = async (kills: number): Promise<void> => {
      const from = performance.now();
      const next = await scene.start();
      await scene.untilTrue();
      worstMs = Math.max(worstMs, performance.now() - from);
      await scene.untilDrained();
      // tmux keeps a client whose owner was killed in the middle of a listing, for the next daemon to end.
      await until(
        async () => (await scene.tmux.clientPids()).length === 1,
        "no tmux client of a killed daemon is left",
        LIMIT_MS,
      );
      recovered = kills;
      after = memoryMb(next.pid);
      await next.stop("SIGKILL");
    };
    for (let round = 0; round < times; round += 1) {
      const doomed = scene.launch();
      const end = performance.now() + random() * LATEST_KILL_MS;
      while (performance.now() < end) {
        scene.drop();
        await wait(EVENT_EVERY_MS);
      }
      await doomed.stop("SIGKILL");
      const kills = round + 1;
      if (kills % KILLS_PER_CHECK === 0 || kills === times) await check(kills);
    }
    return {
      fault: "kill -9 at random",
      times,
      recovered,
      lost: countLost(scene.dropped, scene.stored()),
      wrong: scene.wrong.length,
      worstMs,
      memoryMb: [before, after],
      note: `${scene.dropped.length} events, looked at after every ${KILLS_PER_CHECK}`,
    };
  } finally {
    await scene.close();
  }
};

const EVENTS_BEFORE = 300;

/** A database of the first version that holds `EVENTS_BEFORE` events of the running agent. */
const makeOldDatabase = (newest: string, old: string): void => {
  rmSync(old, { force: true });
  const db = new Database(old);
  const [first] = MIGRATIONS;
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
  db.pragma("main.user_version = 1");
  db.close();
};

/** Killed while it brings a database of the first version to the newest one. */
export const killInMigration = async (times: number, random: () => number): Promise<Outcome> => {
  const scene = await openFaultScene();
  const old = join(scene.root, "old.db");
  try {
    const first = await scene.start();
    await scene.untilTrue();
    const before = memoryMb(first.pid);
    for (let index = 0; index < EVENTS_BEFORE; index += 1) scene.drop();
    await scene.untilDrained();
    await first.stop();
    makeOldDatabase(scene.paths.stateDb, old);
    let [recovered, lost, worstMs, after] = [0, 0, 0, before];
    for (let round = 0; round < times; round += 1) {
      for (const part of ["", "-wal", "-shm"]) rmSync(`${scene.paths.stateDb}${part}`, { force: true });
      copyFileSync(old, scene.paths.stateDb);
      const doomed = scene.launch();
      // The file's log appears a moment before the first step.
      await until(() => existsSync(`${scene.paths.stateDb}-wal`), "the database is opened", LIMIT_MS);
      await wait(random() * 12);
      await doomed.stop("SIGKILL");
      const from = performance.now();
      const next = await scene.start();
      await scene.untilTrue();
      worstMs = Math.max(worstMs, performance.now() - from);
      lost += countLost(scene.dropped, scene.stored());
      after = memoryMb(next.pid);
      recovered += 1;
      await next.stop("SIGKILL");
    }
    return {
      fault: "kill -9 in a migration",
      times,
      recovered,
      lost,
      wrong: scene.wrong.length,
      worstMs,
      memoryMb: [before, after],
      note: `${EVENTS_BEFORE} events before`,
    };
  } finally {
    await scene.close();
  }
};

/** The whole process stands still while its agents go on, as on a machine that sleeps or is wedged. */
export const sleepAndResume = async (times: number, sleepMs: number): Promise<Outcome> => {
  const scene = await openFaultScene();
  try {
    const daemon = await scene.start();
    await scene.untilTrue();
    const before = memoryMb(daemon.pid);
    let [recovered, worstMs] = [0, 0];
    for (let round = 0; round < times; round += 1) {
      process.kill(daemon.pid, "SIGSTOP");
      const { waiting } = scene.agents;
      waiting.state = waiting.state === "waiting_approval" ? "running" : "waiting_approval";
      await waiting.player.frame(waiting.state === "running" ? "tool_running" : "waiting_approval");
      for (let index = 0; index < 20; index += 1) scene.drop();
      await wait(sleepMs);
      process.kill(daemon.pid, "SIGCONT");
      worstMs = Math.max(worstMs, await scene.untilTrueAfterChange());
      await scene.untilDrained();
      recovered += 1;
    }
    return {
      fault: "sleep and resume",
      times,
      recovered,
      lost: countLost(scene.dropped, scene.stored()),
      wrong: scene.wrong.length,
      worstMs,
      memoryMb: [before, memoryMb(daemon.pid)],
      note: `SIGSTOP for ${sleepMs} ms`,
    };
  } finally {
    await scene.close();
  }
};
