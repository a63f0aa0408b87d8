// Runs a corpus, recorded and varied, in every mode, and scores what was shown.
import type { AdapterRegistry } from "../../adapters/index.ts";
import { type Recording, screenOf } from "../../adapters/testkit/recordings.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { type Corpus, type Frame, isWaitingState, NO_AGENT } from "./corpus.ts";
import { type Mode, MODES, Player } from "./playback.ts";
import { statesToldByEvents } from "./recordedEvents.ts";
import { approvalOf } from "./ruleAnswers.ts";
import { score, type Scored, tooOftenUnknown, type UnknownShare } from "./score.ts";
import { variationsOf } from "./variations.ts";

// A request that an agent's events told, and each screen of the same agent in place of its dialog: recorded ones and their variations. Of
// most recordings no event tells a request, so by themselves they are no temptation for a rule; behind a told one each of them is.

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

export interface Evaluation {
  scored: Scored[];
  /** Agents of the corpus for which the registry has no adapter. */
  withoutAdapter: { agent: string; frames: number }[];
  tooOftenUnknown: UnknownShare[];
  /** Frames on which the production path or an adapter threw. */
  broken: { frame: string; problem: string }[];
  toldRequests: ToldRequests[];
  isPassed: boolean;
}

const VARIED_MODES: readonly Mode[] = ["screen", "both"];

const eventNames = ({ recording }: Frame): string => recording.events.map(({ name }) => name).join(" ");

/** The waiting states of those frames of the same agent whose events have the same names. */
const waitsWithSameEvents = (frame: Frame, frames: readonly Frame[]): Set<string> => {
  const names = eventNames(frame);
  return new Set(
    frames
      .filter(
        (other) =>
          names !== "" &&
          other.agent === frame.agent &&
          isWaitingState(other.label.state) &&
          eventNames(other) === names,
      )
      .map(({ label }) => label.state),
  );
};

/**
 * What the pane showed before a frame for which no event was recorded: the same agent at its fresh prompt. A daemon that uses
 * both witnesses was there when the agent began, just like one that got its events. The question whether to trust the folder is
 * an agent's first screen, so nothing comes before it.
 */
const leadOf = (frame: Frame, frames: readonly Frame[]): Frame | null =>
  frame.recording.events.length > 0 || frame.label.state === NO_AGENT || frame.label.reason_code === "trust"
    ? null
    : (frames.find(
        (other) =>
          other !== frame &&
          other.agent === frame.agent &&
          other.version === frame.version &&
          other.label.state === "idle" &&
          other.label.reason_code === "fresh",
      ) ?? null);

const evaluateFrame = (
  player: Player,
  adapter: AgentAdapter,
  frame: Frame,
  frames: readonly Frame[],
  vary: typeof variationsOf,
): Scored[] => {
  const lead = leadOf(frame, frames);
  const common = {
    agent: frame.agent,
    version: frame.version,
    frame: frame.name,
    label: frame.label,
    toldByEvents: statesToldByEvents(frame, adapter),
    hasEvents: frame.recording.events.length > 0,
    hasLead: lead !== null,
    eventsOfWait: waitsWithSameEvents(frame, frames),
  };
  const asRecorded = {
    ...common,
    variation: null,
    kind: null,
    isDialogWhole: true,
    isTruthCut: false,
    isUnread: false,
  };
  const before = lead?.recording ?? null;
  const play = (screen: Recording, mode: Mode, isDialogWhole: boolean) => {
    const { approved, isOffered: _isOffered, ...played } = player.play(frame, screen, mode, before);
    return { ...played, approval: approvalOf(approved, { teller: frame, frame, screen, isDialogWhole }) };
  };
  const recorded = MODES.map((mode) => score({ ...asRecorded, mode, ...play(frame.recording, mode, true) }));
  const varied = vary(frame, frames).flatMap(({ name, kind, screen, isDialogWhole, isTruthCut }) => {
    const isUnread = adapter.readScreen(screenOf(screen)) === null;
    const changed = { ...common, variation: name, kind, isDialogWhole, isTruthCut, isUnread };
    return VARIED_MODES.map((mode) => score({ ...changed, mode, ...play(screen, mode, isDialogWhole) }));
  });
  return [...recorded, ...varied];
};

/**
 * The gate also fails if nothing could be evaluated: an empty corpus proves nothing. `survey`: of what rules approve behind told
 * requests, which takes a third of the time. `vary`: of each frame, which takes nearly all of the rest.
 */
export const evaluate = (
  corpus: Corpus,
  registry: AdapterRegistry,
  survey: typeof surveyToldRequests = surveyToldRequests,
  vary: typeof variationsOf = variationsOf,
): Evaluation => {
  using player = new Player(registry);
  const scored: Scored[] = [];
  const missing = new Map<string, number>();
  const broken: Evaluation["broken"] = [];
  for (const frame of corpus.frames) {
    const adapter = registry.byAgentType(frame.agent);
    if (adapter === null) {
      missing.set(frame.agent, (missing.get(frame.agent) ?? 0) + 1);
      continue;
    }
    try {
      scored.push(...evaluateFrame(player, adapter, frame, corpus.frames, vary));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      broken.push({ frame: `${frame.agent}/${frame.name}`, problem });
    }
  }
  const unknownShares = tooOftenUnknown(scored);
  // An adapter that throws has failed already.
  const toldRequests = broken.length > 0 ? [] : survey(corpus, registry);
  const isApproving = toldRequests.some(({ outside }) => outside.length > 0);
  const hasFailure = scored.some((one) => one.isFailure);
  return {
    scored,
    withoutAdapter: Array.from(missing, ([agent, frames]) => ({ agent, frames })),
    tooOftenUnknown: unknownShares,
    broken,
    toldRequests,
    isPassed:
      scored.length > 0 && broken.length === 0 && unknownShares.length === 0 && !isApproving && !hasFailure,
  };
};
