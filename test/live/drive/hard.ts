// What ordinary days rarely have: plans, sub-agents, queued prompts, questions at the start, a killed process, and what is done to
// panes.
import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Shown } from "../results/result.ts";
import { untilTrue } from "../rig/livePane.ts";
import { act, promptAgent, referenceOf } from "./act.ts";
import { type Scenario, USUAL_START } from "./scenario.ts";
import { askedBy, type Stage } from "./stage.ts";
import { ask, endedAt, hasOpenExchange, openDialog, stopTurn } from "./turns.ts";

// What people do to panes while an agent asks: copy mode, other names, another pane beside it, a zoom, and a second agent.

/** Opens an approval, does something to the pane, and checks that the wait stays what it is. */
const disturbed = (options: {
  name: string;
  disturb: (stage: Stage) => Promise<void>;
  restore: (stage: Stage) => Promise<void>;
}): Scenario => ({
  name: options.name,
  steps: [options.name, `${options.name}_denied`],
  run: async (stage) => {
    const { agent } = stage.rig;
    const { said, asked } = await ask(stage, agent.prompts.approval(`live-${stage.next()}.txt`));
    const words = agent.markers.approval;
    if (asked === null || (await stage.pane.untilShown(words, { after: said })) === null)
      return stage.undriven(options.name, APPROVAL, "no dialog on the screen");
    await wait(2_000);
    await options.disturb(stage);
    const [since, causedAt] = [Date.now(), said.at];
    const holds = (): boolean => !hasOpenExchange(stage, said.at);
    await stage.check({ step: options.name, states: APPROVAL, since, causedAt, holds });
    await options.restore(stage);
    await wait(500);
    await stopTurn(stage, {
      step: `${options.name}_denied`,
      keys: agent.keys.deny,
      waited: APPROVAL,
      goneAt: () => stage.pane.untilHidden(words),
    });
  },
});

const tmuxOn = (stage: Stage, command: string, ...args: readonly string[]): Promise<string> =>
  stage.rig.tmux(command, "-t", stage.pane.paneId, ...args);

const copyMode = disturbed({
  name: "copy_mode",
  disturb: async (stage) => {
    await tmuxOn(stage, "copy-mode");
    await tmuxOn(stage, "send-keys", "-X", "-N", "5", "scroll-up");
  },
  restore: async (stage) => {
    await tmuxOn(stage, "send-keys", "-X", "cancel");
  },
});
const renamed = disturbed({
  name: "renamed",
  disturb: async (stage) => {
    await tmuxOn(stage, "rename-window", "my win ✳");
    await tmuxOn(stage, "rename-session", "new name/x");
  },
  restore: async (stage) => {
    await tmuxOn(stage, "rename-session", stage.pane.session);
  },
});
const zoomed = disturbed({
  name: "zoomed",
  disturb: async (stage) => {
    await tmuxOn(stage, "split-window", "-h", "-d", "sleep 600");
    await tmuxOn(stage, "resize-pane", "-Z");
  },
  restore: async (stage) => {
    await tmuxOn(stage, "kill-pane", "-a");
  },
});

/** Two of the same agent in one window: one works while the other asks, and neither takes the other's state. */
const two: Scenario = {
  name: "two",
  steps: ["two_running", "two_waiting"],
  run: async (stage) => {
    const { agent } = stage.rig;
    const other = await stage.rig.openPane(stage.pane.session, { splitFrom: stage.pane });
    const { said, asked } = await ask(stage, `SLOW 60 n${stage.next()}`);
    if (asked === null) return stage.undriven("two_running", ["running"], "the model was not asked");
    const prompt = agent.prompts.approval(`live-${stage.next()}.txt`);
    const words = agent.markers.approval;
    await openDialog(stage.on(other), { step: "two_waiting", prompt, words, states: APPROVAL });
    const holds = (): boolean => askedBy(stage, said)?.ended === null;
    const since = Date.now() - 2_000;
    await stage.check({ step: "two_running", states: ["running"], since, causedAt: said.at, holds });
    await stage.rig.tmux("kill-pane", "-t", other.paneId);
    await stage.pane.press(agent.keys.interrupt);
    await endedAt(stage, said.at);
    await wait(1_500);
  },
};

const PANE_SCENARIOS: readonly Scenario[] = [copyMode, renamed, zoomed, two];

// Ends an agent as the kernel would when memory runs out: every process below the pane's shell, by its id, without a word.

/** Pids below the given one, however deep, from the lines `pid ppid` of ps. */
export const pidsBelow = (root: number, lines: string): number[] => {
  const pairs = lines
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid, ...below(pid)] : []));
  return below(root);
};

const endAgent = async (shellPid: string): Promise<void> => {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid="]);
  for (const pid of pidsBelow(Number(shellPid), stdout)) process.kill(pid, "SIGKILL");
};

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
