// Presses Enter after a text that was typed, only while that text is still where it was: a dialog that opened meanwhile
// would take Enter for a yes.
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import type { CanonicalState } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import { rowOf, type BoxMark } from "./inputBox.ts";
import type { TmuxCommand } from "../tmux/commandString.ts";
import type { PaneClient, PaneCapture } from "./paneClient.ts";
import { pause } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";
import { lacksBox, landmarks, readCapture, showsPrompt } from "./screenReading.ts";
import type { Unattended } from "./unattended.ts";

/** Captures and tries, when the screen changes between a capture and the key. */
const TRIES = 5;
const TRY_AGAIN_MS = 60;
/** Where nobody watches there is time: an agent that has just started draws its box again while a long text goes in. */
const UNATTENDED_TRIES = 25;

/** The agent that lives in the pane. */
export interface SendAgent {
  adapter: Pick<AgentAdapter, "displayName" | "readScreen" | "readDraft" | "inputModes"> | null;
  /** As the engine has it now. */
  state(): CanonicalState | null;
  /** Changes whenever a turn is told to begin or to end. */
  turnMark(): string;
  /** See `TextModeInput`. */
  usesModes(): Promise<boolean>;
  /** False while another program has the terminal: a shell after Ctrl-Z, an editor. */
  isForeground(): Promise<boolean>;
}

/** What pressing Enter needs to know of the text that was typed. */
export interface EnterInput {
  /** Nobody watches: nothing is done that touches what a person does there. Null: a person sends, and sees what comes of it. */
  unattended: Unattended | null;
  pane: Pane;
  client: PaneClient;
  clock: Pick<Clock, "now" | "setTimer">;
  /** Null for a pane without an agent. */
  agent: SendAgent | null;
  /** It is still the same runtime; called directly before Enter. @throws E_STALE_SNAPSHOT */
  renew(): VerifiedAction;
}

/** What was typed to: the program that had the terminal then, and where its text was seen; null where it was not. */
export interface Typed {
  command: string;
  mark: BoxMark | null;
}

/** The row in which the typed text ends, which must still be there; null when it is not. */
const enterCondition = ({ command, mark }: Typed, capture: PaneCapture) => {
  if (mark === null) return { command, screenShows: landmarks(capture, null) };
  const row = rowOf(mark, capture);
  return row === null ? null : { command, screenShows: [row] };
};

type EnterTry = { kind: "pressed" } | { kind: "again" | "refused"; why: string };

const BOX_CHANGED = "The pane or its input box became another one before Enter, so Enter was not pressed.";

const refused = (why: string): EnterTry => ({ kind: "refused", why });

const tryEnter = async (input: EnterInput, typed: Typed): Promise<EnterTry> => {
  const { client, pane, agent } = input;
  const capture = await client.capture(pane, { styled: input.unattended !== null || agent !== null });
  if (capture === null) return refused("The pane went away before Enter.");
  if (showsPrompt(readCapture(input.agent, input.pane, capture)))
    return refused("A prompt opened before Enter, so Enter was not pressed.");
  if (lacksBox(agent?.adapter ?? null, pane, capture))
    return { kind: "again", why: "The input box left the screen before Enter, so Enter was not pressed." };
  if (input.unattended?.holdsOnlyTyped(capture) === false)
    return { kind: "again", why: "Something else was typed beside the text, so Enter was not pressed." };
  const onlyIf = enterCondition(typed, capture);
  if (onlyIf === null) return { kind: "again", why: BOX_CHANGED };
  if (agent !== null && !(await agent.isForeground()))
    return refused("The agent lost its terminal before Enter, so Enter was not pressed.");
  const keys: TmuxCommand[] = [
    ["copy-mode", "-q", "-t", pane.paneId],
    ["send-keys", "-t", pane.paneId, "Enter"],
  ];
  const isPressed = await client.runIf(input.renew(), pane, keys, onlyIf);
  return isPressed ? { kind: "pressed" } : { kind: "again", why: BOX_CHANGED };
};

/** Null when Enter was pressed; else why not. */
export const pressEnter = async (input: EnterInput, typed: Typed): Promise<string | null> => {
  try {
    const most = input.unattended === null ? TRIES : UNATTENDED_TRIES;
    let why = BOX_CHANGED;
    for (let tries = 0; tries < most; tries += 1) {
      const result = await tryEnter(input, typed);
      if (result.kind === "pressed") return null;
      ({ why } = result);
      if (result.kind === "refused") break;
      await pause(input.clock, TRY_AGAIN_MS);
    }
    return why;
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_STALE_SNAPSHOT") return error.message;
    throw error;
  }
};
