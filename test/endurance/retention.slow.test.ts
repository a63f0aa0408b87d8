// Weeks pass for a real daemon on real tmux: what is stored goes by age and by number, the file stops growing, and what
// lives keeps its state.
import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { framesOf } from "../chain/chainHarness.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { dropEvent, eventText } from "../harness/eventFile.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { createMovedClock, type MovedClock } from "./movedClock.ts";

const DAY_MS = 86_400_000;
const KEPT_DAYS = 3;
const TURNS_A_DAY = 40;
const EVENTS_A_DAY = 2 * TURNS_A_DAY;
const LIMIT_MS = 30_000;
/** SQLite takes its log over after 1,000 pages of 4 kB; a half more for the transaction that is open then. */
/** Of 4,000 pages, and what one commit adds. */
const MAX_LOG_BYTES = 20 * 1_024 * 1_024;

/** The least that a person may choose. */
const MAX_EVENTS = 1_000;

let clock: MovedClock;
let tmux: PrivateTmux;
let daemon: TestDaemon;
let player: Player;
let serverPid: number;

beforeEach(async () => {
  clock = createMovedClock();
  tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40");
  daemon = await startTestDaemon({ sockets: [tmux.socketPath], clock });
  serverPid = await tmux.serverPid();
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: framesOf("claude"),
  });
  await player.frame("completed");
  await daemon.until(player.paneId, ({ agent }) => agent === "claude", LIMIT_MS);
});
afterEach(async () => {
  await player.close();
  await daemon.close();
  await tmux.close();
});

let dropped = 0;
const drop = (event: string, payload: Record<string, unknown>): void => {
  const { paneId: pane, pid: ppid, sessionId } = player;
  const tmuxOfPane = `${tmux.socketPath},${serverPid},0`;
  const text = eventText({ event, sessionId, tmux: tmuxOfPane, pane, ppid, payload });
  dropEvent(daemon.paths.spool, `9${String((dropped += 1)).padStart(6, "0")}-0`, text, clock.now());
};

/** A day's turns, all applied, and the night after them. */
const passDay = async (turns = TURNS_A_DAY): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) {
    drop("UserPromptSubmit", { prompt: `turn ${turn} ${"words ".repeat(200)}` });
    drop("Stop", { background_tasks: [] });
  }
  await until(() => readdirSync(daemon.paths.spoolNew).length === 0, "all events are applied", LIMIT_MS);
  clock.skip(DAY_MS);
  // What the screen and the processes say is of the new day from here on.
  await daemon.until(player.paneId, ({ state }) => state === "completed" || state === "idle", LIMIT_MS);
};

const TABLES = [
  "events",
  "state_transitions",
  "spool_names",
  "pending_events",
  "action_snapshots",
  "audit",
  "used_keys",
  "runtimes",
  "states",
  "panes",
] as const;

const countRows = (): Record<(typeof TABLES)[number], number> & { oldestAt: number; pages: number } => {
  const db = new Database(daemon.paths.stateDb, { readonly: true });
  try {
    const one = (sql: string): number => Number(db.prepare(sql).pluck().get());
    const rows = Object.fromEntries(TABLES.map((table) => [table, one(`SELECT count(*) FROM ${table}`)]));
    return {
      ...(rows as Record<(typeof TABLES)[number], number>),
      // What the screen shows since then is kept, however long it has shown it.
      oldestAt: one("SELECT min(ingested_at) FROM events WHERE source = 'hook'"),
      pages: one("PRAGMA page_count"),
    };
  } finally {
    db.close();
  }
};

const setRetention = (retention: { max_age_days: number; max_events: number }): Promise<unknown> =>
  Promise.all(
    Object.entries(retention).map(([name, value]) =>
      daemon.daemon.service.configSet({ key: `retention.${name}`, value }),
    ),
  );

it(
  "rows go by age, whatever table they are in, and the file stops growing",
  { timeout: 240_000 },
  async () => {
    await setRetention({ max_age_days: KEPT_DAYS, max_events: 100_000 });
    for (let day = 0; day <= KEPT_DAYS + 1; day += 1) await passDay();
    const settled = countRows();
    for (let day = 0; day < 7; day += 1) await passDay();
    const now = countRows();

    expect(now.oldestAt).toBeGreaterThan(clock.now() - (KEPT_DAYS + 1) * DAY_MS);
    expect(now.events).toBeGreaterThan(EVENTS_A_DAY);
    for (const table of TABLES)
      expect([table, now[table] <= settled[table] * 1.1 + 5]).toEqual([table, true]);
    // Pages that became free are used again; a tenth is for pages that are half full.
    expect(now.pages).toBeLessThan(settled.pages * 1.1 + 10);
    expect(statSync(`${daemon.paths.stateDb}-wal`).size).toBeLessThan(MAX_LOG_BYTES);
  },
);

it("rows go by number, and the state of what lives stays", { timeout: 240_000 }, async () => {
  await setRetention({ max_age_days: 14, max_events: MAX_EVENTS });
  const before = daemon.rows().find((row) => row.identity.pane_id === player.paneId)?.identity.runtime_id;
  for (let day = 0; day < 2; day += 1) await passDay(0.6 * MAX_EVENTS);
  const { events } = countRows();
  // What the new day has told already is not counted yet.
  expect(events).toBeGreaterThanOrEqual(MAX_EVENTS - 1);
  expect(events).toBeLessThan(MAX_EVENTS + 10);
  const row = daemon.rows().find((one) => one.identity.pane_id === player.paneId);
  expect(row?.identity.runtime_id).toBe(before);
});

it("what hooks left half-written goes after a day", { timeout: 60_000 }, async () => {
  const left = join(daemon.paths.spoolTmp, "0001234-0");
  writeFileSync(left, "agtmux-event 1\n", { mode: 0o600 });
  utimesSync(left, clock.now() / 1_000, clock.now() / 1_000);
  clock.skip(DAY_MS / 2);
  await until(() => readdirSync(daemon.paths.spoolTmp).length === 1, "it is still there");
  clock.skip(DAY_MS);
  await until(() => readdirSync(daemon.paths.spoolTmp).length === 0, "it is gone", LIMIT_MS);
});
