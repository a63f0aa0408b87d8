// Whether two readings of a start time are of one process. Pure.

/**
 * Start times of one process may differ by this between two lives of the daemon: boot time is derived from the wall clock,
 * which is adjusted, and ps has whole seconds. No pid comes back within that time.
 */
const SAME_START_TOLERANCE_MS = 2_000;
export const isSameStart = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_START_TOLERANCE_MS;
