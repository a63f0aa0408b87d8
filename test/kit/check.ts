// `check`: holds an adapter against its own recordings and all their variations, and against every recording of every other agent, on
// which it may see no wait that is none and whose process it may not claim. Pure over the corpus.
import type { AdapterRegistry } from "../../adapters/index.ts";
import { screenOf } from "../../adapters/testkit/recordings.ts";
import { type Corpus, type Frame, isWaitingState, NO_AGENT } from "../../bench/detect/corpus.ts";
import { evaluate } from "../../bench/detect/evaluate.ts";
import type { Outcome, Scored } from "../../bench/detect/score.ts";
import { VARIATION_KINDS, variationsOf } from "../../bench/detect/variations.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { isWaiting } from "../../core/model/state.ts";

/** What was held against what, and how it came out. */
export interface Row {
  what: string;
  cases: number;
  right: number;
  unknown: number;
  wrong: number;
}

export interface Checked {
  rows: Row[];
  /** A line each: what fails, and how. */
  failures: string[];
}

const RIGHT: ReadonlySet<Outcome> = new Set(["right", "also", "no_wait", "no_room", "left_wait"]);

const rowOf = (what: string, scored: readonly Scored[]): Row => {
  const right = scored.filter(({ outcome }) => RIGHT.has(outcome)).length;
  const wrong = scored.filter(({ isFailure }) => isFailure).length;
  return { what, cases: scored.length, right, unknown: scored.length - right - wrong, wrong };
};

const describe = ({ frame, variation, mode, outcome, got, label }: Scored): string =>
  `${frame}${variation === null ? "" : ` (${variation})`}, ${mode}: ${got} instead of ${label.state} (${outcome})`;

/** A wait that the other agent's frame is none of. */
const falseWaitOn = (adapter: AgentAdapter, { recording, label }: Frame): string | null => {
  const reading = adapter.readScreen(screenOf(recording));
  if (reading === null || !isWaiting(reading.status.state)) return null;
  const isTrue = [label.state, ...(label.also ?? [])].some(isWaitingState);
  return isTrue ? null : `${reading.status.state}: ${reading.matched}`;
};

const claimOn = (adapter: AgentAdapter, { recording }: Frame): string | null =>
  adapter.identify(recording.processes)?.sign ?? null;

const checkOthers = (adapter: AgentAdapter, frames: readonly Frame[]): Checked => {
  const waits = frames.flatMap((frame) => {
    const said = falseWaitOn(adapter, frame);
    return said === null ? [] : [`${frame.agent}/${frame.name}: a false wait, ${said}`];
  });
  const claims = frames.flatMap((frame) => {
    const said = frame.label.state === NO_AGENT ? null : claimOn(adapter, frame);
    return said === null ? [] : [`${frame.agent}/${frame.name}: its process is claimed, ${said}`];
  });
  const row = (what: string, failed: readonly string[]): Row => ({
    what,
    cases: frames.length,
    right: frames.length - failed.length,
    unknown: 0,
    wrong: failed.length,
  });
  return {
    rows: [row("screens of other agents", waits), row("processes of other agents", claims)],
    failures: [...waits, ...claims],
  };
};

/** `vary`: absent in quick tests only. @throws Error where the agent has no adapter or no recordings. */
export const check = (
  corpus: Corpus,
  registry: AdapterRegistry,
  agent: string,
  vary: typeof variationsOf = variationsOf,
): Checked => {
  const adapter = registry.byAgentType(agent);
  if (adapter === null) throw new Error(`${agent} has no adapter (adapters/index.ts)`);
  const frames = corpus.frames.filter((frame) => frame.agent === agent);
  if (frames.length === 0)
    throw new Error(`${agent} has no recordings: 'npm run adapter -- record ${agent}'`);
  const evaluation = evaluate({ frames, problems: [] }, registry, () => [], vary);
  const { scored } = evaluation;
  const recorded = scored.filter(({ kind }) => kind === null);
  const others = checkOthers(
    adapter,
    corpus.frames.filter((frame) => frame.agent !== agent),
  );
  const problems = corpus.problems.filter(({ file }) => file.startsWith(`${agent}/`));
  return {
    rows: [
      ...(["screen", "events", "both"] as const).map((mode) =>
        rowOf(
          `as recorded, ${mode}`,
          recorded.filter((one) => one.mode === mode && (mode !== "events" || one.hasEvents)),
        ),
      ),
      ...VARIATION_KINDS.map((kind) =>
        rowOf(
          `varied: ${kind}`,
          scored.filter((one) => one.kind === kind),
        ),
      ),
      ...others.rows,
    ].filter(({ cases }) => cases > 0),
    failures: [
      ...problems.map(({ file, problem }) => `${file}: ${problem}`),
      ...evaluation.broken.map(({ frame, problem }) => `${frame}: the adapter threw: ${problem}`),
      ...scored.filter(({ isFailure }) => isFailure).map(describe),
      ...recorded
        .filter(({ mode, outcome }) => mode === "screen" && outcome === "unknown")
        .map(({ frame, label }) => `${frame}: unknown by the screen alone, it is ${label.state}`),
      ...others.failures,
    ],
  };
};

const COLUMNS = ["cases", "right", "unknown", "wrong"] as const;

export const toTable = (rows: readonly Row[]): string => {
  const cells = [
    ["", ...COLUMNS],
    ...rows.map((row) => [row.what, ...COLUMNS.map((column) => String(row[column]))]),
  ];
  const widths = cells[0]?.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0))) ?? [];
  return cells
    .map((row) =>
      row
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join("  "),
    )
    .join("\n");
};
