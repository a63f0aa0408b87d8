// Long work on the daemon's loop, in short stretches: between two of them everybody else gets an answer.

/** How long a stretch takes, in milliseconds; it may be longer by one step. */
const STRETCH_MS = 2;

/** Await it between the steps of one work: it lets the loop turn if the last turn was a while ago. */
export const createPace = (): (() => Promise<void> | void) => {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH_MS) return;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
};
