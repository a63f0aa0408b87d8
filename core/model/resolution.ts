// What the engine says about a runtime: the state, why it won, and what lost. It is stored, served and explained without
// change.
import * as z from "zod";
import { evidenceSourceSchema } from "./evidence.ts";
import { promptRequestSchema } from "./request.ts";
import { targetHealthSchema } from "./runtime.ts";
import { confidenceSchema, statusSchema } from "./state.ts";

/** One candidate with its verdict. `rule` is one sentence that names the rule that decided on it. */
export const verdictSchema = z.object({
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
