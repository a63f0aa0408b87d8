// The verdict on one step: pure, so that its rules are tested without an agent.
import type { PaneView } from "../../../core/model/view.ts";
import { reasonBy, shownBy, type Sighting } from "../rig/liveFeed.ts";
import type { Shown, Verdict } from "../results/result.ts";

export interface Judged {
  verdict: Verdict;
  detail: string;
}

export interface Evidence {
  /** The states that are true from `since` on. */
  states: readonly Shown[];
  since: number;
  /** How long what was true before may stay. */
  limitMs: number;
  /** The row at the moment of the look. */
  row: PaneView | null;
  until: number;
  /** What the feed showed; it begins with what was in force at `since`. */
  history: readonly Sighting[];
}

/**
 * A row whose reference changed is removed and told again in one message. Its lines are read one after the other; between them
 * nothing was shown.
 */
const ONE_MESSAGE_MS = 20;

/** A state and for how long it was shown. */
interface Stretch {
  shown: Shown;
  reason: string | null;
  from: number;
  to: number;
}

const stretchesOf = ({ history, until }: Evidence): Stretch[] => {
  const stretches: Stretch[] = [];
  for (const { at, row } of history.filter((one) => one.at <= until)) {
    const last = stretches.at(-1);
    if (last?.shown === shownBy(row)) continue;
    if (last !== undefined) last.to = at;
    stretches.push({ shown: shownBy(row), reason: reasonBy(row), from: at, to: until });
  }
  return stretches;
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const nameOf = (shown: Shown, reason: string | null): string => `${shown}/${reason ?? "-"}`;

/**
 * Right: the look, and everything that the feed showed once agtmux may no longer be late, is true. A false state is worse than
 * `unknown`, and a new false state is worse than an old one that left late.
 */
export const judge = (evidence: Evidence): Judged => {
  const { states, since, limitMs, row } = evidence;
  const isTrue = (shown: Shown): boolean => states.includes(shown);
  const look = shownBy(row);
  if (!isTrue(look) && look !== "unknown")
    return { verdict: "wrong", detail: `${nameOf(look, reasonBy(row))} at the look` };
  const stretches = stretchesOf(evidence);
  const counting = stretches.filter(
    ({ shown, from, to }) => !isTrue(shown) && to > since + limitMs && to - from > ONE_MESSAGE_MS,
  );
  const describe = ({ shown, reason, from, to }: Stretch): string =>
    `${nameOf(shown, reason)} from ${seconds(Math.max(0, from - since))} to ${seconds(to - since)} after the fact`;
  const before = stretches[0];
  const wrong = counting.find((stretch) => stretch !== before && stretch.shown !== "unknown");
  if (wrong !== undefined) return { verdict: "wrong", detail: describe(wrong) };
  if (look === "unknown" && !isTrue(look))
    return { verdict: "unknown", detail: `${nameOf(look, reasonBy(row))} at the look` };
  const unknown = counting.find(({ shown }) => shown === "unknown");
  if (unknown !== undefined) return { verdict: "unknown", detail: describe(unknown) };
  const late = counting.find((stretch) => stretch === before);
  return late === undefined ? { verdict: "right", detail: "" } : { verdict: "late", detail: describe(late) };
};
