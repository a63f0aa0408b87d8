// What people do to panes while an agent asks: copy mode, other names, another pane beside it, a zoom, and a second agent.
import { setTimeout as wait } from "node:timers/promises";
import type { Shown } from "../results/result.ts";
import type { Scenario } from "./scenario.ts";
import { askedBy, type Stage } from "./stage.ts";
import { ask, endedAt, hasOpenExchange, openDialog, stopTurn } from "./turns.ts";

const APPROVAL: readonly Shown[] = ["waiting_approval"];

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

export const PANE_SCENARIOS: readonly Scenario[] = [copyMode, renamed, zoomed, two];
