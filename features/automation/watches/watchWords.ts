// How watches are said to a person: conditions as they are typed, and what happened. Pure.
import type { WatchCondition } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { STATE_CLAUSES } from "../../../core/model/words.ts";

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

const durationWords = (ms: number): string => {
  const [size, unit] = UNITS.find(([one]) => ms >= one && ms % one === 0) ?? [1, "ms"];
  return `${ms / size}${unit}`;
};

export const conditionText = (condition: WatchCondition): string => {
  switch (condition.kind) {
    case "quiet":
      return `quiet:${durationWords(condition.forMs)}`;
    case "match":
      return `match:${condition.pattern}`;
    case "state":
      return `state:${condition.state}`;
    case "needs-action":
    case "gone":
      return condition.kind;
  }
};

/** What came true, without a word of the agent's. */
export const happenedText = (condition: WatchCondition): string => {
  switch (condition.kind) {
    case "quiet":
      return `has shown nothing new for ${durationWords(condition.forMs)}`;
    case "match":
      return `printed what matches '${condition.pattern}'`;
    case "state":
      return STATE_CLAUSES[condition.state];
    case "needs-action":
      return "needs you";
    case "gone":
      return "has ended";
  }
};

/** Why a job ended without what it waited for. */
export const endedText = (condition: WatchCondition): string => `ended before ${conditionText(condition)}`;

export const agentName = ({ agent, agent_name, short_ref }: PaneView): string =>
  agent_name ?? (agent === null ? `The pane ${short_ref}` : "An agent");
