// How the machine of the daemon is kept from falling asleep because nobody touches it, and whether it is on power. The desktop app
// has both from its system, a daemon without a desktop from programs. Never the display, never a closed lid.

export interface SleepBlock {
  /** Lets the machine sleep again. It ends by itself when this process ends, however it ends. */
  release(): void;
}

/** Why it cannot be done, for a person. */
export interface BlockProblem {
  /** A clause. */
  problem: string;
  remedy: string;
}

export interface SleepBlocker {
  /** What would keep `hold` from working, as far as it can be seen without holding; null: nothing. */
  findProblem(): Promise<BlockProblem | null>;
  /**
   * Resolves once the machine is kept awake. `onEnd` is called at most once, with a clause, when that ends without `release`.
   * @throws Error with a clause that says why it is not.
   */
  hold(onEnd: (why: string) => void): Promise<SleepBlock>;
  /** Null: that is not known. Never rejects. */
  isOnPower(): Promise<boolean | null>;
  /** Ends what is held and what is under way. */
  close(): Promise<void>;
}
