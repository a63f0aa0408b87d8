// The jobs of automation as a list: what is armed in the order in which it was armed, then what ended, the newest first. Pure.
import type { JobView } from "../../core/model/job.ts";
import type { PaneView } from "../../core/model/view.ts";
import { isArmed, jobPlace, jobTitle } from "../text/jobText.ts";
import { searchFor } from "./groups.ts";

export interface JobRow {
  readonly job: JobView;
  /** The row of its agent; null where it has ended, or is whichever fits. */
  readonly pane: PaneView | null;
}

export interface JobFilter {
  readonly text: string;
  /** Only those about this agent; null: all. */
  readonly runtimeId: string | null;
}

/** `items`: newest first, as the daemon gives them. */
export const arrangeJobs = (
  items: readonly JobView[],
  panes: Iterable<PaneView>,
  { text, runtimeId }: JobFilter,
): { armed: JobRow[]; ended: JobRow[] } => {
  const byRuntime = new Map([...panes].map((pane) => [pane.identity.runtime_id, pane]));
  const isFound = searchFor(text);
  const rows = items
    .filter((job) => runtimeId === null || job.runtime_id === runtimeId)
    .map((job) => ({ job, pane: job.runtime_id === null ? null : (byRuntime.get(job.runtime_id) ?? null) }))
    .filter(({ job, pane }) =>
      isFound(() =>
        [jobTitle(job), jobPlace(job, pane, { hasMachines: true }), job.job_id, job.state].join("\n"),
      ),
    );
  return {
    armed: rows.filter(({ job }) => isArmed(job)).toReversed(),
    ended: rows.filter(({ job }) => !isArmed(job)),
  };
};
