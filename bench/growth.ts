// How much the database grows in a day of heavy use, and where it stops: days are replayed through the daemon's own ingest with a
// clock that is moved by hand, and the daemon's own retention runs every hour of it.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { loadEventSamples } from "../adapters/testkit/recordings.ts";
import { DEFAULT_CONFIG } from "../core/model/config.ts";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { mb } from "./report/words.ts";
import { createRig, type Rig, type RigAgent } from "./rig.ts";

// The model of a heavy day, stated once: how many agents take how many turns, and which events a turn has. The order and size
// of a turn's events come from recordings of Claude Code; the number of turns is assumed.

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const TOOLS = 10;
/** The texts of tools and models are longer in real work than in the short recordings. */
const TEXT_BYTES = 1_500;

interface DayEvent {
  name: string;
  payload: Record<string, unknown>;
}

const HEAVY_DAY = {
  agents: 20,
  turnsPerAgent: 120,
  hours: 10,
  tools: TOOLS,
  approvalEvery: 4,
} as const;

/** Events of one turn: a prompt, tool calls one after the other, now and then an approval, the end. */
const turnOf = (turn: number): DayEvent[] => {
  const samples = loadEventSamples(RECORDINGS);
  const recorded = (name: string): Record<string, unknown> => {
    const found = samples.find((sample) => sample.name === name);
    if (found === undefined) throw new Error(`bench: no event ${name} was recorded`);
    return found.payload;
  };
  const text = `turn ${turn} `.repeat(TEXT_BYTES / 10);
  const tools = Array.from({ length: TOOLS }, (_, tool): DayEvent[] => {
    const ids = { tool_use_id: `toolu_${turn}_${tool}` };
    const asks = tool === 0 && turn % HEAVY_DAY.approvalEvery === 0;
    return [
      { name: "PreToolUse", payload: { ...recorded("PreToolUse"), ...ids } },
      ...(asks ? [{ name: "PermissionRequest", payload: recorded("PermissionRequest") }] : []),
      {
        name: "PostToolUse",
        payload: { ...recorded("PostToolUse"), ...ids, tool_response: { stdout: text } },
      },
    ];
  }).flat();
  return [
    { name: "UserPromptSubmit", payload: { ...recorded("UserPromptSubmit"), prompt: text.slice(0, 300) } },
    ...tools,
    { name: "Stop", payload: { ...recorded("Stop"), last_assistant_message: text } },
  ];
};

/** Events of the whole day. */
const eventsPerDay = (): number => {
  const { agents, turnsPerAgent, approvalEvery } = HEAVY_DAY;
  const plain = 2 + 2 * TOOLS;
  return agents * (turnsPerAgent * plain + Math.ceil(turnsPerAgent / approvalEvery));
};

const MB = 1_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FULL_DAYS = 5;
/** A replayed day is this share of a heavy day. */
const SHARE = 1 / 4;
/** The space that a tool which only watches may take on a person's disk. */
const MAX_MB = 1_000;

interface DaySize {
  day: number;
  fileMb: number;
  /** Counts only pages in use, because the file keeps freed pages for later rows. */
  usedMb: number;
  events: number;
  transitions: number;
  removed: number;
}

/** Rows that retention bounds by number; all others are removed by age alone. */
const BY_NUMBER = ["events", "state_transitions"] as const;

/** One day: every agent takes its turns evenly over the working hours; retention every hour. */
const replayDay = async (
  rig: Rig,
  agents: readonly RigAgent[],
  options: { turns: number; keepMs: number; maxEvents: number },
): Promise<number> => {
  const { turns } = options;
  const turnMs = (HEAVY_DAY.hours * HOUR_MS) / turns;
  let removed = 0;
  let prunedAt = rig.clock.now();
  const prune = (): void => {
    prunedAt = rig.clock.now();
    removed += rig.ingest.prune({ olderThan: prunedAt - options.keepMs, maxEvents: options.maxEvents });
  };
  for (let turn = 0; turn < turns; turn += 1) {
    const events = turnOf(turn);
    for (const { name, payload } of events) {
      rig.clock.skip(turnMs / events.length);
      rig.ingest.applyEnvelopes(
        "host",
        agents.map((agent) => rig.envelope(agent, name, payload)),
      );
    }
    rig.ingest.tick();
    if (rig.clock.now() - prunedAt >= HOUR_MS) prune();
    await new Promise((done) => setImmediate(done));
  }
  rig.clock.skip(DAY_MS - HEAVY_DAY.hours * HOUR_MS);
  prune();
  return removed;
};

const sizeOf = (path: string) => {
  const db = new Database(path, { readonly: true });
  try {
    const number = (name: string): number => Number(db.pragma(name, { simple: true }));
    const count = (table: (typeof BY_NUMBER)[number]): number =>
      db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
    const tables = new Map(
      db
        .prepare<[], { tbl: string; bytes: number }>(
          `SELECT coalesce(m.tbl_name, s.name) AS tbl, sum(s.pgsize) AS bytes
           FROM dbstat AS s LEFT JOIN sqlite_schema AS m ON m.name = s.name GROUP BY 1`,
        )
        .all()
        .map(({ tbl, bytes }) => [tbl, bytes / MB] as const),
    );
    return {
      // Commits that are not yet moved into the file are on the disk as well.
      fileMb: (statSync(path).size + statSync(`${path}-wal`).size) / MB,
      usedMb: ((number("page_count") - number("freelist_count")) * number("page_size")) / MB,
      events: count("events"),
      transitions: count("state_transitions"),
      tables,
    };
  } finally {
    db.close();
  }
};

const ratesOf = ({ tables, events, transitions }: ReturnType<typeof sizeOf>) => {
  const all = [...tables.values()].reduce((sum, one) => sum + one, 0);
  const [ofEvents = 0, ofTransitions = 0] = BY_NUMBER.map((name) => tables.get(name));
  return {
    mbPerDay: all,
    /** An event with its indexes, and a transition. */
    bytesPerEvent: (ofEvents * MB) / events,
    bytesPerTransition: (ofTransitions * MB) / transitions,
    transitionsPerEvent: transitions / events,
    agedMbPerDay: all - ofEvents - ofTransitions,
  };
};

/** What a day adds, split by what removes it again: the limit of rows, or age. */
type Rates = ReturnType<typeof ratesOf>;

/** The size at which retention removes as much as is added, from the measurements of one day and the default limits. */
const steadyMb = (rates: Rates): number => {
  const { max_age_days: days, max_events: max } = DEFAULT_CONFIG.retention;
  const events = Math.min(max, eventsPerDay() * days);
  const transitions = Math.min(max, eventsPerDay() * rates.transitionsPerEvent * days);
  const numbered = events * rates.bytesPerEvent + transitions * rates.bytesPerTransition;
  return numbered / MB + rates.agedMbPerDay * days;
};

interface Replay {
  sizes: readonly DaySize[];
  /** The figures of the first day, before retention removed anything. */
  rates: Rates | null;
  firstTables: Readonly<Record<string, number>>;
  /** The figures of one heavy day that was replayed whole. */
  share: number;
}

const toMeasured = ({ sizes, rates, firstTables, share }: Replay): Measured => {
  if (rates === null) throw new Error("bench growth: no day was replayed");
  const mbPerDay = rates.mbPerDay / share;
  const steady = steadyMb({ ...rates, agedMbPerDay: rates.agedMbPerDay / share });
  const [last, before] = [sizes.at(-1)?.fileMb ?? 0, sizes.at(-2)?.fileMb ?? 0];
  return {
    name: "growth",
    title: "Growth of the database",
    how: `A heavy day is assumed to be ${HEAVY_DAY.agents} agents with ${HEAVY_DAY.turnsPerAgent} turns each over ${HEAVY_DAY.hours} hours, a turn with ${HEAVY_DAY.tools} tool calls and every fourth with an approval: ${eventsPerDay().toLocaleString("en")} events. Their order and what they carry are as recorded with Claude Code, with 1.5 kB of text where tools and models answer. A quarter of such a day is replayed ${sizes.length} times with a clock that is moved by hand; retention runs every hour with limits small enough to be reached: two days, and the events of one and a half.`,
    tables: [
      {
        caption: "Replayed quarters of a day",
        head: ["day", "file", "in use", "events kept", "transitions kept", "rows removed"],
        rows: sizes.map(({ day, fileMb, usedMb, events, transitions, removed }) => [
          String(day),
          mb(fileMb),
          mb(usedMb),
          events.toLocaleString("en"),
          transitions.toLocaleString("en"),
          removed.toLocaleString("en"),
        ]),
      },
    ],
    checks: [
      atMost(
        "growth of the file on the last day by its size, with retention",
        (last - before) / last,
        0.05,
        "×",
      ),
      atMost("size at which a heavy day's rows and retention balance (computed)", steady, MAX_MB, "MB"),
    ],
    notes: [
      `Before retention: ${mb(mbPerDay)} a day (${rates.bytesPerEvent.toFixed(0)} bytes for an event with its indexes, ${rates.bytesPerTransition.toFixed(0)} for a transition, ${rates.transitionsPerEvent.toFixed(2)} transitions for an event).`,
      `With the default limits (${DEFAULT_CONFIG.retention.max_age_days} days, ${DEFAULT_CONFIG.retention.max_events.toLocaleString("en")} events and as many transitions) it levels off at ${mb(steady)}, computed from the first day; the replay shows that it does level off.`,
    ],
    figures: {
      model: HEAVY_DAY,
      eventsPerDay: eventsPerDay(),
      days: sizes,
      firstDayTablesMb: firstTables,
      rates,
      mbPerDay,
      steadyMb: steady,
    },
  };
};

export const benchGrowth = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-bench-growth-"));
  const path = join(folder, "state.db");
  const rig = createRig(path);
  try {
    const turns = isQuick ? 1 : HEAVY_DAY.turnsPerAgent * SHARE;
    const share = turns / HEAVY_DAY.turnsPerAgent;
    const { agents } = rig.addTarget("host", HEAVY_DAY.agents * 2, 2);
    const days = isQuick ? 2 : FULL_DAYS;
    // Two days of this replay stand for the fourteen that are kept.
    const limits = { turns, keepMs: 2 * DAY_MS, maxEvents: Math.ceil(eventsPerDay() * share * 1.5) };
    const sizes: DaySize[] = [];
    let rates: Rates | null = null;
    let firstTables: Readonly<Record<string, number>> = {};
    for (let day = 1; day <= days; day += 1) {
      const removed = await replayDay(rig, agents, limits);
      const measured = sizeOf(path);
      const { tables, ...size } = measured;
      rates ??= ratesOf(measured);
      if (day === 1) firstTables = Object.fromEntries(tables);
      sizes.push({ day, ...size, removed });
    }
    return toMeasured({ sizes, rates, firstTables, share });
  } finally {
    rig.store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
