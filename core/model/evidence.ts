// Evidence is what every signal becomes before the engine sees it (spec 7.4).
import * as z from "zod";
import { promptRequestSchema } from "./request.ts";
import { confidenceSchema, statusSchema } from "./state.ts";

/** Characters of a progress line. */
export const MAX_PROGRESS = 200;

/** The agent id of the root agent; sub-agents carry their own. */
export const ROOT_AGENT = "";

export const EVIDENCE_SOURCES = ["hook", "notify", "wrapper", "transcript", "poller", "reconciler"] as const;
export const evidenceSourceSchema = z.enum(EVIDENCE_SOURCES);
export type EvidenceSource = z.infer<typeof evidenceSourceSchema>;

/**
 * Something the agent did. `boundary`: it starts or ends a turn (or session) of `agentId` and so retires all older turn
 * evidence of that agent and closes its older requests. `closes`: names of requests that it answers. `names`: this tool-use id
 * is another name of `requestKey`, so that a later `closes` with the id finds the request. `status` null: it only proves life.
 * `progress`: what the event says of the work beside the state; shown as a line while this event decides the state. Added after
 * contract 1.0.
 */
export const activitySignalSchema = z.object({
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
export const requestSignalSchema = z.object({
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
export const observationSignalSchema = z.object({
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
export const settledSignalSchema = z.object({ kind: z.literal("settled") });

/** A person dismissed the row's error as of this moment. */
export const dismissalSignalSchema = z.object({ kind: z.literal("dismissal") });

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
