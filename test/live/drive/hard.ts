// What ordinary days rarely have: plans, sub-agents, queued prompts, questions at the start, a killed process, and what is done to
// panes (paneScenarios.ts).
import { setTimeout as wait } from "node:timers/promises";
import { untilTrue } from "../rig/livePane.ts";
import type { Shown } from "../results/result.ts";
import { act, promptAgent, referenceOf } from "./act.ts";
import { endAgent } from "./endAgent.ts";
import { PANE_SCENARIOS } from "./paneScenarios.ts";
import { USUAL_START, type Scenario } from "./scenario.ts";
import { askedBy, type Stage } from "./stage.ts";
import { ask, endedAt, hasOpenExchange, openDialog, stopTurn } from "./turns.ts";

const START_LIMIT_MS = 45_000;
const TOLD_LIMIT_MS = 8_000;
const APPROVAL: readonly Shown[] = ["waiting_approval"];

const isAtShell = async ({ pane }: Stage): Promise<boolean> =>
  (await pane.show("#{pane_current_command}")) === "bash";

/** A dialog that stands on the screen already. */
const checkShown = async (
  stage: Stage,
  step: string,
  words: RegExp,
  states: readonly Shown[],
  causedAt: number,
): Promise<boolean> => {
  const since = await stage.pane.untilShown(words, { limitMs: START_LIMIT_MS });
  if (since === null) {
    await stage.undriven(step, states, `no ${words.source} on the screen`);
    return false;
  }
  await stage.check({ step, states, since, causedAt, holds: () => stage.pane.isShown(words) });
  return true;
};

const refuse = (stage: Stage, step: string, words: RegExp): Promise<void> =>
  stopTurn(stage, {
    step,
    keys: stage.rig.agent.keys.deny,
    waited: APPROVAL,
    goneAt: () => stage.pane.untilHidden(words),
  });

/** The plan again, approved by `answer`: the model is told. */
const approvePlan = async (stage: Stage): Promise<void> => {
  const at = Date.now();
  const prompted = await promptAgent(stage, "PLAN");
  if (typeof prompted === "string") return stage.did("plan_approved", false, prompted);
  const guard = ["--if-prompt", prompted.fingerprint, "--json"];
  const answered = await act(stage, "answer", prompted.ref, "--approve", ...guard);
  const isTold = (): boolean => stage.since(at).some(({ toolResult }) => toolResult !== null);
  const happened = (await untilTrue(isTold, TOLD_LIMIT_MS)) !== null;
  await stage.did("plan_approved", answered.code === 0 && happened, answered.said);
};

const plan: Scenario = {
  name: "plan",
  steps: ["plan", "plan_denied", "plan_approved"],
  lacks: ({ markers }) => (markers.plan === null ? "it has no plan that is approved" : null),
  start: { ...USUAL_START, isPlan: true },
  run: async (stage) => {
    const words = stage.rig.agent.markers.plan;
    if (words === null) return;
    const said = await openDialog(stage, { step: "plan", prompt: "PLAN", words, states: APPROVAL });
    if (said === null) return;
    await refuse(stage, "plan_denied", words);
    await approvePlan(stage);
  },
};

/** The offer of another mode at the first start: what it asks is a question, and `answer` answers it. */
const offer: Scenario = {
  name: "offer",
  steps: ["offer", "offer_answered"],
  lacks: ({ id }) => (id === "claude" ? null : "it offers nothing at its start"),
  start: { ...USUAL_START, answersDialogs: false },
  run: async (stage) => {
    const [dialog] = stage.rig.agent.startDialogs;
    if (dialog === undefined) return;
    const causedAt = Date.now() - 1_000;
    if (!(await checkShown(stage, "offer", dialog.shown, ["waiting_input"], causedAt))) return;
    const { ref } = await referenceOf(stage);
    const fingerprint = (await stage.rig.product.row(stage.pane.paneId))?.prompt_fingerprint ?? "none";
    const answered = await act(stage, "answer", ref, "--option", "2", "--if-prompt", fingerprint, "--json");
    const isGone = (await stage.pane.untilHidden(dialog.shown)) !== null;
    await stage.did("offer_answered", answered.code === 0 && isGone, answered.said);
  },
};

const trust: Scenario = {
  name: "trust",
  steps: ["trust", "trust_approved"],
  lacks: ({ markers }) => (markers.trust === null ? "it does not ask for trust" : null),
  start: { ...USUAL_START, answersDialogs: false, isTrusted: false },
  run: async (stage) => {
    const words = stage.rig.agent.markers.trust;
    if (words === null) return;
    if (!(await checkShown(stage, "trust", words, APPROVAL, Date.now() - 1_000))) return;
    const { ref } = await referenceOf(stage);
    const fingerprint = (await stage.rig.product.row(stage.pane.paneId))?.prompt_fingerprint ?? "none";
    const answered = await act(stage, "answer", ref, "--approve", "--if-prompt", fingerprint, "--json");
    // Gemini CLI ends to start again, which it is kept from here, and leaves the dialog on the screen.
    const isGone = (await stage.pane.untilHidden(words)) !== null || (await isAtShell(stage));
    await stage.did("trust_approved", answered.code === 0 && isGone, answered.said);
  },
};

const subAgent: Scenario = {
  name: "sub_agent",
  steps: ["sub_agent", "sub_agent_done"],
  lacks: ({ hasSubAgents }) => (hasSubAgents ? null : "its sub-agents are not driven yet"),
  run: async (stage) => {
    const task = `SLOW 9 n${stage.next()}`;
    const said = await stage.pane.say(`TASK ${task}`);
    const isWorking = (): boolean =>
      stage
        .since(said.at)
        .some(({ prompt, ended }) => prompt.includes(task) && !prompt.includes("TASK") && ended === null);
    const since = await untilTrue(isWorking, START_LIMIT_MS);
    if (since === null)
      return stage.undriven("sub_agent", ["running"], "the sub-agent did not ask the model");
    await stage.check({ step: "sub_agent", states: ["running"], since, causedAt: said.at, holds: isWorking });
    await wait(9_000);
    const done = await endedAt(stage, said.at);
    if (done === null) return stage.undriven("sub_agent_done", ["completed"], "it did not come to an end");
    const holds = (): boolean => !hasOpenExchange(stage, said.at);
    await stage.check({
      step: "sub_agent_done",
      states: ["completed"],
      since: done,
      causedAt: said.at,
      holds,
    });
  },
};

/** A prompt typed while it works: the end of the first turn is not the end of the work. */
const queue: Scenario = {
  name: "queue",
  steps: ["queued", "queued_done"],
  lacks: ({ queues }) => (queues ? null : "what is typed goes into the running turn"),
  run: async (stage) => {
    const { said, asked } = await ask(stage, `SLOW 5 n${stage.next()}`);
    if (asked === null) return stage.undriven("queued", ["running"], "the model was not asked");
    await wait(1_500);
    const second = await stage.pane.say(`SLOW 8 n${stage.next()}`, { clears: false });
    const since = await untilTrue(() => askedBy(stage, second) !== null, START_LIMIT_MS);
    if (since === null) return stage.undriven("queued", ["running"], "the queued prompt was not sent");
    const holds = (): boolean => askedBy(stage, second)?.ended === null;
    await stage.check({ step: "queued", states: ["running"], since, causedAt: said.at, holds });
    const done = await endedAt(stage, second.at);
    if (done === null) return stage.undriven("queued_done", ["completed"], "it did not come to an end");
    await stage.check({
      step: "queued_done",
      states: ["completed"],
      since: done,
      causedAt: since,
      holds: () => !hasOpenExchange(stage, second.at),
    });
  },
};

/** The process is ended in the middle of a turn: its screen and title stay as they were. */
const killed: Scenario = {
  name: "killed",
  steps: ["killed"],
  run: async (stage) => {
    const { said, asked } = await ask(stage, `SLOW 60 n${stage.next()}`);
    if (asked === null) return stage.undriven("killed", ["gone", "error"], "the model was not asked");
    await wait(2_000);
    await endAgent(await stage.pane.show("#{pane_pid}"));
    const since = Date.now();
    const holds = () => isAtShell(stage);
    await stage.check({ step: "killed", states: ["gone", "error"], since, causedAt: said.at, holds });
  },
};

export const HARD_SCENARIOS: readonly Scenario[] = [
  queue,
  subAgent,
  ...PANE_SCENARIOS,
  killed,
  plan,
  offer,
  trust,
];
