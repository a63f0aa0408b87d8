// How much unrequested output is allowed. A remote side, a login shell and a tmux write a little by themselves. One that goes
// on writing more is broken or means harm, and reading it would keep this process from everything else.

/** At once, in bytes. */
export const UNASKED_BYTES = 1024 * 1024;
/** Bytes that are forgiven per time: output that is slower costs next to nothing, however long it goes on. */
const FORGIVEN_PER_MS = 64;

interface FloodGuard {
  /** False once it is too much. `now`: a clock in ms that may be set back. */
  allows(bytes: number, now: number): boolean;
}

export const createFloodGuard = (): FloodGuard => {
  let level = 0;
  let last: number | null = null;
  return {
    allows: (bytes, now) => {
      const forgiven = Math.max(0, now - (last ?? now)) * FORGIVEN_PER_MS;
      last = now;
      level = Math.max(0, level - forgiven) + bytes;
      return level <= UNASKED_BYTES;
    },
  };
};
