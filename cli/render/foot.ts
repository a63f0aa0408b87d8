// The last lines of every list: totals, and what is missing from the list.
import type { Counts } from "../../core/model/view.ts";
import { cleanLine } from "./clean.ts";
import { describeCounts } from "./mark.ts";
import type { Paint } from "./paint.ts";

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
