// When a control client may be started again. tmux 3.6a can wedge so that every new control client exits at once
// (reported from the field): after two quick deaths we stay with polling, say so, and try again rarely.

const QUICK_DEATH_MS = 5_000;
const QUICK_DEATHS_ALLOWED = 2;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 600_000;

export interface ControlRetry {
  mayStart(now: number): boolean;
  /** A client ended after `livedMs`, or could not be started (0). */
  ended(now: number, livedMs: number, reason: string): void;
  /** Why there is polling instead of a control client, for `doctor`; null while nothing is wrong. */
  readonly problem: string | null;
}

export const createControlRetry = (): ControlRetry => {
  let quickDeaths = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let resumeAt = 0;
  let problem: string | null = null;
  return {
    mayStart: (now) => now >= resumeAt,
    ended: (now, livedMs, reason) => {
      if (livedMs >= QUICK_DEATH_MS) {
        quickDeaths = 0;
        pauseMs = FIRST_PAUSE_MS;
        problem = null;
        return;
      }
      quickDeaths += 1;
      if (quickDeaths < QUICK_DEATHS_ALLOWED) return;
      problem = `tmux control client ended ${quickDeaths} times within ${QUICK_DEATH_MS / 1_000} s of its start: ${reason}`;
      resumeAt = now + pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
    get problem() {
      return problem;
    },
  };
};
