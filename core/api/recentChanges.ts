// Which rows changed since a version, for clients that were away and want what is now rather than what was. It remembers
// one version a row and no content; beyond what it can remember, everything counts as changed.
import type { FeedChange } from "./feedHub.ts";

/** References of rows that are gone are remembered too: this many in all. */
const MAX_ROWS = 10_000;

export class RecentChanges {
  private readonly versions = new Map<string, number>();
  /** Changes up to here, itself included, are not known one by one. */
  private floor: number;

  /** `version`: of the moment at which it begins to be told. */
  constructor(version: number) {
    this.floor = version;
  }

  note(changes: readonly FeedChange[]): void {
    for (const change of changes) this.noteOne(change);
  }

  /**
   * References of the rows that may have changed after a client saw `version`, in the order of their last change; null when
   * that is not known. A row of that very version is among them: changes that are no transition bear the version before.
   */
  since(version: number): ReadonlyMap<string, number> | null {
    if (version <= this.floor) return null;
    return new Map([...this.versions].filter(([, changedAt]) => changedAt >= version));
  }

  private noteOne(change: FeedChange): void {
    switch (change.kind) {
      case "pane":
        this.put(change.pane.identity.pane_ref, change.version);
        return;
      case "removed":
        this.put(change.paneRef, change.version);
        return;
      case "target":
        // All targets are told to whoever comes back.
        return;
      case "target_removed":
      case "reset":
        this.forget(change.version);
        return;
    }
  }

  private put(ref: string, version: number): void {
    if (this.versions.size >= MAX_ROWS && !this.versions.has(ref)) this.forget(version);
    // Put at the end, so that the order is that of the changes.
    this.versions.delete(ref);
    this.versions.set(ref, version);
  }

  private forget(version: number): void {
    this.floor = version;
    this.versions.clear();
  }
}
