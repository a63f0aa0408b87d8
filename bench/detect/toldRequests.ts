// A request that an agent's events told, and each screen of the same agent in place of its dialog: recorded ones and their variations. Of
// most recordings no event tells a request, so by themselves they are no temptation for a rule; behind a told one each of them is.
import type { AdapterRegistry } from "../../adapters/index.ts";
import type { Corpus, Frame } from "./corpus.ts";
import { Player } from "./playback.ts";
import { approvalOf } from "./ruleAnswers.ts";
import { variationsOf } from "./variations.ts";

export interface ToldRequests {
  agent: string;
  /** The frame whose events told it. */
  teller: string;
  screens: number;
  /** Approvals of just what stands on the screen. */
  exact: number;
  /** The screens on which something else was approved. */
  outside: readonly string[];
}

/** As it was one event before: what an agent tells last may only repeat that it waits. */
const beforeLastEvent = (frame: Frame): Frame => ({
  ...frame,
  recording: { ...frame.recording, events: frame.recording.events.slice(0, -1) },
  panes: frame.panes.slice(0, -1),
});

/** A frame whose events tell a request that rules would approve; null: the agent has none. */
const findTeller = (player: Player, frames: readonly Frame[]): Frame | null =>
  frames
    .filter(({ label, recording }) => label.state === "waiting_approval" && recording.events.length > 0)
    .flatMap((frame) => [frame, beforeLastEvent(frame)])
    .find((frame) => player.play(frame, frame.recording, "both").approved !== null) ?? null;

const surveyAgent = (player: Player, agent: string, frames: readonly Frame[]): ToldRequests | null => {
  const teller = findTeller(player, frames);
  if (teller === null) return null;
  const told: ToldRequests & { outside: string[] } = {
    agent,
    teller: teller.name,
    screens: 0,
    exact: 0,
    outside: [],
  };
  for (const frame of frames) {
    const recorded = { name: "as recorded", screen: frame.recording, isDialogWhole: true };
    for (const { name, screen, isDialogWhole } of [recorded, ...variationsOf(frame, frames)]) {
      const { approved } = player.play(teller, screen, "both");
      const approval = approvalOf(approved, { teller, frame, screen, isDialogWhole });
      told.screens += 1;
      if (approval === "exact") told.exact += 1;
      if (approval === "outside") told.outside.push(`${frame.name} (${name}): ${approved}`);
    }
  }
  return told;
};

export const surveyToldRequests = (corpus: Corpus, registry: AdapterRegistry): ToldRequests[] => {
  using player = new Player(registry);
  return [...Map.groupBy(corpus.frames, ({ agent }) => agent)].flatMap(([agent, frames]) =>
    registry.byAgentType(agent) === null ? [] : (surveyAgent(player, agent, frames) ?? []),
  );
};
