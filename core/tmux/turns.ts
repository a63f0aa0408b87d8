// Bounds how much of one kind is under way at once. A thousand file reads that are started together are one long stretch of
// the serving loop, and their ends another; the thread pool has four threads and gains nothing by it.

/** `run` begins `work` when fewer than `limit` others are under way, in the order of asking. */
export const createTurns = (limit: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let taken = 0;
  let next = 0;
  const release = (): void => {
    const begin = waiting[next];
    if (begin === undefined) {
      taken -= 1;
      waiting.length = 0;
      next = 0;
      return;
    }
    next += 1;
    begin();
  };
  return async (work) => {
    if (taken < limit) taken += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      release();
    }
  };
};
