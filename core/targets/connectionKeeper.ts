// Keeps one target connected: one attempt at a time, growing pauses with jitter after failures, at once again when a person
// asks. It does not know what a connection is; it only decides when the next one is tried.
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * The pause after a failure that only a person can fix: keys, host keys, configuration, a missing tmux. It is long because each
 * attempt may make a hardware key blink.
 */
const PERSON_PAUSE_MS = 300_000;
/** After a connection that lasted this long, the pauses start small again. */
const STABLE_MS = 30_000;

/** An open connection and all that was built on it. */
export interface Link {
  /** Called once when it breaks by itself. */
  onDown(listener: (error: Error) => void): void;
  close(): Promise<void>;
}

const FOR_A_PERSON: ReadonlySet<string> = new Set([
  "E_TARGET_HOST_KEY",
  "E_TARGET_AUTH",
  "E_TMUX_MISSING",
  "E_USAGE",
]);
const needsPerson = (error: Error): boolean => error instanceof AgtmuxError && FOR_A_PERSON.has(error.code);

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

export const createConnectionKeeper = (options: {
  /** Connects and builds everything. When it fails, it has undone what it began. */
  attempt: () => Promise<Link>;
  onUp: () => void;
  /** Called when the connection was lost, or when an attempt failed. */
  onDown: (error: Error) => void;
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
}) => {
  const { attempt, onUp, onDown, clock, random } = options;
  let link: Link | null = null;
  let upAt = 0;
  let trying: Promise<void> | null = null;
  let leaving: Promise<void> = Promise.resolve();
  let failures = 0;
  let nextAttemptAt: number | null = null;
  let cancelTimer: () => void = () => {};
  let isClosed = false;

  const plan = (error: Error): void => {
    cancelTimer();
    if (isClosed) return;
    failures += 1;
    const pauseMs = needsPerson(error)
      ? PERSON_PAUSE_MS
      : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    // Jitter: targets that were lost with one network are not all tried again at the same moment.
    const jitteredMs = pauseMs * (0.5 + random());
    nextAttemptAt = clock.now() + jitteredMs;
    cancelTimer = clock.setTimer(jitteredMs, () => void tryOnce().catch(() => {}));
    onDown(error);
  };
  const wentDown = (lost: Link, error: Error): void => {
    if (link !== lost || isClosed) return;
    link = null;
    if (clock.now() - upAt >= STABLE_MS) failures = 0;
    // A failure to take the old connection down does not stop the next one.
    leaving = lost.close().catch(() => {});
    plan(error);
  };
  const connect = async (): Promise<void> => {
    let made: Link;
    try {
      made = await attempt();
    } catch (error) {
      plan(toError(error));
      throw error;
    }
    if (isClosed) {
      await made.close();
      return;
    }
    link = made;
    upAt = clock.now();
    onUp();
    made.onDown((error) => wentDown(made, error));
  };
  const tryOnce = (): Promise<void> => {
    trying ??= (async () => {
      cancelTimer();
      nextAttemptAt = null;
      // Nothing of the last connection is left when the next one begins.
      await leaving;
      if (link === null && !isClosed) await connect();
    })().finally(() => {
      trying = null;
    });
    return trying;
  };

  return {
    /** Begins to connect; returns at once. */
    start: (): void => void tryOnce().catch(() => {}),
    /**
     * Makes one attempt now, or joins the one that is running. Does nothing while connected. @throws what the attempt failed
     * with.
     */
    connectNow: tryOnce,
    /** Epoch ms of the next attempt; null while connected or trying. */
    get nextAttemptAt(): number | null {
      return nextAttemptAt;
    },
    /** Ends the connection and every attempt; resolves when nothing of it is left. */
    close: async (): Promise<void> => {
      isClosed = true;
      cancelTimer();
      await trying?.catch(() => {});
      const last = link;
      link = null;
      await Promise.all([leaving, last?.close()]);
    },
  };
};

export type ConnectionKeeper = ReturnType<typeof createConnectionKeeper>;
