// What a signal to the driver has to end: everything that is open then, once, and nothing new is begun while it is ended.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const STOPPED_STATUS = 130;

/** The process, or what stands in for it. */
export interface Host {
  on(signal: (typeof SIGNALS)[number], handle: () => void): unknown;
  exit(status: number): void;
}

export const createStopper = (host: Host) => {
  const open = new Set<() => Promise<void>>();
  let isStopped = false;
  const stop = async (): Promise<void> => {
    // A second signal must not cut the first one's work short.
    if (isStopped) return;
    isStopped = true;
    for (const close of open) await close();
    host.exit(STOPPED_STATUS);
  };
  for (const signal of SIGNALS) host.on(signal, () => void stop());
  return {
    get isStopped() {
      return isStopped;
    },
    /** `close` is called when a signal comes, until the returned function takes it back. */
    own: (close: () => Promise<void>): (() => void) => {
      open.add(close);
      return () => open.delete(close);
    },
    /** Returns at once; after a signal never, because the process is about to end. */
    mayBegin: (): Promise<void> => (isStopped ? new Promise(() => {}) : Promise.resolve()),
  };
};

export type Stopper = ReturnType<typeof createStopper>;
