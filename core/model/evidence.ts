// Evidence, which every signal becomes before the engine sees it (spec 7.4); what an agent is doing; the resolution that the engine
// makes of the evidence, with the liveness that it rests on and the end of a runtime; and the marks of turns. Schemas and types.
import * as z from "zod";
import { promptRequestSchema } from "./request.ts";
import { confidenceSchema, statusSchema } from "./state.ts";
import { targetHealthSchema } from "./runtime.ts";

/** Characters of a progress line. */
export const MAX_PROGRESS = 200;

/** The agent id of the root agent; sub-agents carry their own. */
export const ROOT_AGENT = "";

const EVIDENCE_SOURCES = ["hook", "notify", "wrapper", "transcript", "poller", "reconciler"] as const;
export const evidenceSourceSchema = z.enum(EVIDENCE_SOURCES);
export type EvidenceSource = z.infer<typeof evidenceSourceSchema>;

/**
 * Something the agent did. `boundary`: it starts or ends a turn (or session) of `agentId` and so retires all older turn
 * evidence of that agent and closes its older requests. `closes`: names of requests that it answers. `names`: this tool-use id
 * is another name of `requestKey`, so that a later `closes` with the id finds the request. `status` null: it only proves life.
 * `progress`: what the event says of the work beside the state; shown as a line while this event decides the state. Added after
 * contract 1.0.
 */
const activitySignalSchema = z.object({
  kind: z.literal("activity"),
  agentId: z.string(),
  status: statusSchema.nullable(),
  confidence: confidenceSchema,
  boundary: z.boolean(),
  closes: z.array(z.string()),
  names: z.object({ toolUseId: z.string(), requestKey: z.string() }).nullable(),
  progress: z.string().max(MAX_PROGRESS).optional(),
});

/**
 * A dialog or question opened. It stays open until `closes` names it, a boundary of the same agent passes, the screen contests
 * it, or the runtime ends. `requestKey` null: the event says "a dialog is open" but not which; it counts only until the next
 * activity of the agent. `needsConfirmation`: the event is known to over-fire, so the wait is published when the dialog was
 * seen, or after `dialogGraceMs` where the screen cannot be read.
 */
const requestSignalSchema = z.object({
  kind: z.literal("request"),
  agentId: z.string(),
  requestKey: z.string().nullable(),
  status: statusSchema,
  confidence: confidenceSchema,
  request: promptRequestSchema,
  needsConfirmation: z.boolean(),
  dialogGraceMs: z.number().nonnegative(),
});

/**
 * A sampled reading (screen, title, state file) that positively shows `status`, unchanged since `since` (epoch ms of the
 * first read of this run of equal readings) over `reads` reads, where reads closer together than the contest time count
 * once; the evidence's own event time is the latest read.
 * `lastDialogSeenAt`: the last read that showed a dialog. `onset` says whether the change into this status was witnessed
 * (`seen`) or the status was already there at the first read (`unknown`: a finished turn of unknown age is not fresh).
 * `steady`: an unchanged picture still proves life (a waiting-for-background-task line that does not animate).
 */
const observationSignalSchema = z.object({
  kind: z.literal("observation"),
  status: statusSchema,
  confidence: confidenceSchema,
  matched: z.string().max(2_000),
  request: promptRequestSchema.nullable(),
  since: z.number(),
  reads: z.number().int().positive(),
  lastDialogSeenAt: z.number().nullable(),
  onset: z.enum(["seen", "unknown"]),
  steady: z.boolean(),
});

/** The agent said that it waits at its prompt, but not how the turn ended: this retires only an older `running`. */
const settledSignalSchema = z.object({ kind: z.literal("settled") });

/** A person dismissed the row's error as of this moment. */
const dismissalSignalSchema = z.object({ kind: z.literal("dismissal") });

export const signalSchema = z.discriminatedUnion("kind", [
  activitySignalSchema,
  requestSignalSchema,
  observationSignalSchema,
  settledSignalSchema,
  dismissalSignalSchema,
]);
export type Signal = z.infer<typeof signalSchema>;
export type ActivitySignal = z.infer<typeof activitySignalSchema>;
export type RequestSignal = z.infer<typeof requestSignalSchema>;
export type ObservationSignal = z.infer<typeof observationSignalSchema>;

/** Bound evidence. All times are epoch milliseconds on the daemon's clock; fractions keep file-time precision. */
export const evidenceSchema = z.object({
  eventId: z.string().min(1),
  runtimeId: z.string().min(1),
  source: evidenceSourceSchema,
  /** Name of the agent's event or of the reader that made it, for people. */
  eventType: z.string().max(200),
  sourceSeq: z.number().int().nullable(),
  eventTime: z.number(),
  ingestedAt: z.number(),
  dedupeKey: z.string().min(1),
  signal: signalSchema,
});
export type Evidence = z.infer<typeof evidenceSchema>;

// Activity: what an agent is doing, for a person to see beside its state, from its events, its own files, the process, tmux and
// git. It decides nothing, is one line each, and absent where no source reports it.

/** Characters of a prompt's line, a tool's subject, the agent's line, a branch. */
export const MAX_ACTIVITY_TEXT = 300;
export const MAX_FOLDER = 4_096;

const line = z.string().max(MAX_ACTIVITY_TEXT).nullable();

const runningToolSchema = z.object({
  name: z.string().max(MAX_ACTIVITY_TEXT),
  /** What it works on: the command, the file, the address. */
  subject: line,
});
export type RunningTool = z.infer<typeof runningToolSchema>;

export const activityViewSchema = z.object({
  /** First line of what the person asked last. */
  prompt: line,
  /** The agent's own name for its session; null also where rows of older versions say nothing of it. */
  session_title: line.default(null),
  /** The tool that runs or waits for its permission; null outside of a turn. */
  tool: runningToolSchema.nullable(),
  /** Last line of what the agent said last. */
  said: line,
  folder: z.string().max(MAX_FOLDER).nullable(),
  /** Name of the folder with the repository's main worktree; null also where rows of older versions say nothing of it. */
  repository: line.default(null),
  branch: line,
  /** Name of the linked worktree that the folder is in; null in the main one. */
  worktree: line,
  /** Top folder of the worktree that the folder is in; null outside of one, and where rows of older versions say nothing of it. */
  work_tree: z.string().max(MAX_FOLDER).nullable().default(null),
  /** ISO 8601; null outside of a turn, and where nobody saw it begin. */
  turn_began_at: z.string().nullable(),
});
export type ActivityView = z.infer<typeof activityViewSchema>;

/** Beside the sources of states: the process's own folder, the pane's folder and title by tmux, and git's files. */
const activitySourceSchema = z.union([evidenceSourceSchema, z.enum(["process", "tmux", "git"])]);
export type ActivitySource = z.infer<typeof activitySourceSchema>;

/** Every field in the order in which it is listed. */
export const ACTIVITY_FIELDS = [
  "prompt",
  "session_title",
  "tool",
  "said",
  "folder",
  "repository",
  "branch",
  "worktree",
  "work_tree",
  "turn_began_at",
] as const satisfies readonly (keyof ActivityView)[];

export const activityEvidenceSchema = z.object({
  field: z.enum(ACTIVITY_FIELDS),
  value: z.string(),
  source: activitySourceSchema,
  at: z.string(),
});
export type ActivityEvidence = z.infer<typeof activityEvidenceSchema>;

/** Where an agent works; `folder` null: not known. */
export interface Place {
  folder: string | null;
  source: ActivitySource;
  repository: string | null;
  branch: string | null;
  worktree: string | null;
  workTree: string | null;
}

// Resolution: the state of a runtime, why it won, and what lost. It is stored, served and explained without change.

/** One candidate with its verdict. `rule` is one sentence that names the rule that decided on it. */
const verdictSchema = z.object({
  eventId: z.string(),
  source: evidenceSourceSchema,
  eventType: z.string(),
  lane: z.string(),
  status: statusSchema,
  confidence: confidenceSchema,
  eventTime: z.number(),
  outcome: z.enum(["won", "lost", "retired", "contested", "stale", "unconfirmed"]),
  rule: z.string(),
  matched: z.string().nullable(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/**
 * `since`: when the winning fact began (age of a wait, of a turn), epoch ms on the daemon's clock. `requestId` names the
 * open request: request key and its opening event, so that the same command asked twice differs. `nextCheckAt`: the
 * earliest moment at which time alone can change the answer, or null.
 */
export const resolutionSchema = z.object({
  status: statusSchema,
  confidence: confidenceSchema,
  since: z.number(),
  requestId: z.string().nullable(),
  request: promptRequestSchema.nullable(),
  rule: z.string(),
  verdicts: z.array(verdictSchema),
  nextCheckAt: z.number().nullable(),
});
export type Resolution = z.infer<typeof resolutionSchema>;

/**
 * What the collector last verified, apart from evidence: the inputs of freshness. `processVerifiedAt`: the agent's process was
 * seen alive. `keepAliveAt`: the newest accepted event, changed screen or title, or busy state file. `observedAt`: for each
 * observing source, the time of the latest read that gave the same as its stored observation. `screenReadable`: whether the
 * screen can be read at all now. Stored with each transition so that replay is exact.
 */
export const livenessSchema = z.object({
  processVerifiedAt: z.number().nullable(),
  keepAliveAt: z.number().nullable(),
  observedAt: z.object({ poller: z.number().nullable(), transcript: z.number().nullable() }),
  screenReadable: z.boolean(),
  /** Since when the screen was read but showed nothing that the adapter knows; null while it is recognised. */
  unrecognisedSince: z.number().nullable(),
  /** The latest read of such a screen; null while it is recognised. */
  unrecognisedReadAt: z.number().nullable().default(null),
  /** The last read of the agent's own file by which a tool runs or waits for an answer; null: it has told a state since, or always. */
  undecidedAt: z.number().nullable().default(null),
  /** What shows that a view of the agent's own (a menu, a list, its settings) covers what it does; null while none does. */
  view: z.string().nullable().default(null),
  /**
   * The screen's reads since it last showed a dialog (at `seenAt`), recognised or not: the first and the latest. Null while it
   * shows one, and where none was seen.
   */
  dialogLeft: z
    .object({ seenAt: z.number(), since: z.number(), readAt: z.number() })
    .nullable()
    .default(null),
  targetHealth: targetHealthSchema,
  /** The agent's process was suspended when it was verified: what the screen and the events say is not the present. */
  isSuspended: z.boolean().default(false),
});
export type Liveness = z.infer<typeof livenessSchema>;

export const NO_LIVENESS: Liveness = {
  processVerifiedAt: null,
  keepAliveAt: null,
  observedAt: { poller: null, transcript: null },
  screenReadable: false,
  unrecognisedSince: null,
  unrecognisedReadAt: null,
  undecidedAt: null,
  view: null,
  dialogLeft: null,
  targetHealth: "ok",
  isSuspended: false,
};

/**
 * How a runtime ended. `crashed` needs positive proof. `disabled`: its process goes on, but the
 * person no longer wants its agent to be recognised.
 */
export const runtimeEndSchema = z.enum(["exited", "killed", "crashed", "replaced", "vanished", "disabled"]);
export type RuntimeEnd = z.infer<typeof runtimeEndSchema>;

/**
 * What is remembered of an agent's turns beside its state: whether one is under way, when the newest one ended, and whether
 * anybody has looked at that end. No decision about a state rests on it.
 */
export const turnMarksSchema = z.object({
  /** A turn is under way, as far as was seen. */
  isInTurn: z.boolean(),
  /** When that turn began, epoch ms; null where nobody saw it begin. */
  beganAt: z.number().nullable(),
  /** When the newest turn that finished ended, or when the agent crashed, epoch ms; null before the first. */
  doneAt: z.number().nullable(),
  /** Nobody has looked at that end. */
  isUnread: z.boolean(),
});
export type TurnMarks = z.infer<typeof turnMarksSchema>;

export const NO_TURN_MARKS: TurnMarks = { isInTurn: false, beganAt: null, doneAt: null, isUnread: false };
