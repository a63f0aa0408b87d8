// Input boxes that have an editor with modes, as vim has: a text goes only into the mode for text, and the keys that stop a turn may
// have left that mode instead.
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import type { AgentAdapter, AgentInputModes } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxCommand } from "../tmux/commandString.ts";
import type { PaneCapture, PaneClient } from "./paneClient.ts";
import { poll } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";
import { landmarks, readCapture, screenOf } from "./screenReading.ts";

const ENTER_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 50;

type ModeReader = Pick<AgentAdapter, "inputModes"> | null;
type Title = Pick<Pane, "title">;

const readMode = (
  adapter: ModeReader,
  pane: Title,
  capture: PaneCapture,
): ReturnType<AgentInputModes["read"]> => adapter?.inputModes?.read(screenOf(pane, capture)) ?? null;

/** The screen names a mode of the editor: the first press of what stops a turn leaves it. */
export const showsMode = (adapter: ModeReader, pane: Title, capture: PaneCapture): boolean =>
  ["text", "commands"].includes(readMode(adapter, pane, capture) ?? "");

export interface TextModeInput {
  pane: Pane;
  paneRef: string;
  client: PaneClient;
  clock: Pick<Clock, "now" | "setTimer">;
  agent: {
    adapter: Pick<AgentAdapter, "readScreen" | "inputModes"> | null;
    /** The person has switched on an editor with modes; asked only where the agent can have one. */
    usesModes(): Promise<boolean>;
  } | null;
  /** Nobody watches: no mode is changed. */
  isUnattended: boolean;
  verify(): VerifiedAction;
}

const takesCommands = (paneRef: string, why: string): AgtmuxError =>
  new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was sent to ${paneRef}: ${why}.`, {
    remedy: "Press i in its pane, and send it again.",
  });

/**
 * Leads the box to its mode for text, where it has modes and is in the first one. True: keys were pressed, and the screen is another one
 * now. `capture`: shows the box.
 * @throws AgtmuxError E_STALE_SNAPSHOT where keys would be commands, or where nobody can know it
 */
export const enterTextMode = async (input: TextModeInput, capture: PaneCapture): Promise<boolean> => {
  const { pane, paneRef, client, clock, agent, isUnattended } = input;
  const adapter = agent?.adapter ?? null;
  const modes = adapter?.inputModes;
  const mode = readMode(adapter, pane, capture);
  if (agent === null || modes === undefined || mode === "text") return false;
  if (mode === "commands")
    throw takesCommands(paneRef, "the editor of its input box is in a mode for commands");
  if (!(await agent.usesModes())) return false;
  if (mode === null)
    throw takesCommands(paneRef, "it is not known in which mode the editor of its input box is");
  if (isUnattended) throw takesCommands(paneRef, "the editor of its input box is in its mode for commands");
  const onlyIf = {
    command: capture.command,
    screenShows: landmarks(capture, readCapture({ adapter }, pane, capture)),
  };
  const keys: TmuxCommand = ["send-keys", "-t", pane.paneId, "--", ...modes.textKeys];
  const leaveMode: TmuxCommand = ["copy-mode", "-q", "-t", pane.paneId];
  if (!(await client.runIf(input.verify(), pane, [leaveMode, keys], onlyIf))) return true;
  const hasEntered = await poll(clock, { everyMs: LOOK_EVERY_MS, limitMs: ENTER_LIMIT_MS }, async () => {
    const now = await client.capture(pane);
    return now !== null && readMode(adapter, pane, now) === "text" ? true : null;
  });
  if (hasEntered !== true)
    throw takesCommands(
      paneRef,
      `the editor of its input box did not go to its mode for text when ${modes.textKeys.join(" ")} was pressed`,
    );
  return true;
};
