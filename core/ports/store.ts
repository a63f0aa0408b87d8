// Durable memory: the slices for automation and for approval rules, the kinds of failure, and the store itself with its rows.
// Synchronous on purpose: one transaction takes some tenths of a millisecond (docs/adr/0003).
import type { Job, JobRun, JobState, SendJob } from "../model/job.ts";
import type { RuleRun } from "../model/rule.ts";
import type { PaneView } from "../model/view.ts";
import { errorCodeOf } from "../model/errors.ts";
import type {
  ActivityView,
  Evidence,
  EvidenceSource,
  Liveness,
  Resolution,
  RuntimeEnd,
  TurnMarks,
} from "../model/evidence.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Pane, PaneKey, Runtime, Target } from "../model/runtime.ts";
import type { ActionSnapshot } from "../model/action.ts";
import type { CanonicalState } from "../model/state.ts";

// Automation's slice: its jobs and what they did. Automation can reach nothing else of the store.

/** How a job ends. */
export type JobEnd = Exclude<JobState, "armed" | "held">;

/** What goes on record, and when (epoch ms). */
export type RunNote = { at: number; outcome: string };

/** How a send ended: on record with the job's next time, or with its end. */
interface SentRun extends RunNote {
  jobId: string;
  nextAt: number | null;
  /** Null: it goes on unless this was the last time. */
  end: JobEnd | null;
}

export interface JobStore {
  insertJob(job: Job): void;
  /** Those that are pending, the oldest first; read each time, because a damaged store is replaced by an empty one. */
  listArmedJobs(): Job[];
  /** Newest first. */
  listJobs(limit: number): Job[];
  getJob(jobId: string): Job | null;
  /** Ends a job that is armed or held, and takes its text out; false where it is neither. `why` goes on record with it. */
  endJob(jobId: string, state: JobEnd, why?: RunNote): boolean;
  /** Lets an armed job rest, or one that rests go on; false where it is not so. */
  holdJob(jobId: string, isHeld: boolean): boolean;
  /**
   * Puts on record that an armed job reported something, in one transaction with its end if this was the last time. False where it
   * is not armed (any more): then nothing may be reported.
   */
  recordRun(run: JobRun): boolean;
  /** Newest first. */
  listRuns(jobId: string, limit: number): JobRun[];
  /** Since when everything armed rests, epoch ms; null: it does not. */
  pausedAt(): number | null;
  /** Pauses everything armed from then on, or lets it go on. */
  setPausedAt(at: number | null): void;
  /** Job and runtime of everything that armed jobs reported. */
  listTold(): { jobId: string; runtimeId: string }[];
  /** Puts on record that an armed job is about to send; false where it is not armed (any more): then nothing may be sent. */
  beginSend(run: { jobId: string; at: number; runtimeId: JobRun["runtimeId"] }): boolean;
  /** Nothing was sent: the record of the begun send goes. */
  undoSend(jobId: string): void;
  /** Puts on record how a begun send ended. */
  settleSend(run: SentRun): void;
  /** Whether a send was begun and never settled, because the daemon ended meanwhile. */
  hasBegunSend(jobId: string): boolean;
  /** The time at which a job of a schedule is due next; `note` says why it was not done now. */
  setNextAt(jobId: string, nextAt: number, note: RunNote | null): void;
  /** The session that a job is bound to, once the agent has named it. */
  bindSession(jobId: string, sessionId: string): void;
  /** Makes an armed first text a send to this agent, which was seen in its pane; false where it is none (any more). */
  bindAgent(jobId: string, agent: SendJob["agent"], sessionId: string | null): boolean;
  /** When the last text of any job went to this runtime, epoch ms; null: none did. */
  lastSentAt(runtimeId: string): number | null;
  /**
   * What became of an action under this idempotency key: `none` where no key was pressed under it, `unsettled` where one may
   * have been, else its result as it was stored.
   */
  findSent(runtimeId: string, key: string): { result: string } | "unsettled" | "none";
}

// Slice of approval rules: which of them a person armed, what they did, and what was asked before. A damaged store is replaced by
// an empty one: then none is armed.

/** `hash`: of the rule to the letter, so that a changed one is another one. */
export interface ArmedRule {
  hash: string;
  rule: string;
  /** Epoch ms. */
  at: number;
  surface: string;
}

export interface RuleStore {
  armRule(armed: ArmedRule): void;
  /** Whatever was armed under this name; false where nothing was. */
  disarmRule(rule: string): boolean;
  /** Read each time, because a damaged store is replaced by an empty one. */
  listArmedRules(): ArmedRule[];
  /** Puts on record what a rule is about to do, or would have done. Gives its number. */
  insertRuleRun(run: Omit<RuleRun, "runRow">): number;
  /** How it ended. */
  settleRuleRun(runRow: number, end: { outcome: string; actionId: RuleRun["actionId"] }): void;
  /** Runs that an earlier daemon began and did not see through get this outcome. */
  settleBegunRuleRuns(outcome: string): void;
  /** Newest first. */
  listRuleRuns(limit: number): RuleRun[];
  /** The newest of each rule, by hash. */
  lastRuleRuns(): RuleRun[];
  /**
   * How many answers rules began to give this agent since then, epoch ms, without those for which no key was pressed; all rules, or
   * one by its name.
   */
  countRuleAnswers(runtimeId: string, since: number, rule: string | null): number;
  /** By hash and verdict. */
  countRuleRuns(): { hash: string; verdict: string; count: number }[];
  /** Rows at the moments at which an agent began to ask, newest first, as they are kept: without secrets. */
  listAsked(limit: number): { at: number; row: PaneView }[];
}

// Failures of a store, by the errors that it throws; both sides of the port have to agree on them.

/** `damaged`: the file itself is wrong or gone. `unavailable`: it is sound, but cannot be written or read now. */
type StoreFailure = "damaged" | "unavailable";

const DAMAGE =
  /^(?:SQLITE_CORRUPT.*|SQLITE_NOTADB|SQLITE_IOERR_SHORT_READ|SQLITE_READONLY_DBMOVED|E_DATABASE_DAMAGED)$/;
/** Errors of the data or of our statements: trying again does not help, and nothing is wrong with the file. */
const OURS = /^SQLITE_(?:CONSTRAINT|MISUSE|RANGE|MISMATCH|TOOBIG|SCHEMA)/;

/** Errors of the file system, when the store puts its file back. */
const SYSTEM = /^E[A-Z]+$/;

/** Null: the error does not come from the store. */
export const storeFailureOf = (error: unknown): StoreFailure | null => {
  const code = errorCodeOf(error);
  if (DAMAGE.test(code)) return "damaged";
  return SYSTEM.test(code) || (code.startsWith("SQLITE_") && !OURS.test(code)) ? "unavailable" : null;
};

/** Why nothing can be stored, for a person. */
export const describeOutage = (error: unknown): string => {
  const code = errorCodeOf(error);
  if (code === "SQLITE_FULL" || code === "ENOSPC") return "the disk is full";
  if (code === "ENOENT") return "the folder of the database is gone";
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS" || code === "EACCES")
    return "the folder or the file is read-only";
  return code;
};

// The store and its rows.

/** Newest order key that was accepted from one source of one runtime (spec 7.2.2). */
export interface SourceCursor {
  runtimeId: string;
  source: EvidenceSource;
  lastSourceSeq: number | null;
  lastOrderEventTime: number;
  lastOrderIngestedAt: number;
  lastOrderEventId: string;
}

/** A row of `states`: the current answer for a runtime. */
export interface StateRow extends PaneKey {
  runtimeId: string;
  resolution: Resolution;
  fingerprint: string | null;
  /** What the agent was doing when the state began. */
  activity: ActivityView | null;
  stateVersion: number;
  marks: TurnMarks;
  /** When it was last confirmed; written about once a minute while it does not change. */
  lastSeenAt: number;
  updatedAt: number;
}

/**
 * One change of a runtime's state. `version` is assigned by the store (autoincrement, never reused) and is at once the
 * state version and the feed version. `resolution` null: the runtime ended (`end` says how). `evaluatedAt`, `eventHorizon`
 * (highest stored event row applied) and `liveness` make the transition reproducible by replay. `view` is the row as the
 * clients saw it, without its activity, which is kept only for the current state.
 */
export interface NewTransition {
  runtimeId: string;
  at: number;
  evaluatedAt: number;
  eventHorizon: number;
  liveness: Liveness;
  resolution: Resolution | null;
  fingerprint: string | null;
  previousState: CanonicalState | null;
  end: RuntimeEnd | null;
  view: PaneView;
  /** The action that ran, or had just run, on this runtime; null without one. It is an annotation that replay ignores. */
  actionId: string | null;
}
export interface Transition extends NewTransition {
  version: number;
}

/** An event that named no live runtime when it came. Unique on target, server and spool name. */
export interface PendingEvent {
  targetId: string;
  server: string | null;
  envelope: Envelope;
  ingestedAt: number;
}

export interface AuditEntry {
  actionId: string;
  at: number;
  surface: string;
  action: string;
  ref: string;
  runtimeId: string | null;
  snapshotId: string | null;
  outcome: string;
  promptFingerprint: string | null;
  /** Characters that were sent; null for actions without text. The text itself is never kept. */
  textLength: number | null;
}

/** An event or a transition that named an action. `what`: the event's type, or the state that was entered (or how it ended). */
export interface Aftermath {
  actionId: string;
  kind: "event" | "transition";
  at: number;
  /** State version of a transition; null for an event. */
  version: number | null;
  what: string;
  /** Source of an event, or reason code of a transition. */
  why: string | null;
}

/** An idempotency key in use. `result` is null while its action runs, and stays null if the action never ended. */
interface UsedKey {
  actionId: string;
  at: number;
  result: string | null;
}

export interface AdapterRow {
  adapterName: string;
  agentType: string;
  version: string;
  capabilities: Record<string, boolean>;
  enabled: boolean;
  updatedAt: number;
}

/** What an event carries beside its evidence; no decision depends on it. */
export interface EventMarks {
  /** The same as in a transition. */
  actionId: string | null;
  /** The agent's own id of the event, where it gave one. */
  sourceEventId: string | null;
}

/** Evidence as the store keeps it, with its row number. */
interface StoredEvent {
  row: number;
  evidence: Evidence;
}

export interface Store extends JobStore, RuleStore {
  /** Runs `work` in one immediate transaction; a throw rolls everything back and is rethrown. */
  transaction<T>(work: () => T): T;
  /** Inside a transaction: runs `work` in a savepoint; a throw rolls back this part only and is rethrown. */
  savepoint<T>(work: () => T): T;

  upsertTarget(target: Target): void;
  listTargets(): Target[];
  /** Removes the target with its panes, states and waiting events; its live runtimes must have been ended before. */
  removeTarget(targetId: string): void;

  /** Makes the stored panes of one server equal to `panes`, without writing unchanged rows. */
  replacePanes(targetId: string, server: string, panes: readonly Pane[]): void;
  listPanes(): Pane[];

  insertRuntime(runtime: Runtime): void;
  endRuntime(runtimeId: string, endedAt: number, end: RuntimeEnd): void;
  setAgentSessionId(runtimeId: string, agentSessionId: string): void;
  /** Of a runtime that has not ended; see `Runtime`. Its end takes it away. */
  setMutedUntil(runtimeId: string, until: number | null): void;
  /** It must hold no secret. */
  setRuntimeName(runtimeId: string, name: string | null): void;
  getRuntime(runtimeId: string): Runtime | null;
  listLiveRuntimes(): Runtime[];
  /** Highest epoch ever given to this pane key; 0 when none. */
  lastPaneEpoch(key: PaneKey): number;

  /**
   * Stores evidence once per (runtime, source, dedupe key), or null for a duplicate. Only here an event loses its secrets:
   * evidence and payload are redacted and bounded, and decisions are made from the evidence that comes back.
   */
  insertEvent(evidence: Evidence, rawPayload: unknown, marks?: Partial<EventMarks>): StoredEvent | null;
  /**
   * Visits the evidence of a runtime one by one, with its row number, in no order: there may be too much of it to hold at once.
   * `visit` must not write to the store.
   */
  eachEvidence(runtimeId: string, visit: (evidence: Evidence, row: number) => void): void;
  getCursor(runtimeId: string, source: EvidenceSource): SourceCursor | null;
  putCursor(cursor: SourceCursor): void;
  /** When the newest hook event of any runtime of this agent on the target was ingested (epoch ms), or null. */
  lastHookEventAt(agentType: string, targetId: string): number | null;
  /** Highest `ingested_at` ever stored; 0 when none. */
  lastIngestedAt(): number;

  /** False when this spool name is already pending. */
  addPending(event: PendingEvent): boolean;
  listPending(): PendingEvent[];
  removePending(event: PendingEvent): void;
  /** False when this spool file was already committed (as evidence, pending or dropped): one delivered again is not ingested. */
  rememberSpoolName(targetId: string, spoolName: string, at: number): boolean;

  putState(row: StateRow): void;
  /** Of the runtime's state row, without a change of the state. */
  putTurnMarks(runtimeId: string, marks: TurnMarks): void;
  /** When each of these states was last confirmed, without any change of it. */
  seeStates(seen: readonly { runtimeId: string; lastSeenAt: number }[]): void;
  deleteState(runtimeId: string): void;
  listStates(): StateRow[];

  appendTransition(transition: NewTransition): number;
  /** Oldest first. */
  listTransitionsAfter(version: number, limit: number): Transition[];
  /** Newest first. */
  listTransitionsOf(runtimeId: string, limit: number): Transition[];
  /**
   * Lowest stored and highest given version; 0 and 0 when none was ever given. The highest survives pruning and the loss of the
   * history; after a loss, the lowest is the version that comes next.
   */
  transitionRange(): { first: number; last: number };
  /** First version at or after a moment (epoch ms), or null. For `watch --since <timestamp>`. */
  firstVersionSince(at: number): number | null;

  insertSnapshot(snapshot: ActionSnapshot): void;
  getSnapshot(snapshotId: string): ActionSnapshot | null;

  appendAudit(entry: AuditEntry): void;
  /** Newest first. */
  listAudit(limit: number): AuditEntry[];
  /** What followed the given actions, oldest first. */
  listAftermath(actionIds: readonly string[]): Aftermath[];

  /**
   * Takes an idempotency key for an action; null when the key is now ours, else the entry of its holder. `scope`: what the key
   * is about.
   */
  claimKey(claim: { scope: string; key: string; actionId: string; at: number }): UsedKey | null;
  settleKey(scope: string, key: string, result: string): void;
  /** Frees a key under which nothing was done, so that it may be used again. */
  releaseKey(scope: string, key: string): void;

  upsertAdapter(row: AdapterRow): void;

  /**
   * For an empty database that replaces one that was set aside: everything before `at` is lost, and the next version is above
   * `version`.
   */
  noteLoss(loss: { at: number; version: number }): void;
  /** When the history was lost last (epoch ms), or null. */
  lostAt(): number | null;

  /**
   * Removes old rows by age, and events and transitions also by number. Never removes events of live runtimes that are in
   * `keepEventIds`. Returns the number of removed rows.
   */
  prune(options: { olderThan: number; maxEvents: number; keepEventIds: ReadonlySet<string> }): number;

  close(): void;
}
