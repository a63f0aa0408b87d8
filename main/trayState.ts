// The rows as the tray needs them: folds the change feed into the present state. It keeps no more than the state of each pane;
// the popover keeps its own, richer copy.
import { countStates } from "../core/model/needs.ts";
import { CANONICAL_STATES, needsAction, topState, type CanonicalState } from "../core/model/state.ts";
import { awakeText, newerReleaseText, stateCount } from "../core/model/words.ts";
import type { FeedEntry, PaneView, TargetView } from "../core/model/view.ts";

/** What the menu-bar icon can say, one shape each. */
export type Urgency = "none" | "running" | "waiting_input" | "waiting_approval" | "error";

interface TrayPicture {
  readonly urgency: Urgency;
  /** Panes that wait for a person. */
  readonly waiting: number;
  /** The same in words. */
  readonly tooltip: string;
}

interface Row {
  runtimeId: string | null;
  state: CanonicalState | null;
}

const toUrgency = (state: CanonicalState | null): Urgency => {
  switch (state) {
    case "error":
    case "waiting_approval":
    case "waiting_input":
    case "running":
      return state;
    case "completed":
    case "idle":
    case "unknown":
    case null:
      return "none";
  }
};

/** What the row of this machine says beside its agents. */
type HostNotes = Pick<TargetView, "awake" | "newer_release">;
const NO_NOTES: HostNotes = { awake: null, newer_release: null };

/** Pure: the most urgent state decides the shape, everything that needs action counts. `problem`: a line about the app itself. */
export const toPicture = (
  states: readonly CanonicalState[],
  { awake, newer_release: newer }: HostNotes = NO_NOTES,
  problem: string | null = null,
): TrayPicture => {
  const counts = countStates(states.map((state) => ({ state })));
  const top = topState(states);
  // Most urgent first.
  const words = CANONICAL_STATES.filter((state) => counts[state] > 0).map((state) =>
    stateCount(state, counts[state]),
  );
  return {
    urgency: toUrgency(top),
    waiting: states.filter(needsAction).length,
    tooltip: [
      words.length === 0 ? "agtmux: no agents" : `agtmux: ${words.join(", ")}`,
      ...(awake === null ? [] : [awakeText(awake)]),
      ...(newer === null ? [] : [newerReleaseText(newer)]),
      ...(problem === null ? [] : [problem]),
    ].join("\n"),
  };
};

export class TrayState {
  private readonly rows = new Map<string, Row>();
  private notes = NO_NOTES;
  /** What went wrong with the app itself; it stays until the app ends. */
  problem: string | null = null;

  get picture(): TrayPicture {
    const states = [...this.rows.values()].flatMap(({ state }) => (state === null ? [] : [state]));
    return toPicture(states, this.notes, this.problem);
  }

  /** The newest release that this machine's daemon knows of; null: none is newer, or nobody asks. */
  get newerRelease(): string | null {
    return this.notes.newer_release;
  }

  apply(entry: FeedEntry): void {
    switch (entry.kind) {
      case "snapshot":
        this.rows.clear();
        for (const pane of entry.panes) this.put(pane);
        for (const target of entry.targets) this.putTarget(target);
        return;
      case "state":
        this.put(entry.pane);
        return;
      case "removed":
        // The pane may already hold its next agent.
        if (this.rows.get(entry.pane_ref)?.runtimeId === entry.runtime_id) this.rows.delete(entry.pane_ref);
        return;
      case "target":
        this.putTarget(entry.target);
        return;
      case "gap":
        return;
    }
  }

  /** From now on nothing is known. */
  clear(): void {
    this.rows.clear();
    this.notes = NO_NOTES;
  }

  private putTarget(target: TargetView): void {
    if (target.kind === "local") this.notes = target;
  }

  private put(pane: PaneView): void {
    this.rows.set(pane.identity.pane_ref, { runtimeId: pane.identity.runtime_id, state: pane.state });
  }
}
