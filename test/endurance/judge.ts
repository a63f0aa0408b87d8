// Decides from the samples of the simulated hours whether something grows: a fitted slope for memory, and for things that
// can be counted that the last hours hold no more than the first ones. Pure.

/** What was held at the end of a simulated hour. */
export interface Held {
  heapBytes: number;
  residentBytes: number;
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

export interface Bounds {
  /**
   * Growth of the heap per event. The smallest thing that could be kept of an event by mistake is its name in a set: an
   * object of 64 bytes with its place in a table. Half of that is a leak.
   */
  heapBytesPerEvent: number;
  /** What the collector and the compiler leave open, in bytes per hour: below it no slope is told from none. */
  heapNoiseBytes: number;
  /** The resident size follows the allocator, not the program: it is held to a coarse bound per hour. */
  residentBytes: number;
}

export const BOUNDS: Bounds = {
  heapBytesPerEvent: 32,
  heapNoiseBytes: 48 * 1_024,
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
export const judge = (hours: readonly Held[], eventsPerHour: number, bounds: Bounds = BOUNDS): string[] => {
  if (hours.length < 3) return [`${hours.length} samples are too few to tell`];
  const faults: string[] = [];
  const slope = (of: "heapBytes" | "residentBytes"): number => slopeOf(hours.map((hour) => hour[of]));
  const heapBound = Math.max(bounds.heapNoiseBytes, bounds.heapBytesPerEvent * eventsPerHour);
  const kb = (bytes: number): string => `${(bytes / 1_024).toFixed(0)} kB`;
  if (slope("heapBytes") > heapBound)
    faults.push(`the heap grows by ${kb(slope("heapBytes"))} an hour (bound ${kb(heapBound)})`);
  if (slope("residentBytes") > bounds.residentBytes)
    faults.push(
      `resident memory grows by ${kb(slope("residentBytes"))} an hour (bound ${kb(bounds.residentBytes)})`,
    );
  const third = Math.max(1, Math.floor(hours.length / 3));
  for (const name of COUNTED) {
    const first = Math.max(...hours.slice(0, third).map((hour) => hour[name]));
    const last = Math.min(...hours.slice(-third).map((hour) => hour[name]));
    if (last > first)
      faults.push(`${name}: ${first} in the first hours, never less than ${last} in the last`);
  }
  return faults;
};
