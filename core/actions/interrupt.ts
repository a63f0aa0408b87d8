// Stops a turn the way a person would: with the agent's own keys, never with a signal. The state says whether it worked.
import type { ActionOutcome } from "../model/action.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import { isWaiting, type CanonicalState } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxCommand } from "../tmux/tmuxCommand.ts";
import type { PaneCapture, PaneClient } from "./paneClient.ts";
import { pause, poll } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";
import { boundTo } from "./screenReading.ts";

/** Between two presses: one that comes too early is taken for a part of the first. */
const PRESS_PAUSE_MS = 300;
/** An interrupt that fires no hook is noticed by the screen within two seconds. */
const EFFECT_LIMIT_MS = 4_000;
/** On a busy machine presses that belong together reach the agent too far apart; after this long they are made once more. */
const AGAIN_AFTER_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** From keys that leave a mode of the agent's editor to a screen that shows it. */
const MODE_LIMIT_MS = 1_500;

export interface InterruptInput {
  pane: Pane;
  paneRef: string;
  agentName: string;
  adapter: AgentAdapter | null;
  /** Nothing but its screen is known of it. */
  isInside: boolean;
  keys: readonly (readonly string[])[];
  client: PaneClient;
  clock: Clock;
  /** As the engine has it now; null once the runtime has ended. */
  state(): CanonicalState | null;
  isForeground(): Promise<boolean>;
  /** The screen shows a turn at work. */
  showsWork(capture: PaneCapture): boolean;
  /** Its input box is in a mode, which the keys leave before they stop anything. */
  showsMode(capture: PaneCapture): boolean;
  verify(): VerifiedAction;
  /** It is still the same runtime; called directly before each further press. @throws E_STALE_SNAPSHOT */
  renew(): VerifiedAction;
}

const isBusy = (state: CanonicalState | null): boolean =>
  state !== null && (state === "running" || isWaiting(state));

type Report = { outcome: ActionOutcome; detail: string };

const refusal = ({ paneRef }: InterruptInput, why: string): AgtmuxError =>
  new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was done to ${paneRef}: ${why}.`);

const requireReady = async (input: InterruptInput, capture: PaneCapture | null): Promise<PaneCapture> => {
  const { pane, paneRef } = input;
  if (capture === null || capture.panePid !== pane.panePid) throw refusal(input, "the pane is gone");
  if (capture.isSynchronized)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `Nothing was done to ${paneRef}: what is pressed there goes to every pane of its window.`,
    );
  if (!(await input.isForeground())) throw refusal(input, "its agent is suspended or in the background");
  return capture;
};

/** Presses all of the keys, as long as the turn goes on. `verify`: of the first press. False: the pane is another one now. */
const pressAll = async (
  input: InterruptInput,
  { capture, verify, wasBusy }: { capture: PaneCapture; verify: () => VerifiedAction; wasBusy: boolean },
): Promise<boolean> => {
  const { pane, client, clock, keys } = input;
  const bound = boundTo(input, pane, capture);
  if (bound === null) return false;
  // A shell that got its terminal back from the agent must not get the keys.
  const onlyIf = { command: capture.command, ...bound };
  for (const [index, press] of keys.entries()) {
    if (index > 0) await pause(clock, PRESS_PAUSE_MS);
    // Once it has stopped, another press would mean something else.
    if (index > 0 && wasBusy && !isBusy(input.state())) return true;
    const commands: TmuxCommand[] = [
      ["copy-mode", "-q", "-t", pane.paneId],
      ["send-keys", "-t", pane.paneId, "--", ...press],
    ];
    const action = index === 0 ? verify() : input.renew();
    if (!(await client.runIf(action, pane, commands, onlyIf))) return index > 0;
  }
  return true;
};

const awaitStop = async (input: InterruptInput, limitMs: number): Promise<boolean> =>
  (await poll(input.clock, { everyMs: LOOK_EVERY_MS, limitMs }, async () =>
    isBusy(input.state()) ? null : true,
  )) === true;

/** Presses that belong together, once more, where the screen still shows that the turn goes on. */
const pressAgain = async (input: InterruptInput): Promise<void> => {
  const capture = await input.client.capture(input.pane);
  if (capture === null || capture.panePid !== input.pane.panePid || !input.showsWork(capture)) return;
  if (await input.isForeground())
    await pressAll(input, { capture, verify: () => input.renew(), wasBusy: true });
};

/** Once more, where the keys left a mode of the agent's editor and the turn goes on: at rest they mean something else. */
const pressAfterMode = async (input: InterruptInput): Promise<void> => {
  const limits = { everyMs: LOOK_EVERY_MS, limitMs: MODE_LIMIT_MS };
  const hasLeft = await poll(input.clock, limits, async () => {
    const capture = await input.client.capture(input.pane);
    return capture === null || input.showsMode(capture) ? null : true;
  });
  if (hasLeft === true) await pressAgain(input);
};

/**
 * @throws AgtmuxError E_STALE_SNAPSHOT when nothing runs that could be stopped, when the agent is suspended or in the background,
 *   or when the pane is another one; E_UNSUPPORTED for a synchronised window.
 */
export const interruptTurn = async (input: InterruptInput): Promise<Report> => {
  const { pane, client, keys, agentName } = input;
  const before = input.state();
  const wasBusy = isBusy(before);
  // Unknown may be a turn that nobody sees. At rest the same keys mean something else, for example a rewind.
  if (!wasBusy && before !== "unknown")
    throw refusal(input, `${agentName} is ${before ?? "gone"}: no turn to interrupt`);
  const capture = await requireReady(input, await client.capture(pane));
  if (!(await pressAll(input, { capture, verify: () => input.verify(), wasBusy })))
    throw refusal(input, "the pane is another one now");
  if (input.showsMode(capture)) await pressAfterMode(input);
  if (!wasBusy)
    return { outcome: "unverified", detail: `The keys were pressed; what ${agentName} does now is unknown.` };
  const isTogether = keys.length > 1;
  let hasStopped = await awaitStop(input, isTogether ? AGAIN_AFTER_MS : EFFECT_LIMIT_MS);
  if (!hasStopped && isTogether) {
    await pressAgain(input);
    hasStopped = await awaitStop(input, EFFECT_LIMIT_MS);
  }
  const now = input.state() ?? "gone";
  if (hasStopped) return { outcome: "delivered", detail: `${agentName} is ${now}.` };
  const waitedMs = EFFECT_LIMIT_MS + (isTogether ? AGAIN_AFTER_MS : 0);
  return { outcome: "not_delivered", detail: `${agentName} is still ${now} after ${waitedMs / 1_000} s.` };
};
