// Stops a turn the way a person would: with the agent's own keys, never with a signal. The state says whether it worked.
import type { ActionOutcome } from "../model/actionView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import { isWaiting, type CanonicalState } from "../model/state.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxCommand } from "../tmux/commandString.ts";
import type { PaneClient } from "./paneClient.ts";
import { pause, poll } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";

/** Between two presses: one that comes too early is taken for a part of the first. */
const PRESS_PAUSE_MS = 300;
/** An interrupt that fires no hook is noticed by the screen within two seconds. */
const EFFECT_LIMIT_MS = 4_000;
const LOOK_EVERY_MS = 50;

export interface InterruptInput {
  pane: Pane;
  paneRef: string;
  agentName: string;
  keys: readonly (readonly string[])[];
  client: PaneClient;
  clock: Pick<Clock, "now" | "setTimer">;
  /** As the engine has it now; null once the runtime has ended. */
  state(): CanonicalState | null;
  isForeground(): Promise<boolean>;
  verify(): VerifiedAction;
  /** It is still the same runtime; called directly before each further press. @throws E_STALE_SNAPSHOT */
  renew(): VerifiedAction;
}

const isBusy = (state: CanonicalState | null): boolean =>
  state !== null && (state === "running" || isWaiting(state));

/**
 * @throws AgtmuxError E_STALE_SNAPSHOT when nothing runs that could be stopped, when the agent is in the background, or when
 *   the pane is another one; E_UNSUPPORTED for a synchronised window.
 */
export const interruptTurn = async (
  input: InterruptInput,
): Promise<{ outcome: ActionOutcome; detail: string }> => {
  const { pane, paneRef, client, clock, keys, agentName } = input;
  const refuse = (why: string): AgtmuxError =>
    new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was done to ${paneRef}: ${why}.`);
  const before = input.state();
  // Unknown may be a turn that nobody sees. At rest the same keys mean something else, for example a rewind.
  if (!isBusy(before) && before !== "unknown")
    throw refuse(`${agentName} is ${before ?? "gone"}, there is no turn to stop`);
  const capture = await client.capture(pane);
  if (capture === null || capture.panePid !== pane.panePid) throw refuse("the pane is gone");
  if (capture.isSynchronized)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `Nothing was done to ${paneRef}: what is pressed there goes to every pane of its window.`,
    );
  if (!(await input.isForeground())) throw refuse("its agent is in the background");
  // A shell that got its terminal back from the agent must not get the keys.
  const onlyIf = { command: capture.command };
  for (const [index, press] of keys.entries()) {
    const commands: TmuxCommand[] = [
      ["copy-mode", "-q", "-t", pane.paneId],
      ["send-keys", "-t", pane.paneId, "--", ...press],
    ];
    if (index === 0) {
      if (!(await client.runIf(input.verify(), pane, commands, onlyIf)))
        throw refuse("the pane is another one now");
      continue;
    }
    await pause(clock, PRESS_PAUSE_MS);
    // Once it has stopped, another press would mean something else.
    if (isBusy(before) && !isBusy(input.state())) break;
    if (!(await client.runIf(input.renew(), pane, commands, onlyIf))) break;
  }
  if (!isBusy(before))
    return { outcome: "unverified", detail: `The keys were pressed; what ${agentName} does is not known.` };
  const stopped = await poll(clock, { everyMs: LOOK_EVERY_MS, limitMs: EFFECT_LIMIT_MS }, async () =>
    isBusy(input.state()) ? null : true,
  );
  return stopped === true
    ? { outcome: "delivered", detail: `${agentName} is ${input.state() ?? "gone"}.` }
    : {
        outcome: "not_delivered",
        detail: `${agentName} is still ${input.state() ?? "gone"} after ${EFFECT_LIMIT_MS / 1_000} s.`,
      };
};
