// How many channels a connection has at once. OpenSSH servers refuse the eleventh session of a connection (MaxSessions), so
// what is beyond a few waits for its turn.

/**
 * Half of the usual limit: the server counts a session until it has cleaned up after its close, which may be later than
 * the next opening that follows it at once.
 */
const MAX_CHANNELS = 5;

export interface ChannelSlots {
  /** Resolves in the order of the calls; the function that it gives frees the slot, once. */
  take(): Promise<() => void>;
}

export const createChannelSlots = (max = MAX_CHANNELS): ChannelSlots => {
  const waiting: (() => void)[] = [];
  let taken = 0;
  const release = (): (() => void) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    };
  };
  return {
    take: async () => {
      if (taken < max) taken += 1;
      else await new Promise<void>((turn) => waiting.push(turn));
      return release();
    },
  };
};
