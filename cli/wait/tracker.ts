// Decides from feed entries and full lists whether a wait's condition holds. It does no I/O: where an entry is not enough (a
// removed row may only have moved with its session's name), it asks the caller for a full list.
import type { FeedEntry, PaneView } from "../../core/model/view.ts";
import { holds, isEnded, type Condition } from "./condition.ts";

export type WaitVerdict =
  | { readonly kind: "pending" }
  /** The caller has to get the full list and call `look` with it. */
  | { readonly kind: "check" }
  | { readonly kind: "held"; readonly condition: Condition; readonly rows: readonly PaneView[] }
  /** The condition can no longer come true; the row as it was last seen. */
  | { readonly kind: "ended"; readonly row: PaneView };

export interface Tracker {
  take(entry: FeedEntry): WaitVerdict;
  /** `rows`: all rows that exist now. */
  look(rows: readonly PaneView[]): WaitVerdict;
}

export interface Wanted {
  readonly conditions: readonly Condition[];
  /** Only states with a higher version count. */
  readonly after: number | null;
}

const PENDING: WaitVerdict = { kind: "pending" };
const CHECK: WaitVerdict = { kind: "check" };

const placeOf = ({ identity }: PaneView): string =>
  JSON.stringify([identity.target, identity.tmux_server, identity.pane_id]);

/**
 * Waits for one runtime; for a pane without an agent, for the next one in it. `row`: the row that the reference matches now.
 */
export const trackOne = (row: PaneView, { conditions, after }: Wanted): Tracker => {
  const place = placeOf(row);
  let last = row;
  const isMine = (other: PaneView): boolean =>
    last.identity.runtime_id === null
      ? placeOf(other) === place
      : other.identity.runtime_id === last.identity.runtime_id;
  const evaluate = (now: PaneView): WaitVerdict => {
    last = now;
    const condition = holds(now, conditions, after);
    if (condition !== null) return { kind: "held", condition, rows: [now] };
    return isEnded(now) ? { kind: "ended", row: now } : PENDING;
  };
  return {
    take: (entry) => {
      if (entry.kind === "snapshot") return CHECK;
      if (entry.kind === "removed")
        return entry.pane_ref === last.identity.pane_ref || entry.runtime_id === last.identity.runtime_id
          ? CHECK
          : PENDING;
      if (entry.kind !== "state") return PENDING;
      if (isMine(entry.pane)) return evaluate(entry.pane);
      return placeOf(entry.pane) === place ? CHECK : PENDING;
    },
    look: (rows) => {
      const now = rows.find(isMine);
      if (now !== undefined) return evaluate(now);
      return conditions.includes("gone")
        ? { kind: "held", condition: "gone", rows: [last] }
        : { kind: "ended", row: last };
    },
  };
};

const byVersion = (a: PaneView, b: PaneView): number => a.state_version - b.state_version;

/** Waits for any or every row that passes `isWanted`. The oldest matching state comes first. */
export const trackMany = (
  isWanted: (row: PaneView) => boolean,
  mode: "any" | "every",
  { conditions, after }: Wanted,
): Tracker => {
  /** By runtime, since a row's reference changes with its session's name. */
  let known = new Map<string, PaneView>();
  const idOf = ({ identity }: PaneView): string => identity.runtime_id ?? identity.pane_ref;
  const oneOf = (row: PaneView): WaitVerdict => {
    const condition = holds(row, conditions, after);
    return condition === null ? PENDING : { kind: "held", condition, rows: [row] };
  };

  const anyOf = (rows: readonly PaneView[], gone: readonly PaneView[]): WaitVerdict => {
    for (const row of rows.toSorted(byVersion)) {
      const verdict = oneOf(row);
      if (verdict.kind === "held") return verdict;
    }
    const [first] = gone;
    return first === undefined ? PENDING : { kind: "held", condition: "gone", rows: [first] };
  };
  const everyOf = (rows: readonly PaneView[], gone: readonly PaneView[]): WaitVerdict => {
    const held = rows.map((row) => holds(row, conditions, after));
    const isDone = held.every((condition) => condition !== null) && rows.length + gone.length > 0;
    const condition = held[0] ?? "gone";
    return isDone ? { kind: "held", condition, rows: [...rows, ...gone] } : PENDING;
  };

  return {
    take: (entry) => {
      if (entry.kind === "snapshot" || entry.kind === "removed") return CHECK;
      if (entry.kind !== "state") return PENDING;
      if (mode === "every") return CHECK;
      if (!isWanted(entry.pane)) return known.has(idOf(entry.pane)) ? CHECK : PENDING;
      known.set(idOf(entry.pane), entry.pane);
      return oneOf(entry.pane);
    },
    look: (all) => {
      const rows = all.filter(isWanted);
      const now = new Map(rows.map((row) => [idOf(row), row]));
      const gone = conditions.includes("gone")
        ? [...known.values()].filter((row) => !now.has(idOf(row)))
        : [];
      // A wait for all to go keeps the rows that are gone.
      known = mode === "every" ? new Map([...gone.map((row) => [idOf(row), row] as const), ...now]) : now;
      return mode === "any" ? anyOf(rows, gone) : everyOf(rows, gone);
    },
  };
};
