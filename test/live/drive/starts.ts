// Starting the agent by agtmux, as a person does: in a pane of its own, with a task that has to reach the model once; and going on with
// that session afterwards, in the agent's own log.
import { setTimeout as wait } from "node:timers/promises";
import { untilTrue } from "../rig/livePane.ts";
import { act } from "./act.ts";
import type { Scenario } from "./scenario.ts";
import { endSession } from "./sessions.ts";
import { askedBy } from "./stage.ts";

/** An agent starts half of itself in its first turn. */
const FIRST_TURN_MS = 60_000;
const TWICE_MS = 3_000;
const SESSION = "started";

export const startWithTask: Scenario = {
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
    const arrived = await untilTrue(() => askedBy(stage, { prompt, at }) !== null, FIRST_TURN_MS);
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
