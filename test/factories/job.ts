// Jobs of automation as the daemon shows them.
import type { JobView } from "../../core/model/job.ts";

/** A text that waits for its agent, unless the options say otherwise. */
export const makeJob = (options: Partial<JobView> = {}): JobView => ({
  job_id: "job_1",
  kind: "send",
  state: "armed",
  when: "ready",
  about: "pane:host/default/@4/%4",
  runtime_id: null,
  channel: null,
  repeated: false,
  runs: 0,
  next_at: null,
  text: "now the docs",
  waits_for: null,
  created_at: "2026-11-21T08:00:00.000Z",
  expires_at: "2026-11-22T08:00:00.000Z",
  surface: "popover",
  ...options,
});
