// Types a text into a pane, presses Enter separately, and checks the effect of both. It refuses where typing would do
// something that was not meant: a dialog, a shell, a synchronised window. The rules for timing and for the second Enter were
// measured on seven agents.
import { AgtmuxError } from "../model/errors.ts";
import type { ActionOutcome } from "../model/action.ts";
import { isWaiting } from "../model/state.ts";
import {
  boundTo,
  requireFitPane,
  findTyped,
  isRecognisable,
  isStillInBox,
  type BoxMark,
  findView,
  landmarks,
  readCapture,
  showsPrompt,
} from "./screenReading.ts";
import {
  enterTextMode,
  pressEnter,
  type EnterInput,
  type SendAgent,
  type Typed,
  strippedNotes,
  toSendable,
  typingCommand,
  withHeldText,
} from "./typing.ts";
import type { TmuxCommand } from "../tmux/tmuxCommand.ts";
import type { HeldText, PaneCapture } from "./paneClient.ts";
import { pause, poll } from "./pause.ts";
import type { VerifiedAction } from "./prepare.ts";

/** Texts from here on get the longer pause before Enter, in characters. */
const LONG_TEXT = 500;
/** Pause between text and Enter; without it agents take Enter for a part of a paste. */
const SHORT_PAUSE_MS = 150;
const LONG_PAUSE_MS = 400;
/** A busy machine draws late, and what was typed would stay in the box. */
const APPEAR_LIMIT_MS = 5_000;
/** Where nobody waits for it: an agent that was just started draws its box long before it takes keys. */
const UNATTENDED_APPEAR_LIMIT_MS = 20_000;
const LEAVE_LIMIT_MS = 1_200;
/** The same after the second Enter: an agent that is still starting takes its keys late. */
const LAST_LEAVE_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 60;
/** From a text that left the box to the first sign of its turn; an event takes longer than a screen. */
const BEGIN_LIMIT_MS = 3_000;
/** Two captures in a row must show that the text has left the box, because agents clear the screen while they redraw. */
const SEEN_LEFT = 2;
/** An agent may take each Enter for a new line, so that its box grows by a row. */
const AGENT_SLACK_ROWS = 1;
/** Captures and tries, when the screen changes between a capture and its keys: spinners do that. */
const TRIES = 5;

const SHELL = /^-?(?:a|ba|c|da|fi|k|mk|pdk|tc|z|ya|rba)?sh$|^-?(?:nu|elvish|xonsh|pwsh|busybox)$/;

export interface SendInput extends EnterInput {
  paneRef: string;
  /** Whether an agent runs there now; asked where none is known. */
  hasAgent(): Promise<boolean>;
  text: string;
  pressEnter: boolean;
  toShell: boolean;
  /** Everything that was guarded still holds; called directly before the first key. @throws E_STALE_SNAPSHOT */
  verify(): VerifiedAction;
  /** Called once, directly before the first key. */
  onFirstKey(): void;
  /** The first keys were not sent after all. */
  onNothingSent(): void;
}

export interface SendReport {
  outcome: ActionOutcome;
  detail: string;
  notes: string[];
}

const openPrompt = (paneRef: string): AgtmuxError =>
  new AgtmuxError(
    "E_PROMPT_OPEN",
    `Nothing was sent to ${paneRef}: its agent waits for an answer to a prompt.`,
  );

const notAtPrompt = (paneRef: string, view: string): AgtmuxError =>
  new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was sent to ${paneRef}: ${view}.`, {
    remedy: "Close what is open in its pane; the text would be taken as a choice.",
  });

const refuseReceiver = async (input: SendInput, capture: PaneCapture): Promise<void> => {
  const { agent, paneRef, toShell } = input;
  if (agent === null) {
    if (SHELL.test(capture.command) && !toShell)
      throw new AgtmuxError(
        "E_CONFIRMATION_REQUIRED",
        `Nothing was sent to ${paneRef}: a shell would run the text.`,
        { remedy: "Repeat with --to-shell if that is what you want." },
      );
    if (await input.hasAgent())
      throw new AgtmuxError(
        "E_STALE_SNAPSHOT",
        `Nothing was sent to ${paneRef}: an agent has started there.`,
      );
    return;
  }
  const state = agent.state();
  if ((state !== null && isWaiting(state)) || showsPrompt(readCapture(input.agent, input.pane, capture)))
    throw openPrompt(paneRef);
  if (!(await agent.isForeground()))
    throw new AgtmuxError(
      "E_STALE_SNAPSHOT",
      `Nothing was sent to ${paneRef}: its agent is suspended or in the background.`,
      {
        remedy: "Bring it to the foreground in its pane, for example with 'fg'.",
      },
    );
};

/** False when the pane is not any more what `capture` saw; then nothing was typed. */
const typeText = async (input: SendInput, text: HeldText, capture: PaneCapture): Promise<boolean> => {
  const { client, pane } = input;
  const leaveMode: TmuxCommand = ["copy-mode", "-q", "-t", pane.paneId];
  const { command, cursorX: x, cursorY: y, width, height } = capture;
  const bound = boundTo(input.agent, pane, capture);
  if (bound === null) return false;
  const onlyIf = {
    command,
    screenShows: landmarks(capture, readCapture(input.agent, input.pane, capture)),
    // A key that somebody presses moves the cursor in the box.
    ...(input.unattended === null ? bound : { cursor: { x, y }, size: { width, height } }),
  };
  const action = input.verify();
  input.onFirstKey();
  if (await client.runIf(action, pane, [leaveMode, typingCommand(pane, text)], onlyIf)) return true;
  input.onNothingSent();
  return false;
};

/** Captures and types, again while the screen changes in between. Gives what was there before. */
const lookAndType = async (input: SendInput, text: HeldText): Promise<PaneCapture> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { client, pane, paneRef, unattended, agent } = input;
    const isUnattended = unattended !== null;
    const capture = await client.capture(pane, { styled: unattended !== null || agent !== null });
    const before = requireFitPane(capture, pane, paneRef);
    const [obstacle] = await Promise.all([
      unattended?.findObstacle(before) ?? null,
      refuseReceiver(input, before),
    ]);
    if (obstacle !== null)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was sent to ${paneRef}: ${obstacle}.`);
    const view = findView(agent?.adapter ?? null, pane, before);
    const isElsewhere = view !== null || (await enterTextMode({ ...input, isUnattended }, before));
    if (!isElsewhere && (await typeText(input, text, before))) return before;
    if (view !== null && tries === TRIES - 1) throw notAtPrompt(paneRef, view);
    // An agent that draws its screen again has no box for a moment.
    if (view !== null) await pause(input.clock, LOOK_EVERY_MS);
  }
  throw new AgtmuxError(
    "E_STALE_SNAPSHOT",
    `Nothing was sent to ${input.paneRef}: what it runs or shows kept changing.`,
  );
};

/** True once the text has left the box, or the agent went to work. */
const awaitLeft = async (
  input: SendInput,
  { mark, wasRunning, enters }: { mark: BoxMark; wasRunning: boolean; enters: 1 | 2 },
): Promise<boolean> => {
  const { client, pane, clock, agent } = input;
  const slack = agent === null ? 0 : enters * AGENT_SLACK_ROWS;
  const limitMs = enters === 1 ? LEAVE_LIMIT_MS : LAST_LEAVE_LIMIT_MS;
  let left = 0;
  const seen = await poll(clock, { everyMs: LOOK_EVERY_MS, limitMs }, async () => {
    if (!wasRunning && agent?.state() === "running") return true;
    const capture = await client.capture(pane);
    left = capture === null || isStillInBox(mark, capture, slack) ? 0 : left + 1;
    return left >= SEEN_LEFT ? true : null;
  });
  return seen ?? false;
};

/** A command of the agent's own, or of a shell: no turn begins with it. */
const COMMAND = /^\s*[/!]/;
/** Characters of either end of a text that are searched for in the conversation, which may show one end only. */
const SNIPPET = 24;

/** A text is found by this however it is broken into rows. */
const unbroken = (text: string): string => text.replaceAll(/\s/g, "");
const timesOn = ({ rows }: PaneCapture, end: string): number => unbroken(rows.join("")).split(end).length;

/**
 * True once the turn of the text began: the engine knows of it, the screen shows it, or the text stands in the conversation. A text
 * that a menu took for a choice has left the box, too.
 */
const awaitBegun = async (
  { client, pane, clock, agent }: SendInput & { agent: SendAgent },
  { text, before, mark }: Sent,
): Promise<boolean> => {
  const whole = unbroken(text);
  const ends = [whole.slice(0, SNIPPET), whole.slice(-SNIPPET)];
  const seen = await poll(clock, { everyMs: LOOK_EVERY_MS, limitMs: BEGIN_LIMIT_MS }, async () => {
    const state = agent.state();
    if (state === "running" || (state !== null && isWaiting(state)) || agent.turnMark() !== mark) return true;
    const capture = await client.capture(pane);
    if (capture === null) return null;
    const reading = readCapture(agent, pane, capture);
    if (reading?.status.state === "running" || showsPrompt(reading)) return true;
    return ends.some((end) => timesOn(capture, end) > timesOn(before, end)) ? true : null;
  });
  return seen ?? false;
};

/** What was typed, and how everything was before. */
interface Sent {
  text: string;
  before: PaneCapture;
  /** See `SendAgent.turnMark`. */
  mark: string;
  wasRunning: boolean;
}

const ofSubmitted = async (input: SendInput, sent: Sent, how = ""): Promise<Omit<SendReport, "notes">> => {
  const { agent } = input;
  // What is sent to an agent at work waits in its queue.
  const mayBegin = agent !== null && !sent.wasRunning && !COMMAND.test(sent.text);
  return !mayBegin || (await awaitBegun({ ...input, agent }, sent))
    ? { outcome: "delivered", detail: `The text appeared and was submitted${how}.` }
    : {
        outcome: "unverified",
        detail: `The text appeared and left the input box${how}, but no turn was seen to begin.`,
      };
};

const enterAndSee = async (
  input: SendInput,
  typed: Typed,
  sent: Sent,
): Promise<Omit<SendReport, "notes">> => {
  const { mark } = typed;
  const { wasRunning } = sent;
  const first = await pressEnter(input, typed);
  if (first !== null) return { outcome: "not_delivered", detail: first };
  if (mark === null)
    return {
      outcome: "unverified",
      detail: "Text and Enter were sent, but the text was not seen on the screen.",
    };
  if (await awaitLeft(input, { mark, wasRunning, enters: 1 })) return ofSubmitted(input, sent);
  const second = await pressEnter(input, typed);
  // The box may have changed because the agent took the first Enter late.
  if (second !== null && (await awaitLeft(input, { mark, wasRunning, enters: 1 })))
    return ofSubmitted(input, sent);
  if (second !== null) return { outcome: "unverified", detail: `Enter was pressed once. ${second}` };
  return (await awaitLeft(input, { mark, wasRunning, enters: 2 }))
    ? ofSubmitted(input, sent, " with a second Enter")
    : { outcome: "not_delivered", detail: "The text is still in the input box after two Enters." };
};

/** What became of a text that was typed. */
const seeThrough = async (
  input: SendInput,
  text: string,
  before: PaneCapture,
): Promise<Omit<SendReport, "notes">> => {
  const { client, pane, clock, agent } = input;
  const wasRunning = agent?.state() === "running";
  const sent: Sent = { text, before, mark: agent?.turnMark() ?? "", wasRunning };
  const isLong = text.length > LONG_TEXT || text.includes("\n");
  const pauseMs = isLong ? LONG_PAUSE_MS : SHORT_PAUSE_MS;
  await pause(clock, pauseMs);
  let looks = 0;
  const limitMs = input.unattended === null ? APPEAR_LIMIT_MS : UNATTENDED_APPEAR_LIMIT_MS;
  const mark = await poll(clock, { everyMs: LOOK_EVERY_MS, limitMs }, async () => {
    looks += 1;
    const capture = await client.capture(pane);
    return capture === null ? null : findTyped(text, before, capture);
  });
  // An agent that took the text late has taken it only now.
  if (looks > 1 && input.pressEnter) await pause(clock, pauseMs);
  if (!input.pressEnter)
    return mark === null
      ? { outcome: "unverified", detail: "The text was sent, but was not seen on the screen." }
      : { outcome: "delivered", detail: "The text appeared; Enter was not asked for." };
  // What an agent does not show went elsewhere, perhaps into a dialog that nobody recognised: no Enter into that.
  if (mark === null && input.agent !== null && isRecognisable(text))
    return {
      outcome: "not_delivered",
      detail: `The agent did not show the text within ${limitMs / 1_000} s, so Enter was not pressed.`,
    };
  return enterAndSee(input, { command: before.command, mark }, sent);
};

/**
 * Sends `text` literally. When this throws nothing was sent, but after E_TARGET_UNREACHABLE that is not known.
 * @throws AgtmuxError E_USAGE (no text left), E_PROMPT_OPEN, E_CONFIRMATION_REQUIRED (a shell), E_STALE_SNAPSHOT,
 *   E_UNSUPPORTED (a pane that takes no keys of its own), E_TARGET_UNREACHABLE (tmux did not answer while it was typed).
 */
export const sendText = async (input: SendInput): Promise<SendReport> => {
  const { text, stripped } = toSendable(input.text);
  if (text.trim() === "")
    throw new AgtmuxError("E_USAGE", "There is no text to send", {
      remedy: "Give it with --text or --stdin.",
    });
  const before = await withHeldText(input.client, text, (held) => lookAndType(input, held));
  const notes = [
    ...strippedNotes(stripped),
    ...(before.inMode ? ["The pane was in copy mode, which was left."] : []),
  ];
  try {
    return { ...(await seeThrough(input, text, before)), notes };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return { outcome: "unverified", detail: `The text was typed, but then: ${error.message}`, notes };
  }
};
