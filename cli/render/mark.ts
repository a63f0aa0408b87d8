// States in a terminal: a sign and a word, so that colour is never the only carrier; counts; the last lines of every list.
import type { CanonicalState } from "../../core/model/state.ts";
import { stateCount, STATE_WORDS, isStateName } from "../../core/model/words.ts";
import type { Colour, Paint, Cell } from "./table.ts";
import type { Counts } from "../../core/model/view.ts";
import { cleanLine } from "./clean.ts";

interface Mark {
  readonly sign: string;
  readonly colour: Colour;
}

export const MARKS: Readonly<Record<CanonicalState, Mark>> = {
  error: { sign: "✗", colour: "red" },
  waiting_approval: { sign: "!", colour: "yellow" },
  waiting_input: { sign: "?", colour: "magenta" },
  running: { sign: "▸", colour: "cyan" },
  completed: { sign: "✓", colour: "green" },
  idle: { sign: "·", colour: "dim" },
  unknown: { sign: "~", colour: "dim" },
};

/** Sign and word; a dash where there is no agent. */
export const stateCell = (state: CanonicalState | null, paint: Paint): Cell => {
  if (state === null) return { text: "-", paint: (text) => paint("dim", text) };
  const { sign, colour } = MARKS[state];
  return { text: `${sign} ${STATE_WORDS[state]}`, paint: (text) => paint(colour, text) };
};

/**
 * The states that occur, most urgent first: "! 1 needs approval · ▸ 2 running", or "!1 ▸2" if the first form is wider than
 * `room` columns (null: no limit).
 */
export const describeCounts = (
  counts: Readonly<Record<CanonicalState, number>>,
  paint: Paint,
  room: number | null = null,
): string => {
  const parts: { long: string; short: string; colour: Colour }[] = [];
  for (const [state, { sign, colour }] of Object.entries(MARKS)) {
    const count = isStateName(state) ? counts[state] : 0;
    if (isStateName(state) && count > 0)
      parts.push({ long: `${sign} ${stateCount(state, count)}`, short: `${sign}${count}`, colour });
  }
  const isLong = room === null || parts.map(({ long }) => long).join(" · ").length <= room;
  return isLong
    ? parts.map(({ long, colour }) => paint(colour, long)).join(paint("dim", " · "))
    : parts.map(({ short, colour }) => paint(colour, short)).join(" ");
};

// The last lines: totals, and what is missing from the list.

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** "3 panes: ! 1 needs approval · ▸ 2 running", then one line per problem. */
export const renderFoot = (
  list: {
    readonly summary: Counts;
    readonly problems: readonly string[];
    readonly items: readonly unknown[];
  },
  noun: string,
  { paint, width }: { readonly paint: Paint; readonly width: number | null },
): string[] => {
  const total = plural(list.items.length, noun);
  const counts = describeCounts(
    list.summary.by_state,
    paint,
    width === null ? null : width - total.length - 2,
  );
  return [
    counts === "" ? total : `${total}: ${counts}`,
    ...list.problems.map((problem) => paint("yellow", `Missing: ${cleanLine(problem)}`)),
  ];
};

const renderCounts = (title: string, counts: Readonly<Record<string, number>>): string[] => {
  const parts = Object.entries(counts)
    .toSorted(([a, one], [b, other]) => other - one || a.localeCompare(b))
    .map(([name, count]) => `${count} ${cleanLine(name)}`);
  return parts.length === 0 ? [] : [`${title}: ${parts.join(", ")}`];
};

/** "By agent: 3 claude, 1 codex" and "By target: 4 host"; nothing where nothing is counted. */
export const renderTotals = ({ by_agent, by_target }: Counts): string[] => [
  ...renderCounts("By agent", by_agent),
  ...renderCounts("By target", by_target),
];

/** How many items have each key. */
export const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
};
