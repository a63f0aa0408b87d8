// How a text gets into a pane: what may be typed, the mode of the input box that takes it, the Enter after it, and the text itself:
// out of a buffer of tmux, never as a word of a command, because every local user can read the arguments of a process. One short
// line arrives as if it were typed; anything else is a paste, which programs recognise by its brackets.
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import type { AgentAdapter, AgentInputModes } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxCommand } from "../tmux/tmuxCommand.ts";
import type { PaneCapture, PaneClient, HeldText } from "./paneClient.ts";
import { poll, pause } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";
import {
  boundTo,
  landmarks,
  readCapture,
  screenOf,
  rowOf,
  type BoxMark,
  lacksBox,
  showsPrompt,
} from "./screenReading.ts";
import type { CanonicalState } from "../model/state.ts";
import type { Unattended } from "./unattended.ts";

// What may be typed: text without anything that a terminal or a program would take for a command.

/** C0 without tab and newline, DEL, C1. An escape sequence loses its first character and is harmless text then. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** `stripped`: how many characters were left out. Line ends become newlines. */
export const toSendable = (input: string): { text: string; stripped: number } => {
  const lines = input.toWellFormed().replaceAll("\r\n", "\n");
  const text = lines.replace(CONTROL, "");
  return { text, stripped: lines.length - text.length };
};

/** The note on characters that were left out; none where there were none. */
export const strippedNotes = (stripped: number): string[] => {
  if (stripped === 0) return [];
  return [
    stripped === 1 ? "1 control character was left out." : `${stripped} control characters were left out.`,
  ];
};

// Editors with modes in an input box, as vim has: a text goes only into the mode for text, and the keys that stop a turn may have
// left that mode instead.

const ENTER_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 50;

type ModeReader = AgentAdapter | null;

const readMode = (
  adapter: ModeReader,
  pane: Pane,
  capture: PaneCapture,
): ReturnType<AgentInputModes["read"]> => adapter?.inputModes?.read(screenOf(pane, capture)) ?? null;

/** The screen names a mode of the editor: the first press of what stops a turn leaves it. */
export const showsMode = (adapter: ModeReader, pane: Pane, capture: PaneCapture): boolean =>
  ["text", "commands"].includes(readMode(adapter, pane, capture) ?? "");

interface TextModeInput {
  pane: Pane;
  paneRef: string;
  client: PaneClient;
  clock: Clock;
  agent: {
    adapter: AgentAdapter | null;
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
 * Leads an input box with modes from its editor's first mode to the one for text. True: keys were pressed, and the screen is
 * another one now. `capture`: shows the box.
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
  if (mode === null) throw takesCommands(paneRef, "can't tell which mode the editor of its input box is in");
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

// Enter after a text that was typed, only while that text is still where it was: a dialog that opened meanwhile would take Enter
// for a yes.

/** Captures and tries, when the screen changes between a capture and the key. */
const TRIES = 5;
const TRY_AGAIN_MS = 60;
/** Where nobody watches there is time: an agent that has just started draws its box again while a long text goes in. */
const UNATTENDED_TRIES = 25;

/** The agent in the pane. */
export interface SendAgent {
  adapter: AgentAdapter | null;
  /** Nothing but its screen is known of it. */
  isInside: boolean;
  /** As the engine has it now. */
  state(): CanonicalState | null;
  /** Changes whenever the beginning or the end of a turn is reported. */
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
  clock: Clock;
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

const BOX_CHANGED = "The pane or its input box changed before Enter, so Enter was not pressed.";

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
  const bound = boundTo(agent, pane, capture);
  if (onlyIf === null || bound === null) return { kind: "again", why: BOX_CHANGED };
  if (agent !== null && !(await agent.isForeground()))
    return refused("The agent lost its terminal before Enter, so Enter was not pressed.");
  const keys: TmuxCommand[] = [
    ["copy-mode", "-q", "-t", pane.paneId],
    ["send-keys", "-t", pane.paneId, "Enter"],
  ];
  const isPressed = await client.runIf(input.renew(), pane, keys, { ...onlyIf, ...bound });
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

// The text itself.

/** Above this a text is a paste. */
const MAX_TYPED_BYTES = 4_096;

/** True for a text that arrives between brackets where the program asked for them. */
export const isPaste = (text: string): boolean =>
  /[\n\t]/.test(text) || Buffer.byteLength(text) > MAX_TYPED_BYTES;

/** Pastes the held text and deletes its buffer. */
export const typingCommand = ({ paneId }: Pane, { name, text }: HeldText): TmuxCommand => [
  "paste-buffer",
  ...(isPaste(text) ? ["-p"] : []),
  "-d",
  "-r",
  "-b",
  name,
  "-t",
  paneId,
];

/** Runs `work`, which types the text; only meanwhile is the text in tmux. @throws what `work` throws; E_TARGET_UNREACHABLE. */
export const withHeldText = async <T>(
  client: PaneClient,
  text: string,
  work: (held: HeldText) => Promise<T>,
): Promise<T> => {
  const held = await client.hold(text);
  try {
    return await work(held);
  } finally {
    await held.release();
  }
};
