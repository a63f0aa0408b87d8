// Sessions of a connection that are opened before a command needs them. To open one takes three round trips, and an action is a
// chain of commands, each of which would wait for that. A spare session is a shell that waits for the one line of its script: one
// that nobody needs is closed, and has run nothing.
import { leave } from "./remoteRun.ts";
import type { TransportChannel } from "./sshTransport.ts";

/** A command is over in one round trip and a session open in three: with fewer, the next command would wait. */
const SPARES = 2;
/** After the last word of somebody in a hurry. */
const KEPT_MS = 5_000;

export interface SpareSessions {
  /** Commands follow soon, one after the other: for a while there are sessions that wait for them. */
  hurry(): void;
  /** A session that is open, or else one that is opened now. */
  take(): Promise<TransportChannel>;
  /** Closes those that nobody needed. */
  drop(): void;
}

/** `open` opens a session; whoever takes it closes it. */
export const createSpareSessions = (open: () => Promise<TransportChannel>): SpareSessions => {
  const spares = new Set<Promise<TransportChannel>>();
  let isHurried = false;
  let timer: NodeJS.Timeout | undefined;

  const openSpare = (): void => {
    const spare = open();
    const forget = (): void => void spares.delete(spare);
    spares.add(spare);
    // One that ended while it waited is no session any more.
    spare.then(({ ended }) => void ended.then(forget), forget);
  };
  const fill = (): void => {
    if (!isHurried) return;
    while (spares.size < SPARES) openSpare();
  };
  const drop = (): void => {
    isHurried = false;
    clearTimeout(timer);
    for (const spare of spares) spare.then(leave, () => {});
    spares.clear();
  };

  return {
    hurry: () => {
      isHurried = true;
      clearTimeout(timer);
      timer = setTimeout(drop, KEPT_MS);
      fill();
    },
    take: async () => {
      const [spare] = spares;
      if (spare === undefined) return open();
      spares.delete(spare);
      fill();
      // Nothing was run in one that could not be opened.
      return spare.catch(open);
    },
    drop,
  };
};
