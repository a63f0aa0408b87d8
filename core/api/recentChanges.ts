// Which rows changed since a version, for clients that were away and want what is now rather than what was. It remembers the
// version and the place of each row, not its content; beyond its memory everything counts as changed.
import type { FeedChange } from "../model/feedChange.ts";
import type { PaneView } from "../model/view.ts";

/** Rows that are gone are remembered too: this many in all. */
const MAX_ROWS = 10_000;

/** `identity`: the row's identity at that change. */
export interface RecentChange {
  readonly version: number;
  readonly identity: PaneView["identity"];
}

export class RecentChanges {
  /** Rows by reference. */
  private readonly changes = new Map<string, RecentChange>();
  /** Changes up to and including this version are not known individually. */
  private floor: number;

  /** `version`: the version at which it begins to be told of changes. */
  constructor(version: number) {
    this.floor = version;
  }

  note(changes: readonly FeedChange[]): void {
    for (const change of changes) this.noteOne(change);
  }

  /**
   * The rows that may have changed after a client saw `version`, in the order of their last change; null when that is not
   * known. A row of that very version is included, because a change without a transition keeps the version before it.
   */
  since(version: number): readonly RecentChange[] | null {
    if (version <= this.floor) return null;
    return [...this.changes.values()].filter((change) => change.version >= version);
  }

  private noteOne(change: FeedChange): void {
    switch (change.kind) {
      case "pane":
        this.put(change.pane.identity, change.version);
        return;
      case "removed":
        this.put(change.identity, change.version);
        return;
      case "target":
        // A client that comes back gets all targets anyway.
        return;
      case "target_removed":
      case "reset":
        this.forget(change.version);
        return;
    }
  }

  private put(identity: PaneView["identity"], version: number): void {
    const ref = identity.pane_ref;
    if (this.changes.size >= MAX_ROWS && !this.changes.has(ref)) this.forget(version);
    // Moved to the end, so that the order is that of the changes.
    this.changes.delete(ref);
    this.changes.set(ref, { version, identity });
  }

  private forget(version: number): void {
    this.floor = version;
    this.changes.clear();
  }
}
