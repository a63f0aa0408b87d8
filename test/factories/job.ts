// Jobs of automation as the daemon shows them.
import type { JobView, SendJob, WatchJob } from "../../core/model/job.ts";
import { makePane } from "./view.ts";

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

const armed = { jobId: "job1", createdAt: 0, surface: "cli", state: "armed", runs: 0, maxRuns: 1 } as const;
const agent = { runtimeId: "rt1", identity: makePane().identity, agentName: "Codex" };

/** A text for the agent of the first pane, as the store has it; without end. */
export const makeSendJob = (options: Partial<SendJob> = {}): SendJob => ({
  ...armed,
  kind: "send",
  expiresAt: Number.MAX_SAFE_INTEGER,
  agent,
  sessionId: null,
  trigger: { kind: "ready" },
  text: "go on",
  isVolatile: false,
  isFirst: false,
  nextAt: null,
  ...options,
});

/** A watch on the same agent. */
export const makeWatchJob = (
  condition: WatchJob["condition"],
  options: Partial<WatchJob> = {},
): WatchJob => ({
  ...armed,
  kind: "watch",
  expiresAt: Number.MAX_SAFE_INTEGER,
  subject: agent,
  condition,
  channel: null,
  ...options,
});
