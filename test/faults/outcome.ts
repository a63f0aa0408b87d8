// What a fault did to the daemon, counted: one row of the table that `npm run faults` prints.

export interface Outcome {
  fault: string;
  times: number;
  recovered: number;
  /** Events that were written and are neither stored nor set aside with a damaged file, or stored more than once. */
  lost: number;
  /** Rows that claimed a state which the agent was not in. */
  wrong: number;
  worstMs: number;
  /** Resident memory of the daemon before, and after it came to rest, MB. */
  memoryMb: readonly [before: number, after: number];
  note: string;
}

/** Memory that a process may hold back at rest beside what it had before the fault. */
export const MEMORY_SLACK_MB = 48;

/** What is wrong with it, a sentence each; nothing when it is as it has to be. */
export const complaintsOf = (outcome: Outcome): string[] => {
  const [before, after] = outcome.memoryMb;
  return [
    ...(outcome.recovered === outcome.times ? [] : [`recovered ${outcome.recovered} of ${outcome.times}`]),
    ...(outcome.lost === 0 ? [] : [`${outcome.lost} events were lost or stored twice`]),
    ...(outcome.wrong === 0 ? [] : [`${outcome.wrong} rows were wrong`]),
    ...(after <= before + MEMORY_SLACK_MB
      ? []
      : [`memory went from ${before.toFixed(0)} to ${after.toFixed(0)} MB`]),
  ].map((what) => `${outcome.fault}: ${what}`);
};

/** How many of the dropped events are missing or doubled in what is stored. */
export const countLost = (dropped: readonly string[], stored: readonly string[]): number => {
  const kept = new Set(stored);
  return dropped.filter((one) => !kept.has(one)).length + (stored.length - kept.size);
};
