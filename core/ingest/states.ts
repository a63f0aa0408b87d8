// From evidence to the stored state of one runtime: store, fold, resolve, and a transition when the answer changed.
import { isTurnOver } from "../engine/candidates.ts";
import { applyEvidence } from "../engine/facts.ts";
import { resolve } from "../engine/resolve.ts";
import { mayBeSamePrompt } from "../engine/samePrompt.ts";
import { ROOT_AGENT, type Evidence, type Resolution, type RuntimeEnd } from "../model/evidence.ts";
import type { Pane } from "../model/runtime.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";
import { isWaiting, type CanonicalState } from "../model/state.ts";
import type { PaneView } from "../model/view.ts";
import type { UnitOfWork } from "./unitOfWork.ts";
import { noteTitle, noteTurn, showActivity, showProgress, marksAfter, marksWhileSame } from "./activity.ts";
import type { RowViews } from "./rowViews.ts";
import { completeBy, keepAsked, promptOf, confirmedAt } from "./view.ts";
import { type RuntimeEntry, NONE_UNENDED, withOpened } from "./liveState.ts";

const isReading = ({ requestId }: Resolution): boolean => /^(poller|transcript)@/.test(requestId ?? "");

const textOf = ({ request }: Resolution): string =>
  JSON.stringify(
    request === null ? null : [request.kind, request.title, request.body, request.content ?? null],
  );

/** What follows a dialog may be short: a denial ends the turn, an approved command may ask again. */
const LEFT_WAIT_MS = 2_000;

/** Nothing that the two say of what is asked speaks against it. */
const mayBeSameAsking = ({ request: before }: Resolution, { request: now }: Resolution): boolean =>
  before === null || now === null || mayBeSamePrompt(before, now) || mayBeSamePrompt(now, before);

/** `named`: the fingerprint with which this wait was reported last; null while it had none. */
interface Named {
  named: string | null;
  isRestored: boolean;
}

/**
 * Whether `now` rests on the same source and event as `previous`, or on another one of the same wait: events, files and the screen
 * take turns, and until one of them has named the prompt nobody can have answered it.
 */
const isSameAsking = (
  previous: Resolution,
  now: Resolution & { fingerprint: string | null },
  { named, isRestored }: Named,
): boolean => {
  if (named !== null && now.fingerprint !== null && named !== now.fingerprint) return false;
  if (previous.requestId === now.requestId) return true;
  // After a restart a reading counts from the first capture on, even where that shows what was stored.
  if (isRestored) return isReading(previous) && isReading(now) && textOf(previous) === textOf(now);
  const isHandedOn = (isReading(previous) || isReading(now)) && (named === null || now.fingerprint === null);
  return isHandedOn && mayBeSameAsking(previous, now);
};

/** With the age under which it was reported, if that is older. */
const asOldAs = (before: Resolution, now: Resolution): Resolution =>
  before.since < now.since ? { ...now, since: before.since } : now;

/** A wait that goes on keeps its age, also where an earlier daemon reported it. */
const goesOn = (previous: Resolution, now: Resolution, isRestored: boolean): Resolution => {
  if (now.status.state === "unknown") return { ...now, since: previous.since };
  const isSameWait = isRestored || previous.requestId === now.requestId;
  return isWaiting(now.status.state) && isSameWait ? asOldAs(previous, now) : now;
};

/** The wait that was restored from the store, seen again after a moment in which nothing was known. */
const isSameWait = (before: Resolution | null, now: Resolution): before is Resolution =>
  before !== null && before.status.state === now.status.state && mayBeSameAsking(before, now);

/** After this long without a row, nothing that was known of a session counts for it. */
const TAKEN_OVER_MS = 60_000;
/** Of one turn; the newest. */
const hasLeftPane = (before: RuntimeEntry, entry: RuntimeEntry): boolean =>
  before.runtime.server !== BACKGROUND_SERVER && entry.runtime.server === BACKGROUND_SERVER;

/**
 * Evidence of `before` as `entry` has it, which goes on with the same session; null: it says nothing there. What was seen on a screen
 * or in a file is not seen again by somebody else: a pane has a screen of its own, a new process files of its own. A session that left
 * its pane has files alone, so that the next look at them is to take the place of the last one at its screen.
 */
const takenFrom = (before: RuntimeEntry, entry: RuntimeEntry, evidence: Evidence): Evidence | null => {
  if (evidence.source !== "poller" && evidence.source !== "transcript") return evidence;
  return hasLeftPane(before, entry) ? { ...evidence, source: "transcript" } : null;
};

const MAX_TAKEN_OVER = 2_000;

export class States {
  private readonly unitOfWork: UnitOfWork;
  private readonly rows: RowViews;

  constructor(unitOfWork: UnitOfWork, rows: RowViews) {
    this.unitOfWork = unitOfWork;
    this.rows = rows;
  }

  /** True when time alone may have changed the answer. */
  isDue(entry: RuntimeEntry): boolean {
    const now = this.unitOfWork.deps.clock.now();
    const times = [entry.resolution?.nextCheckAt ?? null, entry.promptDueAt, entry.leavesBy];
    return entry.resolution === null || times.some((at) => at !== null && now >= at);
  }

  keepAlive(entry: RuntimeEntry, at: number): void {
    entry.liveness = { ...entry.liveness, keepAliveAt: Math.max(entry.liveness.keepAliveAt ?? 0, at) };
  }

  private actionOf({ runtime }: RuntimeEntry): string | null {
    return this.unitOfWork.actions.actionOf(runtime.runtimeId, this.unitOfWork.deps.clock.now());
  }

  /** Inside a commit. False for a duplicate. `sourceEventId`: the agent's own id of the event. */
  addEvidence(
    entry: RuntimeEntry,
    raw: Evidence,
    payload: unknown,
    sourceEventId: string | null = null,
  ): boolean {
    const { store } = this.unitOfWork.deps;
    const stored = store.insertEvent(raw, payload, { actionId: this.actionOf(entry), sourceEventId });
    if (stored === null) {
      this.unitOfWork.drop("duplicate");
      return false;
    }
    // Decisions use only what the store holds, so that a restart changes no state.
    const { evidence, row } = stored;
    entry.facts = applyEvidence(entry.facts, evidence);
    keepAsked(entry, raw);
    entry.asked = { ...entry.asked, unended: withOpened(entry.asked.unended ?? NONE_UNENDED, raw) };
    entry.eventHorizon = Math.max(entry.eventHorizon, row);
    const cursor = entry.facts.cursors.get(evidence.source);
    if (cursor?.eventId === evidence.eventId)
      store.putCursor({
        runtimeId: entry.runtime.runtimeId,
        source: evidence.source,
        lastSourceSeq: cursor.sourceSeq,
        lastOrderEventTime: cursor.eventTime,
        lastOrderIngestedAt: cursor.ingestedAt,
        lastOrderEventId: cursor.eventId,
      });
    return true;
  }

  /**
   * Inside a commit: a session that has left a pane, or is shown by one, goes on with what is known of its turn. What it asked is
   * asked still. The end of a turn is reported once.
   */
  takeOver(entry: RuntimeEntry): void {
    const { liveState, deps } = this.unitOfWork;
    const before = entry.adapter?.background === undefined ? null : liveState.predecessorOf(entry);
    const { endedAt = null } = before?.runtime ?? {};
    if (before === null || (endedAt !== null && deps.clock.now() - endedAt > TAKEN_OVER_MS)) return;
    if (before.resolution !== null && isTurnOver(before.resolution.status)) return;
    const turnBegan = before.facts.boundaries.get(ROOT_AGENT)?.eventTime ?? -Infinity;
    const known: Evidence[] = [];
    deps.store.eachEvidence(before.runtime.runtimeId, (evidence) => {
      const taken = evidence.eventTime >= turnBegan ? takenFrom(before, entry, evidence) : null;
      if (taken !== null) known.push(taken);
    });
    const newest = known.toSorted((a, b) => a.ingestedAt - b.ingestedAt).slice(-MAX_TAKEN_OVER);
    for (const evidence of newest) {
      const eventId = deps.ids.next("ev");
      this.addEvidence(entry, { ...evidence, eventId, runtimeId: entry.runtime.runtimeId }, null);
      // What the store has is without secrets: to the letter it is known from memory alone.
      const byEvent = new Map(entry.asked.byEvent);
      const asked = before.asked.byEvent.get(evidence.eventId);
      if (asked === undefined) byEvent.delete(eventId);
      else byEvent.set(eventId, asked);
      entry.asked = { ...entry.asked, byEvent };
    }
    const lastLook = hasLeftPane(before, entry) ? (before.runs.poller ?? before.runs.transcript) : undefined;
    // Whatever its files say next is then a change that was seen.
    if (lastLook !== undefined) entry.runs = { ...entry.runs, transcript: lastLook };
    entry.cwd ??= before.cwd;
    entry.transcriptPath ??= before.transcriptPath;
    entry.activity = before.activity;
  }

  /** Inside a commit: resolves now, and stores a transition when state, reason or prompt differ. */
  evaluate(entry: RuntimeEntry): void {
    const { clock, timing, fingerprintOf, redactText } = this.unitOfWork.deps;
    const pane = this.unitOfWork.liveState.paneOf(entry.runtime);
    if (entry.runtime.endedAt !== null || pane === undefined) return;
    const at = clock.now();
    // An agent that says that it exits keeps its state until its process is gone, unless it waits.
    const isLeaving = entry.leavesBy !== null && at < entry.leavesBy;
    if (isLeaving && !isWaiting(entry.resolution?.status.state ?? "waiting_input")) return;
    entry.leavesBy = isLeaving ? entry.leavesBy : null;
    noteTitle(entry, pane.title, at, redactText);
    const resolved = resolve({
      facts: entry.facts,
      liveness: entry.liveness,
      at,
      timing: timing(),
      asked: entry.asked,
    });
    const resolution = this.withDoubt(entry, resolved);
    const previous = entry.resolution;
    const asking = { ...entry, resolution };
    const prompt = promptOf(asking, at, fingerprintOf);
    const fingerprint = prompt?.fingerprint ?? null;
    const dueAt = prompt === null || fingerprint !== null ? null : completeBy(asking);
    entry.promptDueAt = dueAt !== null && dueAt > at ? dueAt : null;
    const isSame =
      previous !== null &&
      previous.status.state === resolution.status.state &&
      previous.status.reasonCode === resolution.status.reasonCode &&
      isSameAsking(previous, { ...resolution, fingerprint }, entry);
    const { isRestored, storedWait } = entry;
    if (prompt === null || fingerprint !== null) entry.isRestored = false;
    entry.prompt = prompt;
    entry.named = isSame ? (fingerprint ?? entry.named) : fingerprint;
    if (isSame) {
      // The age of `unknown` must not restart with every reading.
      entry.resolution = goesOn(previous, resolution, isRestored);
      const marks = marksWhileSame(entry, resolution);
      if (marks !== entry.marks) {
        entry.marks = marks;
        this.unitOfWork.deps.store.putTurnMarks(entry.runtime.runtimeId, marks);
      }
      showProgress(entry, at, false);
      showActivity(entry, at, false);
      this.rows.refresh(entry, pane);
      return;
    }
    const isResumed = previous?.status.state === "unknown" && isSameWait(storedWait, resolution);
    this.change(entry, pane, {
      resolution: isResumed ? asOldAs(storedWait, resolution) : resolution,
      at,
      end: null,
    });
  }

  /** Less sure where less is known than the resolution can see. */
  private withDoubt({ runtime }: RuntimeEntry, resolved: Resolution): Resolution {
    // Nothing but its screen says that it is there at all.
    if (runtime.inside !== null) return { ...resolved, confidence: "low" };
    const since = this.unitOfWork.liveState.hooklessSince(runtime);
    const won = resolved.verdicts.find(({ outcome }) => outcome === "won");
    const isFromHook = won?.source === "hook" || won?.source === "notify";
    if (since === null || !isFromHook || won.eventTime > since || resolved.confidence !== "high")
      return resolved;
    // The hook that would say that this is over is gone.
    return { ...resolved, confidence: "medium", rule: `${resolved.rule}; its hooks were removed since` };
  }

  /** Inside a commit: makes `resolution` the runtime's state, with its transition and its row. */
  change(
    entry: RuntimeEntry,
    pane: Pane,
    { resolution, at, end }: { resolution: Resolution; at: number; end: RuntimeEnd | null },
  ): void {
    const before = entry.resolution;
    const previousState = before?.status.state ?? null;
    entry.resolution = resolution;
    if (isWaiting(previousState ?? "unknown") && !isWaiting(resolution.status.state))
      entry.closelyUntil = Math.max(entry.closelyUntil, at + LEFT_WAIT_MS);
    if (resolution.status.state !== "unknown") entry.storedWait = null;
    // Nobody could look for too long, as while the machine slept: seen again, it is the wait of before.
    else if (
      before !== null &&
      isWaiting(before.status.state) &&
      resolution.status.reasonCode === "stale_signal"
    )
      entry.storedWait = before;
    noteTurn(entry, previousState, resolution);
    entry.marks = marksAfter(entry, resolution);
    showProgress(entry, at, true);
    showActivity(entry, at, true);
    const stored = this.appendTransition(entry, pane, { resolution, at, end, previousState });
    entry.view = { ...stored, state_version: entry.stateVersion };
    const { targetId, server, paneId, runtimeId } = entry.runtime;
    const { prompt, stateVersion, marks } = entry;
    this.unitOfWork.deps.store.putState({
      targetId,
      server,
      paneId,
      runtimeId,
      resolution,
      fingerprint: prompt?.fingerprint ?? null,
      activity: entry.activity.shown,
      stateVersion,
      marks,
      lastSeenAt: confirmedAt(entry, pane) ?? at,
      updatedAt: at,
    });
    this.rows.changed(entry.view, previousState, true);
  }

  /** Inside a commit. The new version is the runtime's state version. Returns the row as it was stored, with the version before. */
  appendTransition(
    entry: RuntimeEntry,
    pane: Pane,
    change: {
      resolution: Resolution | null;
      at: number;
      end: RuntimeEnd | null;
      previousState: CanonicalState | null;
    },
  ): PaneView {
    const view = this.rows.ofRuntime(entry, pane);
    const version = this.unitOfWork.deps.store.appendTransition({
      runtimeId: entry.runtime.runtimeId,
      at: change.at,
      evaluatedAt: change.at,
      eventHorizon: entry.eventHorizon,
      liveness: entry.liveness,
      resolution: change.resolution,
      fingerprint: entry.prompt?.fingerprint ?? null,
      previousState: change.previousState,
      end: change.end,
      view,
      actionId: this.actionOf(entry),
    });
    this.unitOfWork.version = version;
    entry.stateVersion = version;
    return view;
  }
}
