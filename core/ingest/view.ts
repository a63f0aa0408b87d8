// The one mapper from what the daemon knows to the rows that clients see (snake_case, ISO times).
import { formatPaneRef } from "../engine/ref.ts";
import { requestView } from "../model/request.ts";
import { formatShortRef } from "../model/shortRef.ts";
import { needsAction } from "../model/state.ts";
import type { Pane, Target } from "../model/runtime.ts";
import { NO_AGENT, SCHEMA_VERSION, type Explanation, type PaneView, type TargetView } from "../model/view.ts";
import { activityEvidence, isoUnreadSince } from "./activity.ts";
import type { Transition } from "../ports/store.ts";
import type { RuntimeEntry, ServerEntry } from "./liveState.ts";

export const toIso = (at: number): string => new Date(at).toISOString();

/** Nothing is expected of it: as long as its process lives and nothing moves, its state stays. */
const isAtRest = ({ resolution }: RuntimeEntry): boolean => {
  switch (resolution?.status.state) {
    case "idle":
    case "completed":
    case "error":
      return true;
    case "running":
    case "waiting_approval":
    case "waiting_input":
    case "unknown":
    case undefined:
      return false;
  }
};

/**
 * The newest moment at which anything confirmed the present state. The screen of an agent at rest is read rarely, but tmux
 * is asked all the time whether something moved in its window: while nothing moved since the last look, a living process
 * confirms the state.
 */
export const confirmedAt = (entry: RuntimeEntry, pane: Pane): number | null => {
  const { facts, liveness, screenReadAt } = entry;
  const times = [
    facts.keepAliveAt,
    liveness.keepAliveAt,
    liveness.observedAt.poller,
    liveness.observedAt.transcript,
  ];
  const latest = Math.max(0, ...times.map((time) => time ?? 0));
  const lookedAt = Math.max(latest, screenReadAt ?? 0);
  // tmux tells a window's activity in whole seconds: within the second of the last look it counts as unseen.
  const isStill = isAtRest(entry) && pane.windowActivity < Math.floor(lookedAt / 1_000);
  const confirmed = isStill ? Math.max(lookedAt, liveness.processVerifiedAt ?? 0) : latest;
  return confirmed === 0 ? null : confirmed;
};

const otherSessions = ({ alsoIn, sessionId }: Pane): string[] => [
  ...new Set(alsoIn.filter((other) => other.sessionId !== sessionId).map(({ sessionName }) => sessionName)),
];

const paneFields = (pane: Pane, targetName: string, runtimeId: string | null) => ({
  identity: {
    target: targetName,
    tmux_server: pane.server,
    session_name: pane.sessionName,
    window_id: pane.windowId,
    pane_id: pane.paneId,
    pane_ref: formatPaneRef({
      target: targetName,
      server: pane.server,
      sessionName: pane.sessionName,
      windowId: pane.windowId,
      paneId: pane.paneId,
    }),
    runtime_id: runtimeId,
  },
  short_ref: formatShortRef({ target: targetName, server: pane.server, paneId: pane.paneId }),
  also_in: otherSessions(pane),
  window_index: pane.windowIndex,
  window_name: pane.windowName,
  pane_index: pane.paneIndex,
  title: pane.title,
});

/** A pane without an agent. */
export const barePaneView = (pane: Pane, targetName: string): PaneView => ({
  ...paneFields(pane, targetName, null),
  ...NO_AGENT,
});

export const runtimeView = (entry: RuntimeEntry, pane: Pane, targetName: string): PaneView => {
  const { runtime, resolution, prompt } = entry;
  const confirmed = confirmedAt(entry, pane);
  return {
    ...paneFields(pane, targetName, runtime.runtimeId),
    agent: runtime.agentType,
    agent_name: entry.adapter?.displayName ?? runtime.agentType,
    state: resolution?.status.state ?? "unknown",
    reason_code: resolution?.status.reasonCode ?? "no_signal",
    confidence: resolution?.confidence ?? "low",
    state_version: entry.stateVersion,
    needs_action: resolution !== null && needsAction(resolution.status.state),
    since: resolution === null ? null : toIso(resolution.since),
    unread_since: isoUnreadSince(entry),
    confirmed_at: confirmed === null ? null : toIso(confirmed),
    request: prompt === null ? null : requestView(prompt.request),
    prompt_fingerprint: prompt?.fingerprint ?? null,
    progress: entry.progress.shown,
    armed: entry.armed,
    activity: entry.activity.shown,
    agent_session_id: runtime.agentSessionId,
    workspace: entry.workspace,
  };
};

export const targetView = (target: Target, servers: readonly ServerEntry[]): TargetView => ({
  target: target.targetName,
  kind: target.kind,
  health: target.health,
  health_reason: target.healthReason,
  last_seen_at: target.lastSeenAt === null ? null : toIso(target.lastSeenAt),
  connection_ref: target.connectionRef,
  enabled: target.link?.isEnabled ?? true,
  transport: target.link?.transport ?? null,
  rtt_ms: target.link?.rttMs ?? null,
  remedy: target.link?.remedy ?? null,
  next_attempt_at:
    target.link === null || target.link.nextAttemptAt === null ? null : toIso(target.link.nextAttemptAt),
  servers: servers.map((server) => ({
    tmux_server: server.server,
    status: server.status,
    mode: server.mode,
    problem: server.problem,
    pane_count: server.panes.size,
  })),
});

/** `history`: transitions of the runtime, newest first. */
export const explanation = (
  view: PaneView,
  entry: RuntimeEntry | null,
  history: readonly Transition[],
  now: number,
): Omit<Explanation, "screen"> => {
  const states = history.filter((transition) => transition.resolution !== null);
  return {
    schema_version: SCHEMA_VERSION,
    generated_at: toIso(now),
    pane: view,
    rule: entry?.resolution?.rule ?? "no agent was recognised in this pane",
    evidence: (entry?.resolution?.verdicts ?? []).map((verdict) => ({
      source: verdict.source,
      event_type: verdict.eventType,
      lane: verdict.lane,
      state: verdict.status.state,
      reason_code: verdict.status.reasonCode,
      confidence: verdict.confidence,
      at: toIso(verdict.eventTime),
      outcome: verdict.outcome,
      rule: verdict.rule,
      matched: verdict.matched,
    })),
    activity: entry === null ? [] : activityEvidence(entry),
    timeline: states.flatMap((transition, index) => {
      if (transition.resolution === null) return [];
      const later = states[index - 1];
      return [
        {
          state_version: transition.version,
          at: toIso(transition.at),
          state: transition.resolution.status.state,
          reason_code: transition.resolution.status.reasonCode,
          duration_ms: later === undefined ? null : later.at - transition.at,
          action_id: transition.actionId,
        },
      ];
    }),
  };
};
