// What states, reasons and ages are called in front of people: one vocabulary for every surface. Only types are imported,
// so that a command which prints a table does not load a schema library.
import type { ActivityEvidence, RunningTool } from "./activity.ts";
import type { CanonicalState, ReasonCode } from "./state.ts";

export const STATE_WORDS: Readonly<Record<CanonicalState, string>> = {
  error: "error",
  waiting_approval: "needs approval",
  waiting_input: "needs answer",
  running: "running",
  completed: "done",
  idle: "idle",
  unknown: "unknown",
};

/** After the name of who is in it: `Claude Code needs approval`. */
export const STATE_CLAUSES: Readonly<Record<CanonicalState, string>> = {
  error: "has an error",
  waiting_approval: "needs approval",
  waiting_input: "needs an answer",
  running: "is running",
  completed: "is done",
  idle: "is idle",
  unknown: "is in an unknown state",
};

const COUNTED: Readonly<Record<CanonicalState, readonly [one: string, many: string]>> = {
  error: ["error", "errors"],
  waiting_approval: ["needs approval", "need approval"],
  waiting_input: ["needs answer", "need answer"],
  running: ["running", "running"],
  completed: ["done", "done"],
  idle: ["idle", "idle"],
  unknown: ["unknown", "unknown"],
};

/** `2 errors`, `1 needs approval`, `3 running`: how many are in a state, in words. */
export const stateCount = (state: CanonicalState, count: number): string => {
  const [one, many] = COUNTED[state];
  return `${count} ${count === 1 ? one : many}`;
};

/** A reason as the end of "it is …": short, and without the state's own word where that would add nothing. */
export const REASON_WORDS: Readonly<Record<ReasonCode, string>> = {
  api_error: "API error",
  rate_limited: "rate limited",
  usage_limit: "usage limit reached",
  auth_failed: "sign-in failed",
  crashed: "crashed",
  permission_tool: "asks to use a tool",
  permission_edit: "asks to edit",
  plan: "plan to approve",
  trust: "asks for trust",
  question: "question",
  onboarding: "first-run setup",
  auth_needed: "sign-in needed",
  thinking: "thinking",
  tool: "using a tool",
  subagent: "sub-agent at work",
  background_task: "background task",
  retrying: "retrying",
  compacting: "compacting",
  turn_ended: "turn ended",
  fresh: "at its prompt",
  demoted: "at its prompt",
  interrupted: "interrupted",
  no_signal: "no signal yet",
  stale_signal: "signal too old",
  unsupported_signal: "not readable",
  conflicting_signals: "signals disagree",
  unbound: "not matched to a pane",
  in_menu: "a view is open",
  suspended: "suspended",
  target_unreachable: "target unreachable",
};

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

/** A duration in milliseconds by its largest whole unit: `3m`, `2h`, `<1s` below one second and for anything negative. */
export const formatAge = (durationMs: number): string => {
  for (const [unitMs, name] of UNITS)
    if (durationMs >= unitMs) return `${Math.floor(durationMs / unitMs)}${name}`;
  return "<1s";
};

/** A tool and what it works on, as one text. */
export const toolText = ({ name, subject }: RunningTool): string =>
  subject === null ? name : `${name} ${subject}`;

export const ACTIVITY_WORDS: Readonly<Record<ActivityEvidence["field"], string>> = {
  prompt: "asked",
  session_title: "session",
  tool: "runs",
  said: "said",
  folder: "folder",
  repository: "repository",
  branch: "branch",
  worktree: "worktree",
  work_tree: "work tree",
  turn_began_at: "turn began",
};
