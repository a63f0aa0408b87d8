// Every fault with how often or how long it is injected: in short, with the other tests, and at full length for
// `npm run faults`.
import {
  DAMAGE_KINDS,
  damagedDatabase,
  damagedOwner,
  fullDisk,
  readOnlyHome,
  REMOVAL_KINDS,
  removedDatabase,
} from "./diskFaults.ts";
import { backlogAtStart, eventFlood, longLines } from "./loadFaults.ts";
import type { Outcome } from "./outcome.ts";
import {
  crashedServer,
  halfOpen,
  killAtRandom,
  killInMigration,
  sleepAndResume,
  wedgedTmux,
} from "./processFaults.ts";

export interface Fault {
  name: string;
  /** Mounts disks of its own. */
  needsRoot: boolean;
  short(random: () => number): Promise<Outcome>;
  /** `times`: how many kills; all else follows from it. */
  long(random: () => number, times: number): Promise<Outcome>;
}

const some = (times: number, share: number): number => Math.max(1, Math.round(times / share));

export const FAULTS: readonly Fault[] = [
  {
    name: "kills",
    needsRoot: false,
    short: (random) => killAtRandom(15, random),
    long: (random, times) => killAtRandom(times, random),
  },
  {
    name: "migration",
    needsRoot: false,
    short: (random) => killInMigration(2, random),
    long: (random, times) => killInMigration(some(times, 20), random),
  },
  {
    name: "damage",
    needsRoot: false,
    short: () => damagedDatabase(DAMAGE_KINDS),
    long: (_random, times) => damagedDatabase(some(times, 20)),
  },
  {
    name: "removed",
    needsRoot: false,
    short: () => removedDatabase(REMOVAL_KINDS),
    long: (_random, times) => removedDatabase(some(times, 25)),
  },
  {
    name: "owner",
    needsRoot: false,
    short: () => damagedOwner(1),
    long: (_random, times) => damagedOwner(some(times, 100)),
  },
  {
    name: "full",
    needsRoot: true,
    short: () => fullDisk(1),
    long: (_random, times) => fullDisk(some(times, 100)),
  },
  {
    name: "readonly",
    needsRoot: true,
    short: () => readOnlyHome(1),
    long: (_random, times) => readOnlyHome(some(times, 100)),
  },
  {
    name: "crash",
    needsRoot: false,
    short: () => crashedServer(1),
    long: (_random, times) => crashedServer(some(times, 20)),
  },
  {
    name: "server",
    needsRoot: false,
    short: () => wedgedTmux(1, 3_000),
    long: (_random, times) => wedgedTmux(some(times, 100), 20_000),
  },
  {
    name: "sleep",
    needsRoot: false,
    short: () => sleepAndResume(1, 2_000),
    long: (_random, times) => sleepAndResume(some(times, 100), 20_000),
  },
  {
    name: "halfopen",
    needsRoot: false,
    short: () => halfOpen(1),
    long: (_random, times) => halfOpen(some(times, 100)),
  },
  {
    name: "lines",
    needsRoot: false,
    short: () => longLines(1),
    long: (_random, times) => longLines(some(times, 100)),
  },
  {
    name: "flood",
    needsRoot: false,
    short: () => eventFlood(2, 1_000),
    long: (_random, times) => eventFlood(Math.min(60, some(times, 16)), 10_000),
  },
  {
    name: "backlog",
    needsRoot: false,
    short: () => backlogAtStart(3_000),
    long: (_random, times) => backlogAtStart(times * 100),
  },
];

/** The same numbers for the same seed, in [0, 1). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
