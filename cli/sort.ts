// The order of a list: keys that a person names; `-` before a key reverses it. Rows that are equal by the keys stay in the
// list's own order, by place.
import { AgtmuxError } from "../core/model/errors.ts";
import type { CanonicalState } from "../core/model/state.ts";
import type { PaneView, SessionView, WindowView } from "../core/model/view.ts";
import { parseNames } from "./parse/filters.ts";
import { STATE_NAMES } from "./render/mark.ts";

type Rank = number | string;
/** The value by which an item is ordered; lower comes first. */
export type SortKeys<T> = Readonly<Record<string, (item: T) => Rank>>;

const LAST = Number.MAX_SAFE_INTEGER;

/** The most urgent state first, items without a state last. */
const urgency = (state: CanonicalState | null): number =>
  state === null ? LAST : STATE_NAMES.indexOf(state);

/** `needs`: panes that wait for a person first, by urgency. `age`: the youngest first. */
export const PANE_SORT = {
  needs: ({ state, needs_action }) => urgency(state) + (needs_action ? 0 : STATE_NAMES.length),
  state: ({ state }) => urgency(state),
  age: ({ since }) => (since === null ? LAST : -Date.parse(since)),
  agent: ({ agent }) => agent ?? "",
  target: ({ identity }) => identity.target,
  session: ({ identity }) => identity.session_name,
  name: ({ window_name }) => window_name,
} as const satisfies SortKeys<PaneView>;

const needsOf = ({ waiting_count, by_state }: WindowView | SessionView): number =>
  -(waiting_count + (by_state["error"] ?? 0));
const topOf = ({ top_state }: WindowView | SessionView): number => urgency(top_state);

/** `needs`: the most panes that wait for a person first. `agents`: the most agents first. */
export const WINDOW_SORT = {
  needs: needsOf,
  state: topOf,
  agents: ({ agent_count }) => -agent_count,
  target: ({ identity }) => identity.target,
  session: ({ identity }) => identity.session_name,
  name: ({ window_name }) => window_name,
} as const satisfies SortKeys<WindowView>;

export const SESSION_SORT = {
  needs: needsOf,
  state: topOf,
  agents: ({ agent_count }) => -agent_count,
  target: ({ identity }) => identity.target ?? "",
  name: ({ identity }) => identity.session_name,
} as const satisfies SortKeys<SessionView>;

const compareRanks = (a: Rank, b: Rank): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

/** How two items compare by the keys in `texts`. Fails with E_USAGE, which names the possible keys. */
export const parseSort = <T>(texts: readonly string[], keys: SortKeys<T>): ((a: T, b: T) => number) => {
  const steps = parseNames(texts, "--sort").map((name) => {
    const isReversed = name.startsWith("-");
    const word = isReversed ? name.slice(1) : name;
    const rankOf = Object.hasOwn(keys, word) ? keys[word] : undefined;
    if (rankOf === undefined)
      throw new AgtmuxError("E_USAGE", `--sort does not know '${word}' here`, {
        remedy: `Keys are ${Object.keys(keys).join(", ")}; '-' before a key reverses it.`,
      });
    return { rankOf, sign: isReversed ? -1 : 1 };
  });
  return (a, b) => {
    for (const { rankOf, sign } of steps) {
      const order = sign * compareRanks(rankOf(a), rankOf(b));
      if (order !== 0) return order;
    }
    return 0;
  };
};
