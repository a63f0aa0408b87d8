// How the daemon ends: whatever starts something hands over its end here, and all ends are called in the reverse order.

type End = () => Promise<void> | void;

/** Takes over the ends of what was started just now; the last one is called first. */
export type Own = (...ends: End[]) => void;

export interface Closing {
  readonly own: Own;
  /** One after the other, each awaited; a second call has nothing left to do. */
  readonly closeAll: () => Promise<void>;
}

export const createClosing = (): Closing => {
  const ends: End[] = [];
  return {
    own: (...more) => {
      ends.push(...more);
    },
    closeAll: async () => {
      for (const end of ends.toReversed()) {
        // oxlint-disable-next-line no-await-in-loop -- in the reverse order of construction
        await end();
      }
      ends.length = 0;
    },
  };
};
