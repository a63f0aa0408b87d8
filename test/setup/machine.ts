// How much slower this machine is than those that the suites' limits were set on. A virtual machine of the same kind can be four
// times slower from one day to the next; its files take longer, and more of them at once only wait for each other.

/** What the loop below takes there, in ms: the least of several runs. */
const USUAL_MS = 6;
const STEPS = 4_000_000;
const RUNS = 5;

const loopMs = (): number => {
  const startedAt = performance.now();
  let sum = 0;
  for (let step = 0; step < STEPS; step++) sum = (sum * 31 + step) % 1_000_003;
  // Read, so that the loop is not left out.
  return sum < 0 ? 0 : performance.now() - startedAt;
};

/** 1 on such a machine and on faster ones, 4 where the same work takes four times as long. */
export const measureSlowness = (): number =>
  Math.max(1, Math.min(...Array.from({ length: RUNS }, loopMs)) / USUAL_MS);
