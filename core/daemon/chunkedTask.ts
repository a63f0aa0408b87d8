// Work of the daemon's own that comes in steps: the loop turns between two of them, so that whoever asks is answered.

export interface ChunkedTask {
  /** Takes the first step at once, the others each in a turn of its own. What still runs of the time before is given up. */
  run(steps: Iterator<undefined>): void;
  /** No further step is taken. */
  stop(): void;
}

/** `guard` runs a step and may swallow its failure: the rest is left then. */
export const createChunkedTask = (guard: (step: () => void) => void): ChunkedTask => {
  let current: Iterator<undefined> | null = null;
  const take = (steps: Iterator<undefined>): void => {
    if (current !== steps) return;
    let isOver = true;
    guard(() => {
      isOver = steps.next().done === true;
    });
    if (isOver) current = null;
    else setImmediate(() => take(steps));
  };
  return {
    run: (steps) => {
      current = steps;
      take(steps);
    },
    stop: () => {
      current = null;
    },
  };
};
