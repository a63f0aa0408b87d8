// When a server may be asked over its socket again after that did not work: a server of another kind will not change, so after
// two failures the tmux program asks, that is said, and it is tried again rarely.

const FAILURES_ALLOWED = 2;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 600_000;

export interface DirectRetry {
  mayAsk(now: number): boolean;
  worked(): void;
  failed(now: number, reason: string): void;
  /** Why the tmux program asks instead, for `doctor`; null while nothing is wrong. */
  readonly problem: string | null;
}

export const createDirectRetry = (): DirectRetry => {
  let failures = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let resumeAt = 0;
  let problem: string | null = null;
  return {
    mayAsk: (now) => now >= resumeAt,
    worked: () => {
      failures = 0;
      pauseMs = FIRST_PAUSE_MS;
      problem = null;
    },
    failed: (now, reason) => {
      failures += 1;
      if (failures < FAILURES_ALLOWED) return;
      problem = reason;
      resumeAt = now + pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
    get problem() {
      return problem;
    },
  };
};
