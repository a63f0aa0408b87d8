// Sampled readings in: screens (`poller`) and the agents' own state files (`transcript`). Only changes, sustained runs and readings
// against an open request become stored evidence; the rest only refreshes the liveness. Also what the collector should watch next.
import { isTurnOver } from "../engine/candidates.ts";
import { isSamePicture, observe, type ObservationRun, type SampledReading } from "../engine/observe.ts";
import { QUIET_RECHECK_MS, type Timing } from "../model/config.ts";
import type { Place, ObservationSignal, Liveness } from "../model/evidence.ts";
import { isWaiting } from "../model/state.ts";
import type { ToldActivity, AgentAdapter } from "../ports/agentAdapter.ts";
import type { UnitOfWork } from "./unitOfWork.ts";
import { isActivityDue, notePlace, noteTold, type Redact, cleanProgress, isProgressDue } from "./activity.ts";
import type { States } from "./states.ts";
import { type RuntimeEntry, withLook, type LiveState } from "./liveState.ts";
import type { Account, Pane, PaneKey, Runtime } from "../model/runtime.ts";

export type ReadingSource = "poller" | "transcript";

/**
 * `reading` null: it was read at `readAt` and shows nothing known; `isBlank`: nothing at all, as after `reset`. `isChanged`: the
 * text differs from the read before, which proves life.
 */
export interface ReadingUpdate {
  reading: SampledReading | null;
  readAt: number;
  isChanged: boolean;
  isBlank?: boolean;
}

/** A run of readings that was not continued for this long has ended: the screen shows something unknown by now. */
const STILL_READ_MS = 3_000;

/**
 * How long a picture may go unread and still be the same one. What works or waits is read every two seconds; what rests is
 * read when its window is active, and otherwise once per quiet recheck. A recheck must not restart it: its age, its demotion
 * and its dismissal count from the first read.
 */
const longestGap = (previous: ObservationRun | null, timing: Timing): number => {
  switch (previous?.signal.status.state) {
    case "idle":
    case "completed":
    case "error":
      return Math.max(timing.running_ttl_ms, 1.5 * QUIET_RECHECK_MS);
    case "running":
    case "waiting_approval":
    case "waiting_input":
    case "unknown":
    case undefined:
      return timing.running_ttl_ms;
  }
};

/** True while a request may be open: published, outranked, or waiting for its confirmation. */
const hasOpenRequest = (entry: RuntimeEntry): boolean =>
  (entry.resolution?.verdicts ?? []).some(
    ({ lane, outcome }) =>
      lane.startsWith("request:") && (outcome === "won" || outcome === "lost" || outcome === "unconfirmed"),
  );

const hasUnconfirmed = (entry: RuntimeEntry): boolean =>
  (entry.resolution?.verdicts ?? []).some(({ outcome }) => outcome === "unconfirmed");

/** What an event has overtaken counts again once it was read for long enough after it. */
const isOvertaken = (entry: RuntimeEntry, source: ReadingSource): boolean =>
  (entry.resolution?.verdicts ?? []).some(
    (verdict) => verdict.source === source && verdict.outcome === "retired",
  );

/** The screen shows work though an event ended the turn: no event reports when a queued prompt begins. */
const isLaterTurn = (entry: RuntimeEntry, reading: SampledReading): boolean =>
  reading.status.state === "running" && entry.resolution !== null && isTurnOver(entry.resolution.status);

/**
 * The run that a daemon before this one saw of an error that was dismissed: while the screen still shows that error, the
 * dismissal holds. Of anything else nobody knows what was shown in between.
 */
const dismissedRun = (
  { facts }: RuntimeEntry,
  { source, reading, readAt }: { source: ReadingSource; reading: SampledReading; readAt: number },
): ObservationRun | null => {
  const signal = facts.observations.get(source)?.signal;
  const dismissedAt = facts.dismissed?.eventTime ?? null;
  if (signal?.status.state !== "error" || dismissedAt === null || signal.since > dismissedAt) return null;
  return isSamePicture(signal, reading) ? { signal, lastReadAt: readAt, countedAt: readAt } : null;
};

const isUnsustained = (entry: RuntimeEntry, now: number): boolean =>
  Object.values(entry.runs).some((run) => run.signal.reads < 2 && now - run.lastReadAt < STILL_READ_MS);

/** What the screen's reads say of the dialog that it showed last, with the read at `readAt`. */
const dialogLeftAfter = (
  { runs, liveness: { dialogLeft } }: RuntimeEntry,
  reading: SampledReading | null,
  readAt: number,
): Liveness["dialogLeft"] => {
  if (reading !== null && isWaiting(reading.status.state)) return null;
  if (dialogLeft !== null) return { ...dialogLeft, readAt };
  const last = runs.poller ?? null;
  return last !== null && isWaiting(last.signal.status.state)
    ? { seenAt: last.lastReadAt, since: readAt, readAt }
    : null;
};

export class SampledReadings {
  private readonly unitOfWork: UnitOfWork;
  private readonly states: States;

  constructor(unitOfWork: UnitOfWork, states: States) {
    this.unitOfWork = unitOfWork;
    this.states = states;
  }

  /** What is worth storing of all of them is one transaction. */
  apply(source: ReadingSource, updates: ReadonlyMap<string, ReadingUpdate>): void {
    const toStore = [...updates].flatMap(([runtimeId, update]) => this.take(runtimeId, source, update) ?? []);
    if (toStore.length === 0) return;
    this.unitOfWork.commit(() => {
      for (const store of toStore) store();
    });
  }

  /** Takes it into memory, and returns what is to be done inside a commit; null: nothing. */
  private take(
    runtimeId: string,
    source: ReadingSource,
    { reading: read, readAt, isChanged, isBlank = false }: ReadingUpdate,
  ): (() => void) | null {
    const entry = this.unitOfWork.liveState.runtimes.get(runtimeId);
    if (entry === undefined || entry.runtime.endedAt !== null) return null;
    // A view is no state of the agent: what it covers is not visible.
    const isCovered = read?.status.state === "unknown";
    const view = isCovered && read.status.reasonCode === "in_menu" ? read.matched : null;
    const reading = isCovered ? null : read;
    if (isChanged) this.states.keepAlive(entry, readAt);
    if (source === "poller") {
      entry.screenReadAt = readAt;
      const { unended } = entry.asked;
      if (unended !== undefined)
        entry.asked = { ...entry.asked, unended: withLook(unended, reading?.status ?? null, readAt) };
    }
    // A file without any known state may still say why.
    this.note(entry, source, source === "transcript" ? read : reading);
    return reading === null
      ? this.unrecognised(entry, source, readAt, { view, hidesDialog: isCovered || isBlank })
      : this.recognised(entry, source, reading, readAt);
  }

  /** `hidesDialog`: a dialog may be open all the same. */
  private unrecognised(
    entry: RuntimeEntry,
    source: ReadingSource,
    readAt: number,
    { view, hidesDialog }: { view: string | null; hidesDialog: boolean },
  ): (() => void) | null {
    const { liveness } = entry;
    if (source === "transcript") {
      const isNews = liveness.undecidedAt === null;
      entry.liveness = { ...liveness, undecidedAt: readAt };
      this.states.keepAlive(entry, readAt);
      const isDue = isNews || isProgressDue(entry, this.unitOfWork.deps.clock.now());
      return isDue ? () => this.states.evaluate(entry) : null;
    }
    // A screen without anything known may have left the state that it showed.
    const isFirst = liveness.unrecognisedSince === null || liveness.view !== view;
    entry.liveness = {
      ...entry.liveness,
      screenReadable: false,
      unrecognisedSince: entry.liveness.unrecognisedSince ?? readAt,
      unrecognisedReadAt: readAt,
      view,
      dialogLeft: hidesDialog ? liveness.dialogLeft : dialogLeftAfter(entry, null, readAt),
    };
    // A dialog or an idle prompt ends with the captures that do not show it, not with a time.
    const shown = entry.resolution?.status ?? null;
    const mayTurn = isFirst || (shown !== null && (isWaiting(shown.state) || isTurnOver(shown)));
    return mayTurn || this.states.isDue(entry) ? () => this.states.evaluate(entry) : null;
  }

  private recognised(
    entry: RuntimeEntry,
    source: ReadingSource,
    reading: SampledReading,
    readAt: number,
  ): (() => void) | null {
    const { unitOfWork, states } = this;
    const timing = unitOfWork.deps.timing();
    const previous = entry.runs[source] ?? dismissedRun(entry, { source, reading, readAt });
    const { run, isWorthStoring } = observe(previous, reading, {
      at: readAt,
      contestMs: timing.contest_ms,
      maxGapMs: longestGap(previous, timing),
    });
    const wasUnrecognised = entry.liveness.unrecognisedSince !== null;
    const dialogLeft = dialogLeftAfter(entry, reading, readAt);
    entry.runs = { ...entry.runs, [source]: run };
    entry.asked = { ...entry.asked, [source]: reading.request };
    entry.liveness = {
      ...entry.liveness,
      observedAt: { ...entry.liveness.observedAt, [source]: readAt },
      ...(source === "poller"
        ? { screenReadable: true, unrecognisedSince: null, unrecognisedReadAt: null, view: null, dialogLeft }
        : { undecidedAt: null }),
    };
    if (run.signal.steady || (source === "transcript" && reading.status.state === "running"))
      states.keepAlive(entry, readAt);
    const isSustained = run.signal.reads >= 2;
    const contests = !isWaiting(reading.status.state) && isSustained && hasOpenRequest(entry);
    if (isWorthStoring || contests || (isSustained && isLaterTurn(entry, reading)))
      return () => {
        this.store(entry, source, run.signal, readAt);
        states.evaluate(entry);
      };
    // A verdict that waits for a reading to hold longer can change with every read.
    const waitsForReads = hasUnconfirmed(entry) || isOvertaken(entry, source);
    const mayTurn = waitsForReads || entry.resolution?.status.state === "unknown" || wasUnrecognised;
    const mayBeNamed = entry.prompt !== null && entry.prompt.fingerprint === null;
    const isDue = states.isDue(entry) || isProgressDue(entry, unitOfWork.deps.clock.now());
    return mayTurn || mayBeNamed || isDue ? () => states.evaluate(entry) : null;
  }

  /** What the reading says of the work; it is shown with the next evaluation. */
  private note(entry: RuntimeEntry, source: ReadingSource, reading: SampledReading | null): void {
    const { redactText } = this.unitOfWork.deps;
    const read =
      reading === null
        ? null
        : { state: reading.status.state, text: cleanProgress(reading.progress, redactText) };
    entry.progress = { ...entry.progress, [source]: read };
  }

  /** A line from the agent's own files; null takes it back. Unknown and ended runtimes are left alone. */
  applyProgress(runtimeId: string, text: string | null): void {
    const { unitOfWork, states } = this;
    const entry = unitOfWork.liveState.runtimes.get(runtimeId);
    if (entry === undefined || entry.runtime.endedAt !== null) return;
    entry.progress = { ...entry.progress, files: cleanProgress(text, unitOfWork.deps.redactText) };
    if (isProgressDue(entry, unitOfWork.deps.clock.now())) unitOfWork.commit(() => states.evaluate(entry));
  }

  /** What a person armed for the agent, as a feature says it; null: nothing. */
  setArmed(runtimeId: string, armed: string | null): void {
    const { unitOfWork, states } = this;
    const entry = unitOfWork.liveState.runtimes.get(runtimeId);
    if (entry === undefined || entry.runtime.endedAt !== null || entry.armed === armed) return;
    entry.armed = armed;
    unitOfWork.commit(() => states.evaluate(entry));
  }

  /** What the agent's own log says of the work; its newest entry is of `at` (epoch ms). */
  applyTold(runtimeId: string, told: ToldActivity, at: number): void {
    this.learn(runtimeId, (entry, redact) => noteTold(entry, told, { source: "transcript", at, redact }));
  }

  applyPlace(runtimeId: string, place: Place): void {
    const at = this.unitOfWork.deps.clock.now();
    this.learn(runtimeId, (entry, redact) => notePlace(entry, place, at, redact));
  }

  private learn(runtimeId: string, note: (entry: RuntimeEntry, redact: Redact) => void): void {
    const { unitOfWork, states } = this;
    const entry = unitOfWork.liveState.runtimes.get(runtimeId);
    if (entry === undefined || entry.runtime.endedAt !== null) return;
    note(entry, unitOfWork.deps.redactText);
    if (isActivityDue(entry, unitOfWork.deps.clock.now())) unitOfWork.commit(() => states.evaluate(entry));
  }

  private store(entry: RuntimeEntry, source: ReadingSource, signal: ObservationSignal, readAt: number): void {
    const { unitOfWork } = this;
    const ingestedAt = unitOfWork.nextIngestedAt();
    const eventId = unitOfWork.deps.ids.next("ev");
    this.states.addEvidence(
      entry,
      {
        eventId,
        runtimeId: entry.runtime.runtimeId,
        source,
        eventType: source === "poller" ? "screen" : "state_file",
        sourceSeq: null,
        eventTime: Math.min(readAt, ingestedAt),
        ingestedAt,
        dedupeKey: eventId,
        signal,
      },
      null,
    );
  }
}

// Watched: the live runtimes of a target as they are known now, and how closely the collector should watch them. It only reads.

/** A live runtime as the collector needs it (see `WatchedRuntime` there). */
export interface WatchedEntry {
  runtime: Runtime;
  adapter: AgentAdapter;
  pane: Pane;
  attention: "close" | "waiting" | "active" | "quiet";
  isUnsustained: boolean;
  cwd: string | null;
  transcriptPath: string | null;
  account: Account | null;
  processCwd: string | null | undefined;
}

/** How long the next readings may decide between two that differ; then each is what its source goes on to say. */
const DIFFERS_FOR_MS = 3_000;

/** The screen shows a turn in progress and the agent's own file its end, or the reverse: one of them is outdated. */
const isDiffering = ({ runs: { poller, transcript } }: RuntimeEntry, now: number): boolean => {
  if (poller === undefined || transcript === undefined) return false;
  const [screen, file] = [poller.signal, transcript.signal];
  const differs =
    (screen.status.state === "running" && isTurnOver(file.status)) ||
    (file.status.state === "running" && isTurnOver(screen.status));
  return differs && now - Math.max(screen.since, file.since) < DIFFERS_FOR_MS;
};

const attentionOf = (entry: RuntimeEntry, now: number): WatchedEntry["attention"] => {
  const state = entry.resolution?.status.state ?? "unknown";
  if (now < entry.closelyUntil || hasUnconfirmed(entry)) return "close";
  if (isWaiting(state) || hasOpenRequest(entry)) return "waiting";
  if (isDiffering(entry, now)) return "close";
  return state === "running" || state === "unknown" ? "active" : "quiet";
};

/** Values are computed when they are read; most never are. */
class Watched implements WatchedEntry {
  readonly runtime: Runtime;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
  readonly account: Account | null;
  readonly processCwd: string | null | undefined;
  private readonly entry: RuntimeEntry;
  readonly adapter: AgentAdapter;
  readonly pane: Pane;
  private readonly now: number;

  constructor(entry: RuntimeEntry, adapter: AgentAdapter, pane: Pane, now: number) {
    this.entry = entry;
    this.adapter = adapter;
    this.pane = pane;
    this.now = now;
    this.runtime = entry.runtime;
    this.cwd = entry.cwd;
    this.transcriptPath = entry.transcriptPath;
    this.account = entry.account;
    this.processCwd = entry.processCwd;
  }

  get attention(): WatchedEntry["attention"] {
    return attentionOf(this.entry, this.now);
  }

  get isUnsustained(): boolean {
    return isUnsustained(this.entry, this.now);
  }
}

const watchedEntry = (liveState: LiveState, entry: RuntimeEntry, now: number): WatchedEntry | null => {
  const pane = liveState.paneOf(entry.runtime);
  return pane === undefined || entry.adapter === null ? null : new Watched(entry, entry.adapter, pane, now);
};

/** The closeness is that of the moment in which it is read; `now` (epoch ms) is that of the call. */
export const watchedRuntimes = (
  liveState: LiveState,
  targetId: string,
  now: number,
  isWanted: (adapter: AgentAdapter) => boolean,
): WatchedEntry[] => {
  const watched: WatchedEntry[] = [];
  for (const entry of liveState.liveRuntimes()) {
    if (entry.runtime.targetId !== targetId || entry.adapter === null || !isWanted(entry.adapter)) continue;
    const one = watchedEntry(liveState, entry, now);
    if (one !== null) watched.push(one);
  }
  return watched;
};

export const watchedRuntimeIn = (liveState: LiveState, key: PaneKey, now: number): WatchedEntry | null => {
  const entry = liveState.liveOf(key);
  return entry === undefined ? null : watchedEntry(liveState, entry, now);
};
