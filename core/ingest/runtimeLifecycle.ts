// When runtimes begin and end: what was recognised in a pane's processes, verification, crashes, another set of adapters, and a
// person who looks, dismisses, mutes or renames.
import { compareRuntime, type Recognised } from "../engine/epoch.ts";
import type { Evidence, Resolution, RuntimeEnd } from "../model/evidence.ts";
import { paneKeyString, type Account, type Pane, type PaneKey, type Runtime } from "../model/runtime.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";
import { isWaiting } from "../model/state.ts";
import { MAX_NAME } from "../model/view.ts";
import type { UnitOfWork } from "./unitOfWork.ts";
import type { RowViews } from "./rowViews.ts";
import type { States } from "./states.ts";
import { newRuntimeEntry, type RuntimeEntry } from "./liveState.ts";
import { isSettledCrash, unreadSince } from "./activity.ts";

/** How long the wrapper may take to say how its agent ended; after that it never will. */
const WRAPPER_TELLS_MS = 2_000;

/** Before the first verification since the daemon's start nobody saw how the process ended: no claim of a crash then. */
const wasSeenMidTurn = ({ liveness, resolution }: RuntimeEntry): boolean =>
  liveness.processVerifiedAt !== null &&
  resolution !== null &&
  (resolution.status.state === "running" || isWaiting(resolution.status.state));

const crashResolution = (at: number, visibleMs: number): Resolution => ({
  status: { state: "error", reasonCode: "crashed" },
  confidence: "high",
  since: at,
  requestId: null,
  request: null,
  rule: "the agent's process ended in the middle of a turn without its exit event, or with a failing status",
  verdicts: [],
  nextCheckAt: at + visibleMs,
});

export class RuntimeLifecycle {
  private readonly deps: ConstructorParameters<typeof RuntimeLifecycle>[0];

  constructor(deps: {
    unitOfWork: UnitOfWork;
    rows: RowViews;
    states: States;
    /** A runtime of the target began: events that waited for it may be bound now. Inside a commit. */
    onBegin: (targetId: string) => void;
  }) {
    this.deps = deps;
  }

  /** What was recognised in the processes of a pane just now; null: no agent. It also verifies that a live runtime still runs. */
  applyRecognised(key: PaneKey, recognised: Recognised | null): void {
    const { unitOfWork, rows } = this.deps;
    const live = unitOfWork.liveState.liveOf(key) ?? null;
    const pane = unitOfWork.liveState.paneOf(key);
    if (pane === undefined) return;
    // Its adapter went while its processes were read.
    if (live === null && recognised !== null && unitOfWork.deps.adapterOf(recognised.agentType) === null)
      return;
    const change = compareRuntime(live?.runtime ?? null, recognised, {
      hasTurned: recognised?.view !== undefined && recognised.view !== live?.viewed,
      sawExitEvent: live?.sawExitEvent ?? false,
      killedByUs: live?.killedByUs ?? false,
      wasMidTurn: live !== null && wasSeenMidTurn(live),
      announcesExit:
        live !== null &&
        !live.isViewer &&
        (live.adapter?.announcesExit ?? false) &&
        live.facts.cursors.has("hook"),
      // The end of the program in front says nothing of the agent behind it.
      paneDeadStatus:
        pane.isDead && live?.runtime.inside === null && live.runtime.pid === pane.panePid
          ? pane.deadStatus
          : null,
      wrapperExitStatus: live?.wrapperExitStatus ?? null,
    });
    if (change.kind === "keep") {
      if (live === null || recognised === null) return;
      this.verified(live, { isSuspended: recognised.process.isStopped === true });
      if (recognised.isViewer === true) live.isViewer = true;
      live.cwd ??= recognised.cwd ?? null;
      live.transcriptPath ??= recognised.transcriptPath ?? null;
      const { account } = recognised;
      if (account !== undefined && account.configDir !== live.account?.configDir)
        unitOfWork.commit(() => this.setAccount(live, account));
      const sessionId = recognised.sessionId ?? null;
      if (sessionId === null || sessionId === live.runtime.agentSessionId) return;
      // Its terminal may show another one by now, which its events tell.
      if (live.adapter?.background?.startsInTerminals === true && live.runtime.agentSessionId !== null)
        return;
      unitOfWork.commit(() => {
        unitOfWork.liveState.setAgentSession(live, sessionId);
        unitOfWork.deps.store.setAgentSessionId(live.runtime.runtimeId, sessionId);
        rows.refresh(live, pane);
      });
      return;
    }
    if (change.kind === "end" && live !== null && this.awaitsWrapper(live, pane)) return;
    unitOfWork.commit(() => {
      if (live !== null && change.kind !== "begin") this.end(live, change.end, pane);
      if (change.kind === "end") rows.changed(rows.ofPane(pane), null, false);
      else this.begin(pane, change.recognised);
    });
  }

  /** The wrapper says how its agent ended a moment after the process is gone. That matters only in the middle of a turn. */
  private awaitsWrapper(entry: RuntimeEntry, pane: Pane): boolean {
    if (entry.sawExitEvent || entry.killedByUs || entry.wrapperExitStatus !== null || pane.isDead)
      return false;
    if (!entry.facts.cursors.has("wrapper") || !wasSeenMidTurn(entry)) return false;
    const now = this.deps.unitOfWork.deps.clock.now();
    entry.goneSince ??= now;
    return now - entry.goneSince < WRAPPER_TELLS_MS;
  }

  private verified(entry: RuntimeEntry, { isSuspended }: { isSuspended: boolean }): void {
    const { unitOfWork, states } = this.deps;
    const { clock, timing } = unitOfWork.deps;
    const now = clock.now();
    const lastAt = entry.liveness.processVerifiedAt;
    // What was stale because of it is no longer stale, and nothing else would report that.
    const wasStale = lastAt === null || now - lastAt > timing().process_verified_ttl_ms;
    const hasTurned = entry.liveness.isSuspended !== isSuspended;
    entry.liveness = { ...entry.liveness, processVerifiedAt: now, isSuspended };
    if (wasStale || hasTurned || states.isDue(entry)) unitOfWork.commit(() => states.evaluate(entry));
  }

  private begin(pane: Pane, recognised: Recognised): void {
    const {
      agentType,
      process,
      sessionId = null,
      isViewer = false,
      view,
      inside = null,
      account = null,
    } = recognised;
    const { unitOfWork, states } = this.deps;
    const { store, clock, runtimeIdOf } = unitOfWork.deps;
    const { targetId, server, paneId } = pane;
    const now = clock.now();
    const paneEpoch = store.lastPaneEpoch(pane) + 1;
    const serverPid = unitOfWork.liveState.serverOf(targetId, server)?.instance?.pid ?? 0;
    const runtime: Runtime = {
      targetId,
      server,
      paneId,
      runtimeId: runtimeIdOf([
        targetId,
        server,
        String(serverPid),
        paneId,
        agentType,
        String(process.pid),
        String(paneEpoch),
      ]),
      paneEpoch,
      agentType,
      pid: process.pid,
      processStartedAt: process.startedAt,
      startedAt: now,
      endedAt: null,
      agentSessionId: sessionId,
      inside,
      mutedUntil: null,
      name: null,
    };
    // The session that crashed goes on in another process.
    if (server === BACKGROUND_SERVER)
      for (const entry of unitOfWork.liveState.runtimes.values())
        if (entry.crashedAt !== null && paneKeyString(entry.runtime) === paneKeyString(pane))
          this.dropCrashed(entry);
    store.insertRuntime(runtime);
    const entry = newRuntimeEntry(runtime, unitOfWork.adapterOf(runtime));
    entry.isViewer = isViewer;
    entry.viewed = view;
    entry.cwd = recognised.cwd ?? null;
    entry.transcriptPath = recognised.transcriptPath ?? null;
    const targetHealth = unitOfWork.liveState.targets.get(targetId)?.health ?? "ok";
    const isSuspended = process.isStopped === true;
    entry.liveness = {
      ...entry.liveness,
      processVerifiedAt: now,
      isSuspended,
      keepAliveAt: now,
      targetHealth,
    };
    unitOfWork.liveState.addRuntime(entry);
    this.setAccount(entry, account);
    states.takeOver(entry);
    this.deps.onBegin(targetId);
    states.evaluate(entry);
  }

  /** Inside a commit: rows of the agent's kind are made again where they begin or cease to name their accounts. */
  private setAccount(entry: RuntimeEntry, account: Account | null): void {
    const { liveState } = this.deps.unitOfWork;
    if (!liveState.setAccount(entry, account)) return;
    const { targetId, agentType } = entry.runtime;
    const others = [...liveState.liveOfTarget(targetId)].filter(
      ({ runtime, view }) => runtime.agentType === agentType && view !== null,
    );
    for (const other of others) {
      const pane = liveState.paneOf(other.runtime);
      if (pane !== undefined) this.deps.rows.refresh(other, pane);
    }
  }

  /** Inside a commit. `pane`: the row as it was last. */
  end(entry: RuntimeEntry, end: RuntimeEnd, pane: Pane): void {
    const { unitOfWork, rows, states } = this.deps;
    const { store, clock, timing } = unitOfWork.deps;
    const { runtimeId } = entry.runtime;
    const at = clock.now();
    entry.runtime = { ...entry.runtime, endedAt: at, mutedUntil: null };
    entry.prompt = null;
    store.endRuntime(runtimeId, at, end);
    unitOfWork.liveState.retire(entry, end === "crashed");
    this.setAccount(entry, null);
    if (end === "crashed") {
      entry.crashedAt = at;
      states.change(entry, pane, { resolution: crashResolution(at, timing().crashed_visible_ms), at, end });
      return;
    }
    states.appendTransition(entry, pane, {
      resolution: null,
      at,
      end,
      previousState: entry.resolution?.status.state ?? null,
    });
    store.deleteState(runtimeId);
    rows.removed(rows.ofRuntime(entry, pane));
  }

  /** Inside a commit: a crashed row goes for good. */
  dropCrashed(entry: RuntimeEntry): void {
    const { unitOfWork, rows } = this.deps;
    unitOfWork.liveState.runtimes.delete(entry.runtime.runtimeId);
    unitOfWork.deps.store.deleteState(entry.runtime.runtimeId);
    if (entry.view !== null) rows.removed(entry.view);
  }

  /** Crashed rows that were shown for long enough, or looked at and left without a pane. */
  expiredCrashes(now: number): RuntimeEntry[] {
    const { liveState, deps } = this.deps.unitOfWork;
    const visibleMs = deps.timing().crashed_visible_ms;
    return [...liveState.runtimes.values()].filter(
      (entry) =>
        (entry.crashedAt !== null && now - entry.crashedAt > visibleMs) ||
        isSettledCrash(entry, liveState.paneOf(entry.runtime) !== undefined, now),
    );
  }
}

// Adapters: what another set in force does to the known runtimes.

/** Live runtimes get the adapter that is in force now; one whose adapter is gone keeps its last state. */
export const renewAdapters = ({ unitOfWork, rows }: { unitOfWork: UnitOfWork; rows: RowViews }): void =>
  unitOfWork.commit(() => {
    for (const entry of unitOfWork.liveState.liveRuntimes()) {
      entry.adapter = unitOfWork.adapterOf(entry.runtime);
      const pane = unitOfWork.liveState.paneOf(entry.runtime);
      if (pane !== undefined) rows.refresh(entry, pane);
    }
  });

/** Runtimes whose agent is no longer enabled end (no crash), crashed rows go; the processes go on in panes without an agent. */
export const endDisabled = (
  { unitOfWork, rows, lifecycle }: { unitOfWork: UnitOfWork; rows: RowViews; lifecycle: RuntimeLifecycle },
  isEnabled: (agentType: string) => boolean,
): void => {
  const due = [...unitOfWork.liveState.runtimes.values()].filter(
    ({ runtime }) => !isEnabled(runtime.agentType),
  );
  if (due.length === 0) return;
  unitOfWork.commit(() => {
    for (const entry of due) {
      const pane = unitOfWork.liveState.paneOf(entry.runtime);
      if (entry.crashedAt !== null) lifecycle.dropCrashed(entry);
      else if (pane !== undefined) {
        lifecycle.end(entry, "disabled", pane);
        rows.changed(rows.ofPane(pane), null, false);
      }
    }
  });
};

// A person has looked at a row, or dismisses it: a finished turn or a crash that was looked at counts as read, a dismissed error
// gets evidence of that, and a dismissed crash goes from the lists.

/** A crashed row without a pane stays this long after it was looked at: it must not vanish while it is being read. */
const SEEN_CRASH_MS = 60_000;

const noteOurselves = (
  { unitOfWork, states }: { unitOfWork: UnitOfWork; states: States },
  entry: RuntimeEntry,
  { eventType, signal }: Pick<Evidence, "eventType" | "signal">,
): void => {
  const at = unitOfWork.nextIngestedAt();
  const eventId = unitOfWork.deps.ids.next("ev");
  const { runtimeId } = entry.runtime;
  states.addEvidence(
    entry,
    {
      eventId,
      runtimeId,
      source: "reconciler",
      eventType,
      sourceSeq: null,
      eventTime: at,
      ingestedAt: at,
      dedupeKey: eventId,
      signal,
    },
    null,
  );
  states.evaluate(entry);
};

/** False when there is nothing to dismiss. */
export const dismiss = (
  { unitOfWork, states, lifecycle }: { unitOfWork: UnitOfWork; states: States; lifecycle: RuntimeLifecycle },
  runtimeId: string,
): boolean => {
  const entry = unitOfWork.liveState.runtimes.get(runtimeId);
  if (entry === undefined || entry.resolution?.status.state !== "error") return false;
  unitOfWork.commit(() => {
    if (entry.crashedAt !== null) lifecycle.dropCrashed(entry);
    else
      noteOurselves({ unitOfWork, states }, entry, { eventType: "dismissal", signal: { kind: "dismissal" } });
  });
  return true;
};

/**
 * The request `requestId` (of the resolution) was answered on a screen that is gone again: until the work that it allows has ended,
 * nothing else may tell. Where two equal ones are open, nobody knows which it was.
 */
export const noteAnswered = (
  parts: { unitOfWork: UnitOfWork; states: States },
  runtimeId: string,
  requestId: string,
): void => {
  const entry = parts.unitOfWork.liveState.runtimes.get(runtimeId);
  if (entry === undefined || entry.runtime.endedAt !== null) return;
  const { opens, names } = entry.facts;
  const open = [...opens.values()].find(({ eventId }) => requestId.endsWith(`@${eventId}`));
  const { requestKey = null, agentId = "" } = open?.signal ?? {};
  const isSame = (one: { agentId: string; requestKey: string | null }): boolean =>
    one.agentId === agentId && one.requestKey === requestKey;
  const calls = [...names.values()].filter(isSame).map(({ toolUseId }) => toolUseId);
  if (requestKey === null || calls.length > 1) return;
  const closes = [requestKey, ...calls];
  const signal = { agentId, status: null, confidence: "high", boundary: false, closes, names: null } as const;
  parts.unitOfWork.commit(() =>
    noteOurselves(parts, entry, { eventType: "answered", signal: { kind: "activity", ...signal } }),
  );
};

/**
 * Somebody has looked at what ended at `until` (epoch ms) or before. False when nothing of that is unread: what has ended
 * since stays so.
 */
export const markSeen = (
  { unitOfWork, rows }: { unitOfWork: UnitOfWork; rows: RowViews },
  runtimeId: string,
  until: number,
): boolean => {
  const entry = unitOfWork.liveState.runtimes.get(runtimeId);
  const since = entry === undefined ? null : unreadSince(entry);
  // Clients know it in whole milliseconds.
  if (entry === undefined || since === null || Math.floor(since) > until) return false;
  const { liveState, deps } = unitOfWork;
  unitOfWork.commit(() => {
    entry.marks = { ...entry.marks, isUnread: false };
    deps.store.putTurnMarks(runtimeId, entry.marks);
    const pane = liveState.paneOf(entry.runtime);
    if (entry.crashedAt === null) {
      if (pane !== undefined) rows.refresh(entry, pane);
      return;
    }
    if (pane === undefined) entry.keptUntil = deps.clock.now() + SEEN_CRASH_MS;
    if (entry.view === null) return;
    entry.view = { ...entry.view, unread_since: null };
    rows.changed(entry.view, entry.view.state, false);
  });
  return true;
};

// What a person says of a live runtime: until when nothing is told of it, and what it is called. Neither decides a state, and neither
// is passed on to another runtime of the pane.

const setPersonal = (
  { unitOfWork, rows }: { unitOfWork: UnitOfWork; rows: RowViews },
  runtimeId: string,
  change: (entry: RuntimeEntry) => void,
): boolean => {
  const entry = unitOfWork.liveState.runtimes.get(runtimeId);
  const pane = entry === undefined ? undefined : unitOfWork.liveState.paneOf(entry.runtime);
  if (entry === undefined || pane === undefined || entry.runtime.endedAt !== null) return false;
  unitOfWork.commit(() => {
    change(entry);
    rows.refresh(entry, pane);
  });
  return true;
};

/** `until`: epoch ms, or `UNTIL_IT_ENDS`; null takes the mute back. False where no such runtime lives. */
export const mute = (
  parts: { unitOfWork: UnitOfWork; rows: RowViews },
  runtimeId: string,
  until: number | null,
): boolean =>
  setPersonal(parts, runtimeId, (entry) => {
    entry.runtime = { ...entry.runtime, mutedUntil: until };
    parts.unitOfWork.deps.store.setMutedUntil(runtimeId, until);
  });

/** One line without anything that is not seen. */
const cleanName = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();

/** An empty name takes it back. False where no such runtime lives. */
export const rename = (
  parts: { unitOfWork: UnitOfWork; rows: RowViews },
  runtimeId: string,
  given: string,
): boolean =>
  setPersonal(parts, runtimeId, (entry) => {
    const name = parts.unitOfWork.deps.redactText(cleanName(given), MAX_NAME) || null;
    entry.runtime = { ...entry.runtime, name };
    parts.unitOfWork.deps.store.setRuntimeName(runtimeId, name);
  });

/** Inside a commit: mutes whose time has passed. */
export const endMutes = (
  { unitOfWork, rows }: { unitOfWork: UnitOfWork; rows: RowViews },
  due: readonly RuntimeEntry[],
): void => {
  for (const entry of due) {
    const pane = unitOfWork.liveState.paneOf(entry.runtime);
    entry.runtime = { ...entry.runtime, mutedUntil: null };
    unitOfWork.deps.store.setMutedUntil(entry.runtime.runtimeId, null);
    if (pane !== undefined) rows.refresh(entry, pane);
  }
};
