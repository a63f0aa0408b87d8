// Small factories for the documents that surfaces show.
import type { AdapterView } from "../../core/model/adapterView.ts";
import { formatTarget } from "../../core/model/shortRef.ts";
import { needsAction, type CanonicalState } from "../../core/model/state.ts";
import type { ActivityView } from "../../core/model/evidence.ts";
import type { PullRequest, WorkspaceView } from "../../core/model/workspace.ts";
import type { AccountLimits, PaneView, TargetView } from "../../core/model/view.ts";

export interface PaneOptions {
  pane?: number;
  target?: string;
  server?: string;
  session?: string;
  window?: number;
  windowName?: string;
  title?: string;
  agent?: string | null;
  agentName?: string | null;
  state?: CanonicalState | null;
  reason?: string | null;
  /** Epoch milliseconds. */
  since?: number;
  /** Epoch milliseconds; nothing is unread without it. */
  unreadSince?: number;
  request?: PaneView["request"];
  fingerprint?: string;
  version?: number;
  alsoIn?: string[];
  progress?: string;
  armed?: string;
  activity?: Partial<ActivityView>;
  workspace?: PaneView["workspace"];
}

/** As GitHub has it, open with checks that passed. */
export const makePullRequest = (more: Partial<PullRequest> = {}): PullRequest => ({
  forge: "github",
  host: "github.com",
  repository: "acme/shop",
  number: 12,
  title: "Split refunds",
  state: "open",
  checks: { state: "passed", failed: null, failed_count: 0 },
  commit: "c".repeat(40),
  url: "https://github.com/acme/shop/pull/12",
  ...more,
});

/** What is known of a worktree where nothing else is. */
export const makeWorkspace = (more: Partial<WorkspaceView> = {}): WorkspaceView => ({
  changes: null,
  not_looked_at: null,
  shares_with: [],
  conflicts: [],
  pull_request: null,
  pull_request_problem: null,
  ...more,
});

const SILENT: ActivityView = {
  prompt: null,
  session_title: null,
  tool: null,
  said: null,
  folder: null,
  repository: null,
  branch: null,
  worktree: null,
  work_tree: null,
  turn_began_at: null,
};

const REASON: Record<CanonicalState, string> = {
  error: "api_error",
  waiting_approval: "permission_tool",
  waiting_input: "question",
  running: "thinking",
  completed: "turn_ended",
  idle: "fresh",
  unknown: "no_signal",
};

export const makePane = (options: PaneOptions = {}): PaneView => {
  const number = options.pane ?? 1;
  const state = options.state === undefined ? "idle" : options.state;
  const target = options.target ?? "host";
  const server = options.server ?? "default";
  const session = options.session ?? "work";
  const window = options.window ?? 1;
  const targetRef = formatTarget(target, server);
  const agent = options.agent === undefined ? "claude" : options.agent;
  return {
    identity: {
      target,
      tmux_server: server,
      session_name: session,
      window_id: `@${window}`,
      pane_id: `%${number}`,
      pane_ref: `pane:${targetRef}/${encodeURIComponent(session)}/@${window}/%${number}`,
      runtime_id: agent === null ? null : `rt${number}`,
    },
    short_ref: `${targetRef}/%${number}`,
    background: null,
    account: null,
    also_in: options.alsoIn ?? [],
    window_index: window,
    window_name: options.windowName ?? `window-${window}`,
    inside: null,
    muted: null,
    name: null,
    pane_index: 0,
    title: options.title ?? "",
    agent,
    agent_name: options.agentName === undefined ? "Claude Code" : options.agentName,
    state,
    reason_code: state === null ? null : (options.reason ?? REASON[state]),
    confidence: state === null ? null : "high",
    state_version: options.version ?? number,
    needs_action: state !== null && needsAction(state),
    since: state === null ? null : new Date(options.since ?? Date.UTC(2026, 0, 1)).toISOString(),
    unread_since: options.unreadSince === undefined ? null : new Date(options.unreadSince).toISOString(),
    confirmed_at: null,
    request: options.request ?? null,
    prompt_fingerprint: options.fingerprint ?? null,
    armed: options.armed ?? null,
    progress: options.progress ?? null,
    activity: options.activity === undefined ? null : { ...SILENT, ...options.activity },
    agent_session_id: null,
    workspace: options.workspace ?? null,
  };
};

export const makeTarget = (options: Partial<TargetView> = {}): TargetView => ({
  target: "host",
  kind: "local",
  health: "ok",
  health_reason: null,
  last_seen_at: null,
  connection_ref: null,
  enabled: true,
  transport: null,
  rtt_ms: null,
  remedy: null,
  next_attempt_at: null,
  awake: null,
  newer_release: null,
  limits: [],
  servers: [{ tmux_server: "default", status: "ok", mode: "direct", problem: null, pane_count: 1 }],
  ...options,
});

/** Of an agent that `agtmux adapters list` names. */
export const makeAdapterView = (
  agent: string,
  name: string,
  versions: readonly string[],
  more: Partial<AdapterView> = {},
): AdapterView => ({
  agent_type: agent,
  display_name: name,
  version: "1",
  enabled: true,
  source: "built-in",
  files: [],
  pack: null,
  recorded_versions: [...versions],
  unverified_versions: [],
  verified: versions.length > 0,
  has_integration: true,
  capabilities: {},
  health: "ok",
  health_reason: null,
  ...more,
});

/** An account of which so much of five hours is used. */
export const usedTo = (percent: number, account: string | null, resetsAt: string): AccountLimits => ({
  agent: "codex",
  agent_name: "Codex",
  account,
  source: "its session log",
  said_at: new Date(Date.parse(resetsAt) - 3 * 3_600_000).toISOString(),
  windows: [{ minutes: 300, used_percent: percent, resets_at: resetsAt }],
  reached_until: null,
});
