// Time and identity are injected so that core has neither a clock nor randomness of its own.

/** `now()`: epoch ms that never goes back within a process, whatever the wall clock does. */
export interface Clock {
  now(): number;
  /** Calls back once after `delayMs`; returns a cancel function. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

export interface IdSource {
  /** A new unique id, sortable by creation, letters and digits only. */
  next(prefix: string): string;
  /** 32 hex digits of cryptographic randomness. */
  nonce(): string;
}
