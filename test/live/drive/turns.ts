// What scenarios are made of: a prompt whose request is answered, a dialog that is left by keys, a turn that is stopped.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Exchange } from "../model/modelLog.ts";
import { untilTrue, type Said } from "../rig/livePane.ts";
import type { Shown } from "../results/result.ts";
import { askedBy, type BareStage, type Left } from "./stage.ts";

const ENTER_AGAIN_MS = 5_000;
const ASK_LIMIT_MS = 15_000;
const END_LIMIT_MS = 20_000;
/** An agent that goes on after a denial asks its model within this time. */
const GOES_ON_MS = 1_500;

export const hasOpenExchange = (stage: BareStage, since: number): boolean =>
  stage.since(since).some(({ ended }) => ended === null);
export const hasFile = (stage: BareStage, file: string): boolean =>
  existsSync(join(stage.rig.place.project, file));

/** Types the prompt and waits for the request that it leads to. */
export const ask = async (
  stage: BareStage,
  prompt: string,
): Promise<{ said: Said; asked: Exchange | null }> => {
  const said = await stage.pane.say(prompt);
  const isAsked = (): boolean => askedBy(stage, said) !== null;
  // On a busy machine an agent may take the first Enter as part of a paste.
  if ((await untilTrue(isAsked, ENTER_AGAIN_MS)) === null) await stage.pane.press(["Enter"]);
  await untilTrue(isAsked, ASK_LIMIT_MS);
  return { said, asked: askedBy(stage, said) };
};

/** When the last request since then was answered, or dropped by the agent; null: one is open. */
export const endedAt = async (
  stage: BareStage,
  since: number,
  limitMs = END_LIMIT_MS,
): Promise<number | null> => {
  await untilTrue(() => stage.since(since).length > 0 && !hasOpenExchange(stage, since), limitMs);
  const ends = stage.since(since).map(({ ended }) => ended?.at ?? null);
  return ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map((at) => at ?? 0));
};

/** A turn of text to its end, as a step. */
export const completeTurn = async (stage: BareStage, step: string, prompt: string): Promise<void> => {
  const { said } = await ask(stage, prompt);
  const since = await endedAt(stage, said.at);
  if (since === null) return stage.undriven(step, ["completed"], `no answer to '${prompt}'`);
  await stage.check({
    step,
    states: ["completed"],
    since,
    causedAt: said.at,
    holds: () => !hasOpenExchange(stage, said.at),
  });
};

/**
 * Presses keys that stop or refuse something and checks what becomes of the turn: an agent that tells its model goes on and
 * completes it; one that does not is interrupted. `goneAt` gives when the dialog, or the turn, was over.
 */
export const stopTurn = async (
  stage: BareStage,
  options: {
    step: string;
    keys: readonly string[];
    waited: readonly Shown[];
    goneAt: () => Promise<number | null>;
  },
): Promise<void> => {
  const { step, keys, waited, goneAt } = options;
  let pressedAt = Date.now();
  await stage.pane.press(keys);
  let at = await goneAt();
  if (at === null) {
    // Two keys that belong together may come too far apart on a busy machine.
    pressedAt = Date.now();
    await stage.pane.press(keys);
    at = await goneAt();
  }
  if (at === null) return stage.undriven(step, ["idle"], `the keys ${keys.join(" ")} did not end it`);
  const left: Left | null = waited.length === 0 ? null : { states: waited, pressedAt, at };
  await untilTrue(() => stage.since(pressedAt).length > 0, GOES_ON_MS);
  const goesOn = stage.since(pressedAt).length > 0;
  const since = goesOn ? await endedAt(stage, pressedAt) : at;
  if (since === null) return stage.undriven(step, ["completed"], "the agent went on without an end");
  await stage.check({
    step,
    states: goesOn ? ["completed"] : ["idle"],
    since,
    causedAt: pressedAt,
    left,
    holds: () => !hasOpenExchange(stage, pressedAt) && stage.since(pressedAt).length > 0 === goesOn,
  });
};

/** Types a prompt after which a dialog opens, and checks the wait. */
export const openDialog = async (
  stage: BareStage,
  options: { step: string; prompt: string; words: RegExp; states: readonly Shown[] },
): Promise<Said | null> => {
  const { step, prompt, words, states } = options;
  const { said } = await ask(stage, prompt);
  const since = await stage.pane.untilShown(words, { after: said });
  if (since === null) {
    await stage.undriven(step, states, `no ${words.source} on the screen after '${prompt}'`);
    return null;
  }
  const holds = (): Promise<boolean> => stage.pane.isShown(words, said);
  await stage.check({ step, states, since, causedAt: said.at, holds });
  return said;
};
