// Every action on the live agent, held against what it really did: the file that a command made, the text that the model was sent,
// the request that was dropped, the process that ended. `answer` follows `wait` at once, as in a script, without a second try.
import { setTimeout as wait } from "node:timers/promises";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { untilTrue } from "../rig/livePane.ts";
import { act, isRefusedByRule, promptAgent, type Prompted, referenceOf, waitFor, wasRefused } from "./act.ts";
import type { Scenario } from "./scenario.ts";
import { endSession } from "./sessions.ts";
import { askedBy, type Stage } from "./stage.ts";
import { hasFile, hasOpenExchange } from "./turns.ts";

// Starting the agent by agtmux, as a person does: in a pane of its own, with a task that has to reach the model once; and going on with
// that session afterwards, in the agent's own log.

/** An agent starts half of itself in its first turn. */
const START_MS = 60_000;
const TWICE_MS = 3_000;
const SESSION = "started";

const startWithTask: Scenario = {
  name: "start",
  steps: ["start"],
  run: async (stage) => {
    const { rig } = stage;
    const prompt = `SAY started n${stage.next()}`;
    const at = Date.now();
    const began = await act(
      stage,
      "start",
      rig.agent.id,
      "--session",
      SESSION,
      "--cwd",
      rig.place.project,
      "--text",
      prompt,
    );
    const arrived = await untilTrue(() => askedBy(stage, { prompt, at }) !== null, START_MS);
    // What is typed twice is asked twice.
    await wait(TWICE_MS);
    const times = rig
      .exchanges()
      .filter((one) => one.at >= at && one.prompt.endsWith(prompt) && one.toolResult === null).length;
    await stage.did(
      "start",
      began.code === 0 && arrived !== null && times === 1,
      `${began.said}; the model was asked ${times} times`,
    );
    await endSession(stage, SESSION);
  },
};

const EFFECT_LIMIT_MS = 8_000;
/** Some agents start half of themselves in their first turn: that is their time, not that of what sent the prompt. */
const FIRST_TURN_MS = 45_000;
const NO_EFFECT_MS = 2_500;
/** The exit status of what is refused because it is not known or not provable. */
const UNSUPPORTED = 15;
const SIGNALS = ["INT", "TERM", "KILL"] as const;

/** Back to the prompt, whatever a step that failed left behind. */
const recover = async (stage: Stage): Promise<void> => {
  const row = await stage.rig.product.row(stage.pane.paneId);
  const { keys } = stage.rig.agent;
  if (row?.needs_action === true && row.state !== "error") await stage.pane.press(keys.deny);
  else if (hasOpenExchange(stage, 0)) await stage.pane.press(keys.interrupt);
  await wait(2_000);
};

/** What was answered may still run; a prompt is for an agent that has ended its turn. */
const settle = async (stage: Stage): Promise<void> => {
  await wait(2_000);
  const isAtRest = async (): Promise<boolean> =>
    (await stage.rig.product.row(stage.pane.paneId))?.state !== "running" && !hasOpenExchange(stage, 0);
  await untilTrue(isAtRest, EFFECT_LIMIT_MS);
};

const report = async (stage: Stage, step: string, isRight: boolean, detail: string): Promise<void> => {
  await stage.did(step, isRight, detail);
  if (!isRight) await recover(stage);
};

const send: Scenario = {
  name: "send",
  steps: ["send", "view_output", "transcript"],
  refused: ({ transcriptLack }) =>
    transcriptLack === null ? null : { step: "transcript", why: transcriptLack },
  run: async (stage) => {
    const { ref } = await referenceOf(stage);
    const prompt = `SAY seen n${stage.next()}`;
    const at = Date.now();
    const sent = await act(stage, "send", ref, "--text", prompt, "--json");
    const arrived = await untilTrue(
      () => (askedBy(stage, { prompt, at })?.ended ?? null) !== null,
      FIRST_TURN_MS,
    );
    await report(stage, "send", sent.code === 0 && arrived !== null, sent.said);
    const reply = prompt.replace("SAY ", "");
    // Once in the prompt and once in the reply.
    const isTold = (text: string): boolean => text.split(reply).length > 2;
    await untilTrue(async () => isTold(await stage.pane.screen()), FIRST_TURN_MS);
    await wait(1_500);
    const seen = await act(stage, "view-output", ref, "--lines", "40");
    await stage.did("view_output", isTold(seen.stdout), seen.said.slice(0, 120));
    await viewTranscript(stage, ref, isTold);
  },
};

/** The transcript, or where no log can be proved to be this process's, the refusal of one that may be another's. */
const viewTranscript = async (
  stage: Stage,
  ref: string,
  isTold: (text: string) => boolean,
): Promise<void> => {
  const { agent, mode } = stage.rig;
  const told = await act(stage, "view-output", ref, "--transcript");
  const said = told.said.slice(0, 200);
  if (agent.transcriptIn.includes(mode))
    await stage.did("transcript", told.code === 0 && isTold(told.stdout), said);
  else await stage.did("transcript", told.code === UNSUPPORTED, `by rule not: ${said}`);
};

/** Sends a prompt that asks, answers at once, and looks for the effect. */
const answerScenario = (options: {
  step: string;
  prompt: (stage: Stage, file: string) => string;
  answer: readonly string[];
  effect: (stage: Stage, file: string, at: number) => boolean;
  /** The effect has to stay away. */
  isAbsent?: boolean;
  lacks?: (agent: LiveAgent) => string | null;
  around?: (stage: Stage) => Promise<void>;
  after?: (stage: Stage, prompted: Prompted) => Promise<void>;
}): Scenario => ({
  name: options.step,
  steps: [options.step],
  ...(options.lacks === undefined ? {} : { lacks: options.lacks }),
  run: async (stage) => {
    const file = `live-${stage.next()}.txt`;
    const at = Date.now();
    await options.around?.(stage);
    const prompted = await promptAgent(stage, options.prompt(stage, file));
    if (typeof prompted === "string") await report(stage, options.step, false, prompted);
    else {
      const { ref, fingerprint } = prompted;
      const answered = await act(
        stage,
        "answer",
        ref,
        ...options.answer,
        "--if-prompt",
        fingerprint,
        "--json",
      );
      const happened = await untilTrue(
        () => options.effect(stage, file, at),
        options.isAbsent === true ? NO_EFFECT_MS : EFFECT_LIMIT_MS,
      );
      if (isRefusedByRule(stage, options.answer)) {
        await stage.did(
          options.step,
          wasRefused(answered) && happened === null,
          `by rule not: ${answered.said}`,
        );
        await recover(stage);
      } else {
        const isEffective = (happened === null) === (options.isAbsent === true);
        const detail = `${isEffective ? "" : "without the effect; "}${answered.said}`;
        await report(stage, options.step, answered.code === 0 && isEffective, detail);
        await options.after?.(stage, prompted);
      }
    }
    await settle(stage);
    await options.around?.(stage);
  },
});

const approvalPrompt = ({ rig }: Stage, file: string): string => rig.agent.prompts.approval(file);
const toldModel =
  (words: string) =>
  (stage: Stage, _file: string, at: number): boolean =>
    stage.since(at).some(({ toolResult }) => toolResult?.includes(words) === true);
const toAskMode = async ({ pane, rig }: Stage): Promise<void> => {
  if (rig.agent.keys.askMode.length === 0) return;
  await pane.press(rig.agent.keys.askMode);
  await wait(1_000);
};
const lacksAsk = ({ markers }: LiveAgent): string | null =>
  markers.ask === null ? "it has no tool for questions" : null;

/** The prompt that was answered is not open any more: a second answer to it must do nothing. */
const answerAgain = async (stage: Stage, { ref, fingerprint }: Prompted): Promise<void> => {
  const again = await act(stage, "answer", ref, "--approve", "--if-prompt", fingerprint, "--json");
  await stage.did("answer_again", again.code !== 0, again.said);
};

/** A text must not go into a dialog, where its first letter might be an answer. */
const sendIntoDialog: Scenario = {
  name: "send_into_dialog",
  steps: ["send_into_dialog"],
  run: async (stage) => {
    const prompted = await promptAgent(stage, approvalPrompt(stage, `live-${stage.next()}.txt`));
    if (typeof prompted === "string") return report(stage, "send_into_dialog", false, prompted);
    await wait(1_000);
    const refused = await act(stage, "send", prompted.ref, "--text", "SAY not here", "--json");
    await stage.did("send_into_dialog", refused.code !== 0, refused.said);
    await recover(stage);
  },
};

const interrupt: Scenario = {
  name: "interrupt",
  steps: ["interrupt"],
  run: async (stage) => {
    const { ref, version } = await referenceOf(stage);
    const prompt = `SLOW 60 n${stage.next()}`;
    const at = Date.now();
    await act(stage, "send", ref, "--text", prompt, "--json");
    const { row, acted } = await waitFor(stage, { ref, until: "running", after: version, seconds: 10 });
    if (row === null) return report(stage, "interrupt", false, `wait: ${acted.said}`);
    await wait(2_000);
    const stopped = await act(stage, "interrupt", ref, "--json");
    const left = await untilTrue(
      () => askedBy(stage, { prompt, at })?.ended?.how === "left",
      EFFECT_LIMIT_MS,
    );
    await report(stage, "interrupt", stopped.code === 0 && left !== null, stopped.said);
    await wait(2_000);
  },
};

const kill: Scenario = {
  name: "kill",
  steps: ["kill_unasked", "kill"],
  run: async (stage) => {
    const { ref } = await referenceOf(stage);
    const unasked = await act(stage, "kill", ref, "--json");
    await stage.did("kill_unasked", unasked.code !== 0, unasked.said);
    const hasGone = async (): Promise<boolean> =>
      (await stage.pane.show("#{pane_current_command}")) === "bash" &&
      (await stage.rig.product.row(stage.pane.paneId)) === null;
    for (const signal of SIGNALS) {
      const killed = await act(stage, "kill", ref, "--yes", "--signal", signal, "--json");
      if ((await untilTrue(hasGone, 4_000)) === null && signal !== "KILL") continue;
      return stage.did("kill", await hasGone(), `${signal}: ${killed.said}`);
    }
  },
};

export const ACTION_SCENARIOS: readonly Scenario[] = [
  send,
  answerScenario({
    step: "approve",
    prompt: approvalPrompt,
    answer: ["--approve"],
    effect: hasFile,
    after: answerAgain,
  }),
  answerScenario({
    step: "deny",
    prompt: approvalPrompt,
    answer: ["--deny"],
    effect: hasFile,
    isAbsent: true,
  }),
  answerScenario({
    step: "approve_edit",
    prompt: ({ rig }, file) => rig.agent.prompts.edit(file, rig.place),
    answer: ["--approve"],
    effect: hasFile,
    lacks: ({ markers, editsOutside }) =>
      markers.edit === null || editsOutside ? "it does not ask before it edits the project" : null,
  }),
  answerScenario({
    step: "option_2",
    prompt: () => "ASK",
    answer: ["--option", "2"],
    effect: toldModel("Blue"),
    lacks: lacksAsk,
    around: toAskMode,
  }),
  answerScenario({
    step: "free_text",
    // The one before stands on the screen still: where both are drawn alike, the answer is refused by rule.
    prompt: () => "ASK for the walls",
    answer: ["--text", "Green indeed"],
    effect: toldModel("Green indeed"),
    lacks: (agent) =>
      lacksAsk(agent) ?? (agent.takesFreeText ? null : "no answer by a text is known of its questions"),
    around: toAskMode,
  }),
  sendIntoDialog,
  startWithTask,
  interrupt,
  kill,
];
