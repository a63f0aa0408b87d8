// The truth table: per agent, mode and size what was right, unknown and wrong, how late it was, and every case that was not right.
import { spreadOf, type Spread } from "../../../bench/statistics.ts";
import { partName, type Done, type Part, type Step, type Verdict } from "./result.ts";
import type { Merged } from "./store.ts";

export interface TableRow {
  agent: string;
  version: string;
  mode: string;
  size: string;
  /** Of the product that was driven last. */
  commit: string;
  counts: Record<Verdict, number>;
  appear: Spread | null;
  leave: Spread | null;
  /** Waits with what is asked, of all waits. */
  requests: { told: number; all: number };
}

const latencyOf = (values: readonly (number | null)[]): Spread | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : spreadOf(known);
};

const isWait = ({ truth }: Step): boolean => truth.some((state) => state.startsWith("waiting"));

const rowOf = (steps: readonly Step[], { agent, version, mode, size }: Part, commit: string): TableRow => {
  const count = (verdict: Verdict): number => steps.filter((step) => step.verdict === verdict).length;
  const waits = steps.filter(({ hasRequest }) => hasRequest !== null);
  return {
    agent,
    version,
    mode,
    size,
    commit,
    counts: {
      right: count("right"),
      late: count("late"),
      unknown: count("unknown"),
      wrong: count("wrong"),
      undriven: count("undriven"),
    },
    appear: latencyOf(steps.filter(isWait).map(({ appearMs }) => appearMs)),
    leave: latencyOf(steps.map(({ leaveMs }) => leaveMs)),
    requests: { told: waits.filter(({ hasRequest }) => hasRequest === true).length, all: waits.length },
  };
};

const byName = <T>(items: readonly T[], nameOf: (item: T) => string): T[][] =>
  [...Map.groupBy(items, nameOf).entries()]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([, group]) => group);

const withoutKind = (part: Part): string => partName({ ...part, kind: "states" });

/** The commit of the product that a part was driven with. */
export const commitOf = ({ parts }: Merged, part: Part): string =>
  parts.find((done) => partName(done.part) === partName(part))?.commit ?? "–";

/** A row per agent, version, mode and size of the kinds that look at states. */
export const stateRows = (merged: Merged): TableRow[] => {
  const states = merged.steps.filter(({ part }) => part.kind === "states" || part.kind === "hard");
  return byName(states, ({ part }) => withoutKind(part)).flatMap((group) =>
    group[0] === undefined ? [] : [rowOf(group, group[0].part, commitOf(merged, group[0].part))],
  );
};

/** Latencies of all agents together, by mode. */
export const latencyRows = ({
  steps,
}: Merged): { mode: string; appear: Spread | null; leave: Spread | null }[] =>
  byName(steps, ({ part }) => part.mode).map((group) => ({
    mode: group[0]?.part.mode ?? "",
    appear: latencyOf(group.filter(isWait).map(({ appearMs }) => appearMs)),
    leave: latencyOf(group.map(({ leaveMs }) => leaveMs)),
  }));

/** What was right with another version of the agent and is not with this one: of two versions, the later driven broke it. */
export const brokenBy = ({ steps, parts }: Merged): Step[] => {
  const key = ({ part, step }: Step): string => `${partName({ ...part, version: "" })} ${step}`;
  const drivenAt = new Map(parts.map(({ part, at }) => [partName(part), at]));
  const at = ({ part }: Step): string => drivenAt.get(partName(part)) ?? "";
  const byStep = Map.groupBy(steps, key);
  return steps.filter(
    (step) =>
      step.verdict !== "right" &&
      byStep
        .get(key(step))
        ?.some(
          (other) =>
            other.part.version !== step.part.version && other.verdict === "right" && at(other) <= at(step),
        ),
  );
};

export const problemsOf = ({ parts }: Merged): Done[] => parts.filter(({ problem }) => problem !== null);
