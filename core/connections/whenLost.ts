// Why a connection was lost: its shell ends first, mostly with a poor reason. The connection's own reason says more and
// follows at once, if there is one.
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { RemoteShell } from "../targets/remote/remoteShell.ts";
import type { RemoteExecutor } from "../targets/remoteExecutor.ts";

const BETTER_REASON_MS = 250;

/** When no better reason is known, the target is reported as not answering. */
export const asLost = (error: unknown): AgtmuxError => {
  if (error instanceof AgtmuxError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new AgtmuxError("E_TARGET_UNREACHABLE", `it does not answer as it should: ${why}`, { cause: error });
};

/** Calls back once, but never after the returned function was called. */
export const whenLost = (
  { executor, shell, clock }: { executor: RemoteExecutor; shell: RemoteShell; clock: Clock },
  listener: (error: Error) => void,
): (() => void) => {
  let isTold = false;
  let cancelTimer = (): void => {};
  const tell = (error: Error): void => {
    if (isTold) return;
    isTold = true;
    cancelTimer();
    listener(error);
  };
  executor.onDown(tell);
  shell.onClose((reason) => {
    if (isTold) return;
    const error = new AgtmuxError("E_TARGET_UNREACHABLE", `its remote shell no longer answers: ${reason}`);
    cancelTimer = clock.setTimer(BETTER_REASON_MS, () => tell(error));
  });
  return () => {
    isTold = true;
    cancelTimer();
  };
};
