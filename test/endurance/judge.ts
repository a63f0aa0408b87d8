// Decides from the samples of the simulated hours whether something grows: a fitted slope for memory, and for things that
// can be counted that the last hours hold no more than the first ones. Pure.

/** What was held at the end of a simulated hour. */
export interface Held {
  heapBytes: number;
  residentBytes: number;
  objects: number;
  timers: number;
  handles: number;
  descriptors: number;
  children: number;
  emitters: number;
  abortSignals: number;
  processListeners: number;
  spoolFiles: number;
  tempFiles: number;
  homeFiles: number;
  rows: number;
}

/** Those of which each one counts: a slope would forgive the first. */
export const COUNTED = [
  "timers",
  "handles",
  "descriptors",
  "children",
  "emitters",
  "abortSignals",
  "processListeners",
  "spoolFiles",
  "tempFiles",
  "homeFiles",
  "rows",
] as const satisfies readonly (keyof Held)[];

/** What is in flight at any moment, by which two samples of the same thing differ on a busy machine. */
const IN_FLIGHT: Partial<Record<(typeof COUNTED)[number], number>> = {
  timers: 2,
  handles: 2,
  emitters: 4,
  abortSignals: 3,
};

/** Growth per hour that is still taken for none. */
interface Bounds {
  /** Objects per event: one that is kept of every tenth event is a leak. */
  objectsPerEvent: number;
  /** Objects of what is in flight at the moment of a sample: two samples of the same thing differ by a hundred. */
  objects: number;
  /**
   * For what is kept and is no object (texts, buffers). Eight samples scatter by half a megabyte with what the compiler
   * makes and throws away; a slope below this cannot be told from none. It is 128 bytes per event of a full hour.
   */
  heapBytes: number;
  /** The resident size follows the allocator and the pages that SQLite keeps, up to 16 MB: a coarse bound. */
  residentBytes: number;
}

export const BOUNDS: Bounds = {
  objectsPerEvent: 0.1,
  objects: 250,
  heapBytes: 160 * 1_024,
  residentBytes: 4 * 1_024 * 1_024,
};

/** Median of the slopes between all pairs (Theil-Sen): one odd hour does not bend it. */
export const slopeOf = (values: readonly number[]): number => {
  const slopes = values.flatMap((value, index) =>
    values.slice(index + 1).map((later, more) => (later - value) / (more + 1)),
  );
  const sorted = slopes.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length === 0
    ? Number.NaN
    : ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.ceil(middle - 0.5)] ?? 0)) / 2;
};

/** Faults of the hours after the warm-up, none where nothing grows. Three hours are the least that can be judged. */
export const judge = (hours: readonly Held[], eventsPerHour: number): string[] => {
  if (hours.length < 3) return [`${hours.length} samples are too few to tell`];
  const faults: string[] = [];
  const slope = (of: "heapBytes" | "residentBytes" | "objects"): number =>
    slopeOf(hours.map((hour) => hour[of]));
  const kb = (bytes: number): string => `${(bytes / 1_024).toFixed(0)} kB`;
  const grows = (what: string, by: number, bound: number, show: (value: number) => string): void => {
    if (by > bound) faults.push(`${what} by ${show(by)} an hour (bound ${show(bound)})`);
  };
  const count = (value: number): string => value.toFixed(0);
  grows(
    "objects grow",
    slope("objects"),
    Math.max(BOUNDS.objects, BOUNDS.objectsPerEvent * eventsPerHour),
    count,
  );
  grows("the heap grows", slope("heapBytes"), BOUNDS.heapBytes, kb);
  grows("resident memory grows", slope("residentBytes"), BOUNDS.residentBytes, kb);
  const third = Math.max(1, Math.floor(hours.length / 3));
  for (const name of COUNTED) {
    const first = Math.max(...hours.slice(0, third).map((hour) => hour[name]));
    const last = Math.min(...hours.slice(-third).map((hour) => hour[name]));
    if (last > first + (IN_FLIGHT[name] ?? 0))
      faults.push(`${name}: ${first} in the first hours, never less than ${last} in the last`);
  }
  return faults;
};
