// The open prompt of a runtime, and the one mapper from what the daemon knows to what clients see (snake_case, ISO times): rows,
// targets, explanations. Nothing is stored or reported here.
import { type OpenRequest, shownDialog, shownPrompt } from "../engine/dialogOwner.ts";
import { requestLanes } from "../engine/requests.ts";
import type { Evidence } from "../model/evidence.ts";
import { type PromptRequest, requestView } from "../model/request.ts";
import { isWaiting, needsAction } from "../model/state.ts";
import type { Prompt, RuntimeEntry, ServerEntry } from "./liveState.ts";
import { formatPaneRef } from "../engine/ref.ts";
import { BACKGROUND_SERVER, backgroundIdOf, formatShortRef } from "../model/shortRef.ts";
import { HOST_TARGET, type Pane, type Target, UNTIL_IT_ENDS } from "../model/runtime.ts";
import { NO_AGENT, SCHEMA_VERSION, type Explanation, type PaneView, type TargetView } from "../model/view.ts";
import { activityEvidence, isoUnreadSince } from "./activity.ts";
import type { Transition } from "../ports/store.ts";

// Prompt: what is asked of the person now, to the letter, from events and readings of this run of the daemon. The store has the
// texts redacted; after a restart a prompt is not whole until its dialog was read again.

/** This many open requests of one agent are kept to the letter; older ones only as they are stored. */
const MAX_KEPT = 32;

/** Names one asking of a prompt by its text to the letter; keyed, for this run of the daemon. */
export type NamePrompt = (asked: {
  runtimeId: string;
  requestId: string | null;
  request: PromptRequest;
}) => string;

/** To be called with every request that an event opened, before it is redacted. */
export const keepAsked = (entry: RuntimeEntry, { eventId, signal }: Evidence): void => {
  if (signal.kind !== "request") return;
  const open = new Set(Array.from(entry.facts.opens.values(), (one) => one.eventId));
  const kept = [...entry.asked.byEvent].filter(([id]) => open.has(id)).slice(1 - MAX_KEPT);
  entry.asked = { ...entry.asked, byEvent: new Map([...kept, [eventId, signal.request]]) };
};

/** Who asks: `request:<lane>@<event>`, or `<source>@<since>` for a reading. */
const sourceOf = (requestId: string): "poller" | "transcript" | { eventId: string } => {
  const [source] = requestId.split("@", 1);
  if (source === "poller" || source === "transcript") return source;
  return { eventId: requestId.slice(requestId.lastIndexOf("@") + 1) };
};

/** An agent whose events arrive announces its prompts, if at all, within this time of their drawing. */
const EVENT_GRACE_MS = 450;

/** The same for an agent's own log, which is read together with the screen. */
const FILE_GRACE_MS = 1_000;
/** A log may be written this long after what the screen shows, and the other way round. */
const FILE_LAG_MS = 200;

/** Null: the agent's own log reports a wait too, or was read since and knows of none, or there is no log. */
const toldByFileBy = ({ resolution, facts, liveness }: RuntimeEntry): number | null => {
  const file = facts.observations.get("transcript");
  if (resolution === null || file === undefined || isWaiting(file.signal.status.state)) return null;
  const readAt = liveness.observedAt.transcript ?? 0;
  return readAt >= resolution.since + FILE_LAG_MS ? null : resolution.since + FILE_GRACE_MS;
};

/** By the agent's own log nothing is asked any more, and the screen was last read before that. */
const isAnsweredInFile = ({ facts, liveness }: RuntimeEntry): boolean => {
  const file = facts.observations.get("transcript")?.signal;
  const screen = facts.observations.get("poller")?.signal;
  if (file === undefined || screen === undefined || isWaiting(file.status.state)) return false;
  return file.since > screen.since && file.since > (liveness.observedAt.poller ?? 0) - FILE_LAG_MS;
};

/** How long a dialog may take to be drawn, once its first rows are there. */
const DRAWING_MS = 200;

/** A dialog may be read while it is drawn: where it is not whole, only a second capture shows that it stays so. */
const isDrawing = ({ facts, liveness }: RuntimeEntry, at: number): boolean => {
  const screen = facts.observations.get("poller")?.signal;
  if (screen === undefined || !isWaiting(screen.status.state)) return false;
  const isSeenAgain = (liveness.observedAt.poller ?? 0) >= screen.since + DRAWING_MS;
  return !isSeenAgain && at < screen.since + FILE_GRACE_MS;
};

const latest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/**
 * When what is asked is complete, epoch ms: the dialog of an event's request has been drawn by then, and the event of a drawn
 * dialog has arrived, or its line in the agent's own log. Named before that, the prompt would soon get another name. Null: it is
 * complete.
 */
export const completeBy = (entry: RuntimeEntry): number | null => {
  const { resolution, facts } = entry;
  const source = sourceOf(resolution?.requestId ?? "");
  if (source === "poller" && resolution !== null) {
    const toldByEventBy = facts.turns.has("hook") ? resolution.since + EVENT_GRACE_MS : null;
    return latest(toldByEventBy, toldByFileBy(entry));
  }
  if (typeof source === "string") return null;
  for (const { eventId, eventTime, signal } of facts.opens.values())
    if (eventId === source.eventId) return eventTime + signal.dialogGraceMs;
  return null;
};

/** The text as it was reported. `isLive`: it is not only what the store kept of it. */
const announcedOf = (entry: RuntimeEntry): { request: PromptRequest; isLive: boolean } | null => {
  const { resolution, asked } = entry;
  const stored = resolution?.request ?? null;
  if (stored === null) return null;
  const source = sourceOf(resolution?.requestId ?? "");
  const live = typeof source === "string" ? asked[source] : asked.byEvent.get(source.eventId);
  return live === undefined || live === null
    ? { request: { ...stored, isWhole: false }, isLive: false }
    : { request: live, isLive: true };
};

/** What is asked, to the letter, where an event in this run of the daemon said so; null where only the screen or the store did. */
export const toldByEvent = (entry: RuntimeEntry): PromptRequest | null => {
  const source = sourceOf(entry.resolution?.requestId ?? "");
  return typeof source === "string" ? null : (entry.asked.byEvent.get(source.eventId) ?? null);
};

/** Every request that is open, but for the one that `requestId` names; what only the store kept of one is never whole. */
const othersOpen = ({ facts, asked }: RuntimeEntry, requestId: string | null): OpenRequest[] =>
  requestLanes(facts, 0).flatMap(({ name, unanswered }) =>
    unanswered.flatMap(({ eventId, signal }): OpenRequest[] => {
      if (`${name}@${eventId}` === requestId) return [];
      const live = asked.byEvent.get(eventId);
      const hasKey = signal.requestKey !== null;
      return [
        live === undefined
          ? { request: { ...signal.request, isWhole: false }, isLive: false, hasKey }
          : { request: live, isLive: true, hasKey },
      ];
    }),
  );

/** Its event says which call it is of. */
const hasKey = ({ facts }: RuntimeEntry, requestId: string | null): boolean => {
  const eventId = requestId?.slice(requestId.lastIndexOf("@") + 1);
  const opens = [...facts.opens.values()];
  return opens.some((open) => open.eventId === eventId && open.signal.requestKey !== null);
};

/** The event gave all of it, and nothing else is open whose dialog might be drawn in its place. */
const isToldWhole = (
  { request, isLive }: { request: PromptRequest; isLive: boolean },
  others: readonly OpenRequest[],
): boolean => isLive && request.isWhole === true && request.hasMore !== true && others.length === 0;

/**
 * The prompt that is open, with the dialog `seen` on the screen (null: none was read). Null: nothing is asked, or the screen
 * shows another prompt.
 */
export const promptWith = (
  entry: RuntimeEntry,
  seen: PromptRequest | null,
  fingerprintOf: NamePrompt,
): Prompt | null => {
  const announced = announcedOf(entry);
  if (announced === null) return null;
  const requestId = entry.resolution?.requestId ?? null;
  const isOfScreen = requestId !== null && sourceOf(requestId) === "poller";
  const others = othersOpen(entry, requestId);
  const isUnseen = seen === null && entry.runtime.server === BACKGROUND_SERVER;
  // What no pane shows has no dialog that could be read before somebody answers: its event alone says what is asked.
  const request = isUnseen
    ? { ...announced.request, isWhole: isToldWhole(announced, others) }
    : isOfScreen
      ? shownDialog(seen ?? announced.request, others)
      : shownPrompt(announced.request, seen, others, {
          isLive: announced.isLive,
          hasKey: hasKey(entry, requestId),
        });
  if (request === null) return null;
  const isKnown = announced.isLive || seen !== null;
  const { runtimeId } = entry.runtime;
  if (!isKnown) return { request, fingerprint: null };
  // A request that is drawn differently than announced may be denied, but only while exactly this is drawn.
  const drawn = seen !== null && request.isWhole !== true ? { drawn: seen } : {};
  return { request, fingerprint: fingerprintOf({ runtimeId, requestId, request, ...drawn }) };
};

/**
 * As it is shown now, at `at` (epoch ms). Before its dialog is drawn, and while the screen shows none, there is nothing to
 * answer, so it has no fingerprint.
 */
export const promptOf = (entry: RuntimeEntry, at: number, fingerprintOf: NamePrompt): Prompt | null => {
  const announced = announcedOf(entry);
  if (announced === null) return null;
  const { poller } = entry.asked;
  const prompt = promptWith(entry, poller ?? null, fingerprintOf);
  if (prompt === null) return { request: { ...announced.request, isWhole: false }, fingerprint: null };
  const isOfScreen = sourceOf(entry.resolution?.requestId ?? "") === "poller";
  const isIncomplete = (isOfScreen || poller === undefined) && at < (completeBy(entry) ?? 0);
  const isUnsure = prompt.request.isWhole !== true && isDrawing(entry, at);
  // What no pane shows is answered only on this machine, and only where its event told all of it: there is no screen on which a
  // person could read more.
  const { server, targetId } = entry.runtime;
  const isUntold =
    server === BACKGROUND_SERVER && (prompt.request.isWhole !== true || targetId !== HOST_TARGET);
  // Of what runs behind another program nothing but the screen tells.
  const isHidden = entry.runtime.inside !== null && prompt.request.isWhole !== true;
  const isOpen =
    poller !== null &&
    !isIncomplete &&
    !isUnsure &&
    !isUntold &&
    !isHidden &&
    !(isOfScreen && isAnsweredInFile(entry));
  return isOpen ? prompt : { ...prompt, fingerprint: null };
};

// Rows and other views.

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
 * is asked all the time whether something moved in its window: while nothing moved since the last capture, a living process
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
  // tmux reports a window's activity in whole seconds: within the second of the last capture it counts as unseen.
  const isStill = isAtRest(entry) && pane.windowActivity < Math.floor(lookedAt / 1_000);
  const confirmed = isStill ? Math.max(lookedAt, liveness.processVerifiedAt ?? 0) : latest;
  return confirmed === 0 ? null : confirmed;
};

const otherSessions = ({ alsoIn, sessionId }: Pane): string[] => [
  ...new Set(alsoIn.filter((other) => other.sessionId !== sessionId).map(({ sessionName }) => sessionName)),
];

const backgroundOf = ({ paneId }: Pane, entry: RuntimeEntry | null): PaneView["background"] => {
  const id = backgroundIdOf(paneId);
  return id === null
    ? null
    : { id, is_answered_elsewhere: entry?.adapter?.background?.hidesOpenDialogs === true };
};

const paneFields = (pane: Pane, targetName: string, entry: RuntimeEntry | null) => ({
  identity: {
    target: targetName,
    tmux_server: pane.server,
    session_name: pane.sessionName,
    window_id: pane.windowId,
    pane_id: backgroundIdOf(pane.paneId) === null ? pane.paneId : null,
    pane_ref: formatPaneRef({
      target: targetName,
      server: pane.server,
      sessionName: pane.sessionName,
      windowId: pane.windowId,
      paneId: pane.paneId,
    }),
    runtime_id: entry?.runtime.runtimeId ?? null,
  },
  short_ref: formatShortRef({ target: targetName, server: pane.server, paneId: pane.paneId }),
  background: backgroundOf(pane, entry),
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

const nameOf = ({ adapter, runtime }: RuntimeEntry, account: string | null): string => {
  const name = adapter?.displayName ?? runtime.agentType;
  return account === null ? name : `${name} (${account})`;
};

const mutedView = (until: number | null): PaneView["muted"] =>
  until === null ? null : { until: until === UNTIL_IT_ENDS ? null : toIso(until) };

/** `names.account` null: the agent has one alone. */
export const runtimeView = (
  entry: RuntimeEntry,
  pane: Pane,
  names: { target: string; account: string | null },
): PaneView => {
  const { runtime, resolution, prompt } = entry;
  const confirmed = confirmedAt(entry, pane);
  return {
    ...paneFields(pane, names.target, entry),
    agent: runtime.agentType,
    agent_name: nameOf(entry, names.account),
    account: names.account,
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
    inside: runtime.inside,
    muted: mutedView(runtime.mutedUntil),
    name: runtime.name,
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
  awake: null,
  newer_release: null,
  limits: [],
  servers: servers
    .filter(({ server }) => server !== BACKGROUND_SERVER)
    .map((server) => ({
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
