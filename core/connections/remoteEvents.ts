// The events of one connected target: taken out of its spool, unless an agtmux that runs there takes them itself. If two
// drained one spool, each would see only a part.
import { type EventTimes, createRemoteDrain, type RemoteDrain } from "../collect/remoteDrain.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { RemoteShell } from "../targets/remote/remoteShell.ts";
import { createRemoteSpool } from "../targets/remote/remoteSpool.ts";
import { quoteArgv } from "../targets/remoteScript.ts";

const ASK_TIMEOUT_MS = 10_000;
/** The words for a target whose spool is left alone: its states are right, but later and less exact than they could be. */
export const OWNED = {
  note: "another agtmux runs there and takes its events, so states come from its screens",
  remedy:
    "Use agtmux on the target itself, or stop it there with 'agtmux daemon stop'; if ~/.agtmux/agtmuxd.sock stays, remove it.",
};

export const createRemoteEvents = (deps: {
  shell: RemoteShell;
  /** Home folder of the remote user. */
  homeDir: string;
  /** Commits durably; a throw leaves the files where they are. */
  onBatch: (envelopes: Envelope[]) => Promise<void>;
  /** Called when an agtmux that runs there was found, or is gone. */
  onOwned: (isOwned: boolean) => void;
  /** Belongs to the target and outlives its connections. */
  times: EventTimes;
  makeNonce: () => string;
  clock: Clock;
  logger: Logger;
}) => {
  const { shell, homeDir, onBatch, onOwned, times, makeNonce, clock, logger } = deps;
  const socket = quoteArgv([`${homeDir}/.agtmux/agtmuxd.sock`]);
  let drain: RemoteDrain | null = null;
  let wasOwned = false;
  let isClosed = false;

  const stop = async (): Promise<void> => {
    const stopped = drain;
    drain = null;
    await stopped?.close();
  };
  const start = async (): Promise<void> => {
    const spool = createRemoteSpool({ shell, spoolDir: `${homeDir}/.agtmux/spool`, makeNonce });
    const started = createRemoteDrain({ spool, onBatch, times, logger, clock });
    drain = started;
    await started.start();
  };
  return {
    /**
     * Checks whether another agtmux takes the events, and takes them from now on if none does. Call it again from time to time.
     */
    checkOwner: async (): Promise<void> => {
      const { status } = await shell.ask(`[ -S ${socket} ]`, { timeoutMs: ASK_TIMEOUT_MS });
      if (isClosed) return;
      const isOwned = status === 0;
      if (isOwned !== wasOwned) onOwned(isOwned);
      wasOwned = isOwned;
      if (isOwned) await stop();
      else if (drain === null) await start();
    },
    /** Takes the events that wait at this moment, if they are ours to take. @throws Error where they cannot be read. */
    take: async (): Promise<void> => {
      if (drain === null && !wasOwned)
        throw new Error("it is not known yet who takes the events of the target");
      await drain?.take();
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await stop();
    },
  };
};

export type RemoteEvents = ReturnType<typeof createRemoteEvents>;
