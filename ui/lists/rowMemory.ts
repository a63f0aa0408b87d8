// Arranges the feed's panes into rows again and again, and gives the same objects for what did not change since the last
// time: of a thousand rows one batch changes a few, and only those are drawn anew.
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { arrange, type Arranged, type Filter, type Overview } from "./groups.ts";
import { keepRows, listRows, type Row, type RowSource } from "./rows.ts";

/** Answers depend on what is asked alone; what it remembers decides only which equal objects they are made of. */
export class RowMemory {
  private arranged: Arranged | null = null;
  private rows: readonly Row[] = [];

  arrange(
    panes: ReadonlyMap<string, PaneView>,
    targets: ReadonlyMap<string, TargetView>,
    filter: Filter,
  ): Overview {
    const overview = arrange(panes.values(), targets, filter, this.arranged);
    this.arranged = { targets, overview };
    return overview;
  }

  list(source: RowSource): readonly Row[] {
    this.rows = keepRows(listRows(source), this.rows);
    return this.rows;
  }
}
