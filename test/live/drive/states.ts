// Every state once, in the order of a session: what a person meets on an ordinary day.
import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { untilTrue } from "../rig/livePane.ts";
import type { Shown } from "../results/result.ts";
import type { Scenario } from "./scenario.ts";
import { askedBy, type BareStage } from "./stage.ts";
import { ask, completeTurn, endedAt, hasFile, hasOpenExchange, openDialog, stopTurn } from "./turns.ts";

const FILE_LIMIT_MS = 15_000;
const STOP_LIMIT_MS = 8_000;
const EXIT_LIMIT_MS = 15_000;
const MODE_SWITCH_MS = 1_000;

const idle: Scenario<BareStage> = {
  name: "idle",
  steps: ["idle"],
  run: (stage) =>
    stage.check({
      step: "idle",
      states: ["idle"],
      since: Date.now() - 2_000,
      causedAt: Date.now() - 20_000,
      holds: () => stage.pane.isShown(stage.rig.agent.markers.ready),
    }),
};

const completed: Scenario<BareStage> = {
  name: "completed",
  steps: ["completed"],
  run: (stage) => completeTurn(stage, "completed", `SAY hello n${stage.next()}`),
};

/** A turn whose request is open, checked and then stopped by the agent's keys. */
const running: Scenario<BareStage> = {
  name: "running",
  steps: ["running", "interrupted"],
  run: async (stage) => {
    const { said, asked } = await ask(stage, `SLOW 60 n${stage.next()}`);
    if (asked === null) return stage.undriven("running", ["running"], "the model was not asked");
    await stage.check({
      step: "running",
      states: ["running"],
      since: asked.at,
      causedAt: said.at,
      holds: () => askedBy(stage, said)?.ended === null,
    });
    const goneAt = (): Promise<number | null> => endedAt(stage, said.at, STOP_LIMIT_MS);
    await stopTurn(stage, { step: "interrupted", keys: stage.rig.agent.keys.interrupt, waited: [], goneAt });
  },
};

const thinking: Scenario<BareStage> = {
  name: "thinking",
  steps: ["thinking", "after_thinking"],
  run: async (stage) => {
    const { said, asked } = await ask(stage, `THINK 7 n${stage.next()}`);
    if (asked === null) return stage.undriven("thinking", ["running"], "the model was not asked");
    const holds = (): boolean => askedBy(stage, said)?.ended === null;
    await stage.check({ step: "thinking", states: ["running"], since: asked.at, causedAt: said.at, holds });
    const since = await endedAt(stage, said.at);
    if (since === null) return stage.undriven("after_thinking", ["completed"], "the answer did not end");
    await stage.check({
      step: "after_thinking",
      states: ["completed"],
      since,
      causedAt: asked.at + 7_000,
      holds: () => !hasOpenExchange(stage, said.at),
    });
  },
};

/** A dialog, then the key that refuses it. */
const dialogScenario = (options: {
  name: string;
  refused: string;
  state: Shown;
  words: (agent: LiveAgent) => RegExp | null;
  prompt: (stage: BareStage, file: string) => string;
  lack: string;
}): Scenario<BareStage> => ({
  name: options.name,
  steps: [options.name, options.refused],
  lacks: (agent) => (options.words(agent) === null ? options.lack : null),
  run: async (stage) => {
    const { agent } = stage.rig;
    const words = options.words(agent);
    if (words === null) return;
    const file = `live-${stage.next()}.txt`;
    const said = await openDialog(stage, {
      step: options.name,
      prompt: options.prompt(stage, file),
      words,
      states: [options.state],
    });
    if (said === null) return;
    const goneAt = (): Promise<number | null> => stage.pane.untilHidden(words, { after: said });
    await stopTurn(stage, { step: options.refused, keys: agent.keys.deny, waited: [options.state], goneAt });
    if (hasFile(stage, file))
      await stage.did(`${options.refused}_file`, false, `${file} was made all the same`);
  },
});

const approval = dialogScenario({
  name: "waiting_approval",
  refused: "denied",
  state: "waiting_approval",
  words: ({ markers }) => markers.approval,
  prompt: ({ rig }, file) => rig.agent.prompts.approval(file),
  lack: "it never asks",
});
const edit = dialogScenario({
  name: "approval_edit",
  refused: "denied_edit",
  state: "waiting_approval",
  words: ({ markers }) => markers.edit,
  prompt: ({ rig }, file) => rig.agent.prompts.edit(file, rig.place),
  lack: "it does not ask before it edits",
});
const question = dialogScenario({
  name: "waiting_input",
  refused: "cancelled_input",
  state: "waiting_input",
  words: ({ markers }) => markers.ask,
  prompt: () => "ASK",
  lack: "it has no tool for questions",
});

const input: Scenario<BareStage> = {
  ...question,
  run: async (stage) => {
    const { askMode } = stage.rig.agent.keys;
    const toggle = async (): Promise<void> => {
      if (askMode.length === 0) return;
      await stage.pane.press(askMode);
      await wait(MODE_SWITCH_MS);
    };
    await toggle();
    await question.run(stage);
    await toggle();
  },
};

/** Approves where it is asked, until the command runs. */
const startTool = async (
  stage: BareStage,
  file: string,
): Promise<{ at: number; pressedAt: number; hiddenAt: number } | null> => {
  const { agent } = stage.rig;
  const { said } = await ask(stage, agent.prompts.tool(file));
  let [pressedAt, hiddenAt] = [said.at, said.at];
  if (agent.asksForTools) {
    if ((await stage.pane.untilShown(agent.markers.approval, { after: said })) === null) return null;
    await wait(agent.deafMs);
    pressedAt = Date.now();
    await stage.pane.press(agent.keys.approve);
    hiddenAt = (await stage.pane.untilHidden(agent.markers.approval, { after: said })) ?? Date.now();
  }
  const at = await untilTrue(() => hasFile(stage, file), FILE_LIMIT_MS);
  return at === null ? null : { at: Math.max(at, hiddenAt), pressedAt, hiddenAt };
};

/** Whether the command that works on the file still runs. An agent may leave it in the background and say so. */
const isAlive = async (file: string): Promise<boolean> =>
  promisify(execFile)("pgrep", ["-f", `tail -f ${file}`]).then(
    () => true,
    () => false,
  );

const tool: Scenario<BareStage> = {
  name: "tool",
  steps: ["tool", "interrupted_tool"],
  run: async (stage) => {
    const { agent } = stage.rig;
    const file = `live-${stage.next()}.txt`;
    const started = await startTool(stage, file);
    if (started === null) return stage.undriven("tool", ["running"], "the command did not run");
    const { at, pressedAt, hiddenAt } = started;
    const isRunning = (): boolean => stage.since(pressedAt).every(({ toolResult }) => toolResult === null);
    await stage.check({
      step: "tool",
      states: ["running"],
      since: at,
      causedAt: pressedAt,
      left: agent.asksForTools ? { states: ["waiting_approval"], pressedAt, at: hiddenAt } : null,
      holds: isRunning,
    });
    const hasEnded = async (): Promise<boolean> =>
      !(await isAlive(file)) || (await stage.pane.isShown(agent.markers.interrupted, { prompt: file, at }));
    const goneAt = (): Promise<number | null> => untilTrue(hasEnded, STOP_LIMIT_MS);
    await stopTurn(stage, { step: "interrupted_tool", keys: agent.keys.interrupt, waited: [], goneAt });
  },
};

const error: Scenario<BareStage> = {
  name: "error",
  steps: ["error", "after_error"],
  run: async (stage) => {
    const said = await openDialog(stage, {
      step: "error",
      prompt: `FAIL 400 n${stage.next()}`,
      words: stage.rig.agent.markers.error,
      states: ["error"],
    });
    if (said !== null) await completeTurn(stage, "after_error", `SAY recovered n${stage.next()}`);
  },
};

const exited: Scenario<BareStage> = {
  name: "exited",
  steps: ["exited"],
  run: async (stage) => {
    const { pane, rig } = stage;
    const said = await pane.say(rig.agent.exit);
    const hasLeft = async (): Promise<boolean> => (await pane.show("#{pane_current_command}")) === "bash";
    const since = await untilTrue(hasLeft, EXIT_LIMIT_MS);
    if (since === null) return stage.undriven("exited", ["gone"], "the agent did not leave");
    await stage.check({ step: "exited", states: ["gone"], since, causedAt: said.at, holds: hasLeft });
  },
};

export const STATE_SCENARIOS: readonly Scenario<BareStage>[] = [
  idle,
  completed,
  running,
  thinking,
  approval,
  edit,
  input,
  tool,
  error,
  exited,
];
