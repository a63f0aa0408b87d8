// Filters of lists (spec 7.5), guards of actions, columns, conditions of waits, and the order of lists. Filters and guards are only
// read here; the daemon applies them. A filter can be repeated, and unless it is free text, it can be a list with commas.
import { STATE_NAMES, isStateName } from "../../core/model/words.ts";
import type { ListFilters } from "../../core/api/calls.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CanonicalState } from "../../core/model/state.ts";
import type { ActionGuards } from "../../core/model/action.ts";
import { parseCount, parseDuration } from "./values.ts";
import type { PaneView, SessionView, WindowView } from "../../core/model/view.ts";

/** Options as commander hands them over. */
export interface FilterOptions {
  target?: readonly string[];
  allTargets?: boolean;
  targetSession?: readonly string[];
  session?: readonly string[];
  state?: readonly string[];
  agent?: readonly string[];
  needsAction?: boolean;
  all?: boolean;
  background?: boolean;
}

/** Fails with E_USAGE, which names the possible states. */
const parseState = (text: string, option: string): CanonicalState => {
  if (isStateName(text)) return text;
  throw new AgtmuxError("E_USAGE", `${option}: unknown state '${text}'`, {
    remedy: `States are ${STATE_NAMES.join(", ")}.`,
  });
};

/** The names of a list with commas. Fails with E_USAGE for an empty one. */
export const parseNames = (texts: readonly string[], option: string): string[] => {
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim());
  if (names.includes(""))
    throw new AgtmuxError("E_USAGE", `${option} '${texts.join(",")}' has an empty name in it`);
  return [...new Set(names)];
};

const nonEmpty = (texts: readonly string[], option: string): readonly string[] => {
  if (texts.includes("")) throw new AgtmuxError("E_USAGE", `${option} is empty`);
  return [...new Set(texts)];
};

/** Only the given filters, so that the document repeats just these. Fails with E_USAGE. */
export const parseFilters = (options: FilterOptions): ListFilters => {
  const { target, targetSession, session, state, agent } = options;
  if (target !== undefined && options.allTargets === true)
    throw new AgtmuxError("E_USAGE", "--target and --all-targets exclude each other");
  for (const text of targetSession ?? [])
    if (!/^[^/]+\/./.test(text))
      throw new AgtmuxError("E_USAGE", `--target-session '${text}' is not <target>/<session>`);
  return {
    ...(target === undefined ? {} : { target: parseNames(target, "--target") }),
    ...(targetSession === undefined ? {} : { targetSession: nonEmpty(targetSession, "--target-session") }),
    ...(session === undefined ? {} : { session: nonEmpty(session, "--session") }),
    ...(state === undefined
      ? {}
      : { state: parseNames(state, "--state").map((name) => parseState(name, "--state")) }),
    ...(agent === undefined ? {} : { agent: parseNames(agent, "--agent") }),
    ...(options.needsAction === true ? { needsAction: true } : {}),
    ...(options.all === true ? { all: true } : {}),
  };
};

// Guards of an action, and columns.

export interface GuardOptions {
  ifRuntime?: string;
  ifState?: string;
  ifVersion?: string;
  ifPrompt?: string;
  ifUpdatedWithin?: string;
  forceStale?: boolean;
}

/** Fails with E_USAGE. */
export const parseGuards = (options: GuardOptions): Partial<ActionGuards> => ({
  ...(options.ifRuntime === undefined ? {} : { ifRuntime: options.ifRuntime }),
  ...(options.ifState === undefined ? {} : { ifState: parseState(options.ifState, "--if-state") }),
  ...(options.ifVersion === undefined
    ? {}
    : { ifVersion: parseCount(options.ifVersion, "--if-version", { min: 0, max: 999_999_999 }) }),
  ...(options.ifPrompt === undefined ? {} : { ifPrompt: options.ifPrompt }),
  ...(options.ifUpdatedWithin === undefined
    ? {}
    : { ifUpdatedWithinMs: parseDuration(options.ifUpdatedWithin, "--if-updated-within") }),
  ...(options.forceStale === true ? { forceStale: true } : {}),
});

/** The columns of a table, in the order in which they were named. Fails with E_USAGE, which names the fields of the scope. */
export const parseColumns = <F>(texts: readonly string[], fields: Readonly<Record<string, F>>): F[] =>
  parseNames(texts, "--columns").map((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined) return field;
    throw new AgtmuxError("E_USAGE", `--columns: unknown value '${name}' here`, {
      remedy: `Columns are ${Object.keys(fields).join(", ")}.`,
    });
  });

// Conditions of `agtmux wait --until`, and whether a row satisfies one of them.

export type Condition = "needs-action" | "gone" | CanonicalState;

export const CONDITION_NAMES: readonly string[] = ["needs-action", "gone", ...STATE_NAMES];

const parseCondition = (text: string): Condition => {
  const word = text.replace(/^state=/, "");
  if (isStateName(word)) return word;
  if (text === "needs-action" || text === "gone") return text;
  throw new AgtmuxError("E_USAGE", `--until: unknown value '${text}'`, {
    remedy: `Conditions are ${CONDITION_NAMES.join(", ")}; several with commas.`,
  });
};

/** Fails with E_USAGE, which names the possible conditions. */
export const parseConditions = (texts: readonly string[]): Condition[] => [
  ...new Set(parseNames(texts, "--until").map(parseCondition)),
];

/** The runtime of this row has ended, and the row stays because it crashed. */
export const isEnded = (row: PaneView): boolean => row.state === "error" && row.reason_code === "crashed";

/** The first condition that holds for a row; null when none does, or when its state is not newer than `after`. */
export const holds = (
  row: PaneView,
  conditions: readonly Condition[],
  after: number | null,
): Condition | null => {
  if (after !== null && row.state_version <= after) return null;
  const found = conditions.find((condition) => {
    if (condition === "needs-action") return row.needs_action;
    return condition === "gone" ? isEnded(row) : row.state === condition;
  });
  return found ?? null;
};

// Order: by the keys that a person names; `-` before a key reverses it. Rows that are equal by the keys stay in the list's own
// order, by place.

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
      throw new AgtmuxError("E_USAGE", `--sort: unknown value '${word}' here`, {
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
