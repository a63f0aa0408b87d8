// How many works of one kind run at once, and which is next.

export const createSemaphore = (limit: number) => {
  const waiting: (() => void)[] = [];
  let taken = 0;
  let next = 0;
  const free = (): void => {
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
  /** Resolves in the order of the calls; the function that it gives frees the place, once. */
  const acquire = async (): Promise<() => void> => {
    if (taken < limit) taken += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      free();
    };
  };
  return {
    acquire,
    /** Begins `work` when fewer than `limit` others are under way, in the order of asking. */
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      // Without a wait where there is a place: the work begins in this very turn of the loop.
      if (taken < limit) taken += 1;
      else await new Promise<void>((begin) => waiting.push(begin));
      try {
        return await work();
      } finally {
        free();
      }
    },
  };
};

export const createKeyedMutex = () => {
  const last = new Map<string, Promise<unknown>>();
  return {
    /** Runs `work` when everything that came before it under this key is done, whatever became of that. */
    run: async <T>(key: string, work: () => Promise<T>): Promise<T> => {
      const mine = (last.get(key) ?? Promise.resolve()).then(work);
      // The caller gets the failure; the next in turn only waits for the end.
      const ended = mine.catch(() => undefined);
      last.set(key, ended);
      try {
        return await mine;
      } finally {
        if (last.get(key) === ended) last.delete(key);
      }
    },
  };
};
