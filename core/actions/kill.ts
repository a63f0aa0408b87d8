// Ends the process of an agent by a signal. Only the process that the adapter recognised gets it, and only while it is still
// the same; its end is observed, not assumed.
import type { ActionOutcome, KillSignal } from "../model/actionView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProcessSignaller } from "./processSignaller.ts";
import { poll } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";

const GONE_LIMIT_MS = 3_000;
const LOOK_EVERY_MS = 100;

export interface KillInput {
  paneRef: string;
  pid: number;
  signal: KillSignal;
  processes: ProcessSignaller;
  clock: Pick<Clock, "now" | "setTimer">;
  /** True while the pid is the runtime's process: pid and start time. */
  isRuntimeProcess(): Promise<boolean>;
  /** Everything that was guarded still holds; called directly before the signal. @throws E_STALE_SNAPSHOT */
  verify(): VerifiedAction;
  /**
   * Called with true before the signal: an end counts as ours from now on. Called with false when no signal was sent after
   * all.
   */
  onSignal(isSent: boolean): void;
  /** Work of the agent may go on in a server of its own after its process ended. */
  mayGoOn: boolean;
}

/** @throws AgtmuxError E_STALE_SNAPSHOT when the process is not the runtime's any more, E_UNSUPPORTED when it may not be signalled. */
export const killProcess = async (input: KillInput): Promise<{ outcome: ActionOutcome; detail: string }> => {
  const { processes, clock, pid, signal, paneRef } = input;
  const stale = () =>
    new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was done to ${paneRef}: its agent's process has ended.`);
  // Seen before it is compared with the runtime, and signalled only if it is still the one that was seen.
  const seen = await processes.find(pid);
  if (seen === null || !(await input.isRuntimeProcess())) throw stale();
  const action = input.verify();
  input.onSignal(true);
  try {
    if (!(await processes.signal(action, { pid, start: seen.start }, signal))) throw stale();
  } catch (error) {
    input.onSignal(false);
    throw error;
  }
  const isGone = await poll(clock, { everyMs: LOOK_EVERY_MS, limitMs: GONE_LIMIT_MS }, async () =>
    (await processes.find(pid))?.start === seen.start ? null : true,
  );
  if (isGone === null) {
    input.onSignal(false);
    const seconds = GONE_LIMIT_MS / 1_000;
    return { outcome: "not_delivered", detail: `Process ${pid} still runs ${seconds} s after ${signal}.` };
  }
  return input.mayGoOn
    ? {
        outcome: "unverified",
        detail: `Process ${pid} has ended; its turn may go on in the agent's own server.`,
      }
    : { outcome: "delivered", detail: `Process ${pid} has ended.` };
};
