// How many channels a connection has at once. OpenSSH servers refuse the eleventh session of a connection (MaxSessions), so
// what is beyond a few waits for its turn.

/** One fewer than the usual limit, and room for a session that the server has not yet seen closed. */
const MAX_CHANNELS = 8;

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
