// The truth table as Markdown: for the terminal, and as the part of docs/measurements.md between two marks.
import { type Spread, spreadOf } from "../../../bench/statistics.ts";
import {
  type Done,
  habitatKindOf,
  type Part,
  type PartKind,
  partName,
  type Step,
  type Verdict,
} from "./result.ts";
import type { Merged } from "./store.ts";

// The truth table: per agent, mode and size what was right, unknown and wrong, how late it was, and every case that was not right.

const latencyOf = (values: readonly (number | null)[]): Spread | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : spreadOf(known);
};

const isWait = ({ truth }: Step): boolean => truth.some((state) => state.startsWith("waiting"));

const rowOf = (steps: readonly Step[], { agent, version, mode, size }: Part, commit: string) => {
  const count = (verdict: Verdict): number => steps.filter((step) => step.verdict === verdict).length;
  const waits = steps.filter(({ hasRequest }) => hasRequest !== null);
  return {
    agent,
    version,
    mode,
    size,
    /** Of the product that was driven last. */
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
    /** Waits with what is asked, of all waits. */
    requests: { told: waits.filter(({ hasRequest }) => hasRequest === true).length, all: waits.length },
  };
};

type TableRow = ReturnType<typeof rowOf>;

const byName = <T>(items: readonly T[], nameOf: (item: T) => string): T[][] =>
  [...Map.groupBy(items, nameOf).entries()]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([, group]) => group);

const withoutKind = (part: Part): string => partName({ ...part, kind: "states" });

/** The commit of the product that a part was driven with. */
const commitOf = ({ parts }: Merged, part: Part): string =>
  parts.find((done) => partName(done.part) === partName(part))?.commit ?? "–";

/** A row per agent, version, mode and size of the kinds that look at states. */
export const stateRows = (merged: Merged): TableRow[] => {
  const states = merged.steps.filter(({ part }) => part.kind === "states" || part.kind === "hard");
  return byName(states, ({ part }) => withoutKind(part)).flatMap((group) =>
    group[0] === undefined ? [] : [rowOf(group, group[0].part, commitOf(merged, group[0].part))],
  );
};

/** Latencies of all agents together, by mode. */
const latencyRows = ({ steps }: Merged): { mode: string; appear: Spread | null; leave: Spread | null }[] =>
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

const problemsOf = ({ parts }: Merged): Done[] => parts.filter(({ problem }) => problem !== null);

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : [line(head), line(head.map(() => "---")), ...rows.map(line), ""];

const latency = (spread: Spread | null): string =>
  spread === null ? "–" : `${Math.round(spread.median)} / ${Math.round(spread.p95)} ms (${spread.count})`;
const requests = ({ told, all }: TableRow["requests"]): string => (all === 0 ? "–" : `${told} of ${all}`);
const CELL_CHARS = 160;
/** What an agent wrote must not end a cell. */
const cell = (text: string): string =>
  text.slice(0, CELL_CHARS).replaceAll("|", "\\|").replaceAll("`", "'").replaceAll(/\s+/g, " ");

const stateLines = (merged: Merged): string[] =>
  table(
    [
      "agent",
      "mode",
      "size",
      "right",
      "late",
      "unknown",
      "wrong",
      "not driven",
      "wait → feed",
      "left → feed",
      "asked told",
      "commit",
    ],
    stateRows(merged).map(({ agent, version, mode, size, counts, appear, leave, requests: told, commit }) => [
      `${agent} ${version}`,
      mode,
      size,
      String(counts.right),
      String(counts.late),
      String(counts.unknown),
      counts.wrong === 0 ? "0" : `**${counts.wrong}**`,
      String(counts.undriven),
      latency(appear),
      latency(leave),
      requests(told),
      commit,
    ]),
  );

const latencyLines = (merged: Merged): string[] =>
  table(
    ["mode", "wait appears → feed, median / p95", "leaves → feed, median / p95"],
    latencyRows(merged).map(({ mode, appear, leave }) => [mode, latency(appear), latency(leave)]),
  );

const DONE_KINDS: readonly PartKind[] = [
  "actions",
  "turns",
  "queue",
  "rules",
  "documents",
  "sessions",
  "handoff",
  "stall",
  "background",
  "accounts",
];

/** What was done rather than looked at: a row per part, and what of it did not go right. */
const doneLines = (merged: Merged): string[] => {
  const own = merged.steps.filter(({ part }) => DONE_KINDS.includes(part.kind));
  const groups = [...Map.groupBy(own, ({ part }) => partName(part)).values()];
  return table(
    ["agent", "mode", "size", "what", "right", "of", "not right", "commit"],
    groups.map((group) => {
      const [first] = group;
      const bad = group.filter(({ verdict }) => verdict !== "right");
      return [
        `${first?.part.agent} ${first?.part.version}`,
        first?.part.mode ?? "",
        first?.part.size ?? "",
        first?.part.kind ?? "",
        String(group.length - bad.length),
        String(group.length),
        bad.map(({ step, verdict }) => (verdict === "wrong" ? step : `${step} (${verdict})`)).join(", "),
        first === undefined ? "–" : commitOf(merged, first.part),
      ];
    }),
  );
};

const CASE_HEAD = ["part", "step", "verdict", "driven", "shown", "why"];
const caseRow = ({ part, step, truth, shown, reason, verdict, detail }: Step): string[] => [
  partName(part),
  step,
  verdict,
  truth.join(" or "),
  `${shown ?? "–"}${reason === null ? "" : `/${reason}`}`,
  cell(detail),
];

/** Every step that is not right, and every part that broke off. */
const caseLines = (merged: Merged): string[] => {
  const cases = merged.steps.filter(({ verdict }) => verdict !== "right");
  const problems = problemsOf(merged).map(({ part, problem }) => [
    partName(part),
    "–",
    "broke off",
    "",
    "",
    cell((problem ?? "").split("\n")[0] ?? ""),
  ]);
  const rows = [...cases.map(caseRow), ...problems];
  return table(CASE_HEAD, rows);
};

const brokenLines = (merged: Merged): string[] => {
  const broken = brokenBy(merged);
  if (broken.length === 0) return [];
  return [
    "Right with another version before, and not any more:",
    "",
    ...table(CASE_HEAD, broken.map(caseRow)),
  ];
};

/** A row per habitat, a column per agent and mode: how many steps were right, and which were not. */
const habitatLines = (merged: Merged): string[] => {
  const own = merged.steps.filter(({ part }) => habitatKindOf(part.kind) !== null);
  if (own.length === 0) return [];
  const columnOf = ({ part }: Step): string => `${part.agent} ${part.version} ${part.mode}`;
  const columns = [...new Set(own.map(columnOf))].toSorted();
  const cellOf = (steps: readonly Step[]): string => {
    const bad = steps.filter(({ verdict }) => verdict !== "right");
    const count = `${steps.length - bad.length} of ${steps.length}`;
    return steps.length === 0
      ? "–"
      : [count, ...bad.map(({ step, verdict }) => `${step} ${verdict}`)].join(", ");
  };
  const rows = [...Map.groupBy(own, ({ part }) => part.habitat ?? "").entries()].map(([name, steps]) => [
    name,
    ...columns.map((column) => cellOf(steps.filter((step) => columnOf(step) === column))),
  ]);
  return table(["run as", ...columns], rows);
};

/** A step that an agent is not driven for. */
export interface Lack {
  agent: string;
  step: string;
  why: string;
}

const lackLines = ({ parts }: Merged, lacks: readonly Lack[]): string[] => {
  const driven = new Set<string>(parts.map(({ part }) => part.agent));
  const own = lacks.filter(({ agent }) => driven.has(agent));
  if (own.length === 0) return [];
  const groups = [...Map.groupBy(own, ({ step, why }) => `${step}|${why}`).values()];
  const rows = groups.map((group) => [
    group[0]?.step ?? "",
    group[0]?.why ?? "",
    group.map(({ agent }) => agent).join(", "),
  ]);
  return [
    "What an agent does not have, or is not driven for:",
    "",
    ...table(["step", "why not", "agents"], rows),
  ];
};

const daysOf = ({ parts }: Merged): string => {
  const days = parts.map(({ at }) => at.slice(0, 10)).toSorted();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined) return "";
  return first === last ? ` on ${first}` : ` from ${first} to ${last}`;
};

export const toMarkdown = (merged: Merged, lacks: readonly Lack[] = []): string => {
  const count = (verdict: Step["verdict"]): number =>
    merged.steps.filter((step) => step.verdict === verdict).length;
  return [
    `${count("right")} right, ${count("late")} late, ${count("unknown")} unknown, ${count("wrong")} wrong, ${count("undriven")} not driven, of ${merged.steps.length} steps in ${merged.parts.length} parts${daysOf(merged)}.`,
    "",
    ...stateLines(merged),
    ...latencyLines(merged),
    ...doneLines(merged),
    ...habitatLines(merged),
    ...lackLines(merged, lacks),
    ...brokenLines(merged),
    ...caseLines(merged),
  ]
    .join("\n")
    .trimEnd();
};
