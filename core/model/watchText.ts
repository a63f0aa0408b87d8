// What a watch waits for, as people type it and as it is said to them. Only types are imported: a command loads no schemas for it.
import { readDuration } from "./duration.ts";
import type { WatchCondition } from "./job.ts";
import type { CanonicalState } from "./state.ts";
import { STATE_CLAUSES } from "./words.ts";

/** All forms, for whoever typed another one. */
export const CONDITION_FORMS = "quiet:<duration>, match:<pattern>, state:<state>, needs-action or gone";

const isState = (text: string): text is CanonicalState => Object.hasOwn(STATE_CLAUSES, text);

/** Null: it is none. A state may stand alone. */
export const readCondition = (text: string): WatchCondition | null => {
  const [, kind = "", value = ""] = /^([a-z-]+)(?:[:=](.*))?$/s.exec(text) ?? [];
  const forMs = kind === "quiet" ? readDuration(value) : null;
  if (forMs !== null) return { kind: "quiet", forMs };
  if (kind === "match" && value !== "") return { kind, pattern: value };
  if ((kind === "needs-action" || kind === "gone") && value === "") return { kind };
  const state = kind === "state" ? value : text;
  return isState(state) ? { kind: "state", state } : null;
};

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

/** As it would be typed. */
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
