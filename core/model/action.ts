// Actions: the snapshot that one is prepared on (spec 7.7), and the results, which are documents for the CLI's --json and the
// popover, snake_case on the wire. They hold no text that was sent, except where the output of a pane, which was asked for, shows
// it.
import * as z from "zod";
import { SCHEMA_VERSION } from "./view.ts";
import { canonicalStateSchema } from "./state.ts";

/**
 * `delivered`: the effect was seen. `not_delivered`: the effect was seen to be missing. `unverified`: neither could be shown.
 */
const actionOutcomeSchema = z.enum(["delivered", "not_delivered", "unverified"]);
export type ActionOutcome = z.infer<typeof actionOutcomeSchema>;

/** Exit status of the CLI for each outcome. */
export const OUTCOME_EXIT_CODES = {
  delivered: 0,
  not_delivered: 20,
  unverified: 21,
} as const satisfies Record<ActionOutcome, number>;

/** Longest text that `send` takes, in characters. */
export const MAX_TEXT = 200_000;

export const KILL_SIGNALS = ["INT", "TERM", "KILL"] as const;
export const killSignalSchema = z.enum(KILL_SIGNALS);
export type KillSignal = z.infer<typeof killSignalSchema>;

/**
 * The answer to a prompt. `approve`: only this once, never also similar requests. `option`: the n-th of the prompt's options,
 * from 1. `text`: for a question that takes one.
 */
export const answerChoiceSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("approve") }),
  z.object({ kind: z.literal("deny") }),
  z.object({ kind: z.literal("option"), number: z.number().int().min(1).max(30) }),
  /** Exactly these together, of a request that takes several. */
  z.object({
    kind: z.literal("options"),
    numbers: z.array(z.number().int().min(1).max(30)).min(1).max(30),
  }),
  z.object({ kind: z.literal("text"), text: z.string().min(1).max(MAX_TEXT) }),
]);
export type AnswerChoice = z.infer<typeof answerChoiceSchema>;

/** `detail`: one sentence on what was seen. `notes`: how the input was changed before it was sent. */
export const actionResultSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  action_id: z.string(),
  action: z.enum(["send", "answer", "interrupt", "kill"]),
  pane_ref: z.string(),
  runtime_id: z.string().nullable(),
  snapshot_id: z.string(),
  outcome: actionOutcomeSchema,
  detail: z.string(),
  notes: z.array(z.string()),
  /** Nothing was done now: this is the answer to an earlier action with the same idempotency key. */
  is_repeat: z.boolean(),
});
export type ActionResult = z.infer<typeof actionResultSchema>;

export const MAX_OUTPUT_LINES = 10_000;
export const MAX_OUTPUT_BYTES = 1_000_000;
export const DEFAULT_OUTPUT_LINES = 100;

/** The source of the output: what tmux holds of the pane, or the agent's own log of the session. */
export const outputSourceSchema = z.enum(["screen", "transcript"]);
export type OutputSource = z.infer<typeof outputSourceSchema>;
/** What can be asked for; `transcript_or_screen`: the log where one is there and says something, else the screen. */
export const outputRequestSchema = z.enum([...outputSourceSchema.options, "transcript_or_screen"]);
export type OutputRequest = z.infer<typeof outputRequestSchema>;

/** Newest line last. `cut`: which bound left older lines out. */
export const paneOutputSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  pane_ref: z.string(),
  runtime_id: z.string().nullable(),
  snapshot_id: z.string(),
  has_ansi: z.boolean(),
  /** The program draws on the alternate screen: there is no scrollback, only what is visible. */
  is_alternate: z.boolean(),
  source: outputSourceSchema,
  /** The agent's own log of the session can be asked for instead. */
  transcript_offered: z.boolean(),
  cut: z.enum(["none", "lines", "bytes"]),
  lines: z.array(z.string()),
});
export type PaneOutput = z.infer<typeof paneOutputSchema>;

/** Newest first. */
export const auditListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  items: z.array(
    z.object({
      action_id: z.string(),
      at: z.string(),
      surface: z.string(),
      action: z.string(),
      ref: z.string(),
      runtime_id: z.string().nullable(),
      snapshot_id: z.string().nullable(),
      /** An outcome, or the code of the error that refused it. */
      outcome: z.string(),
      /** The prompt that was answered; null for actions that answer none. */
      prompt_fingerprint: z.string().nullable(),
      /** Characters that were sent; null for actions without text. */
      text_length: z.number().int().nullable(),
      /** What the runtime did while the action ran and for two seconds after it, oldest first. */
      followed_by: z.array(
        z.object({
          kind: z.enum(["event", "transition"]),
          at: z.string(),
          state_version: z.number().int().nullable(),
          /** The event's name, or the state that was entered; for a runtime that ended, how. */
          what: z.string(),
          /** Where the event came from, or the reason of the state. */
          why: z.string().nullable(),
        }),
      ),
    }),
  ),
});
export type AuditList = z.infer<typeof auditListSchema>;

/** The server-side action snapshot of spec 7.7. */
export const actionSnapshotSchema = z.object({
  snapshotId: z.string(),
  targetId: z.string(),
  server: z.string(),
  paneId: z.string(),
  /** Null for a pane without an agent. */
  runtimeId: z.string().nullable(),
  stateVersion: z.number().int(),
  observedAt: z.number(),
  expiresAt: z.number(),
  nonce: z.string(),
  /** The prompt that the action is about; null for actions that are not bound to one. */
  promptFingerprint: z.string().nullable(),
});
export type ActionSnapshot = z.infer<typeof actionSnapshotSchema>;

/** The caller's explicit guards; null where not given. `--force-stale` never relaxes these. */
/** `session`: what became of naming the agent's own session; null: that was not asked for. */
export interface RenameResult {
  paneRef: string;
  name: string | null;
  session: Pick<ActionResult, "outcome" | "detail"> | null;
}

export const actionGuardsSchema = z.object({
  ifRuntime: z.string().nullable().default(null),
  ifState: canonicalStateSchema.nullable().default(null),
  ifVersion: z.number().int().nullable().default(null),
  ifPrompt: z.string().nullable().default(null),
  ifUpdatedWithinMs: z.number().positive().nullable().default(null),
  forceStale: z.boolean().default(false),
});
export type ActionGuards = z.infer<typeof actionGuardsSchema>;

/** A terminal that shows the pane's session already. `isNative`: its own tabs are tmux's windows (iTerm2's `tmux -CC`). */
export interface ExistingClient {
  tty: string;
  isNative: boolean;
}

/**
 * How to show a pane: the command that the caller's terminal has to run. `switch_client`: the caller's terminal is already in
 * that tmux server. `focus_client`: the command makes `existingClient` show the pane, and ends; the terminal with that tty is
 * then to be brought to the front.
 */
export interface AttachPlan {
  snapshotId: string;
  paneRef: string;
  argv: string[];
  mode: "attach" | "switch_client" | "focus_client";
  existingClient: ExistingClient | null;
  /**
   * Lists `<pid of a client> <pane that it shows>` of the server: clients of one session share its current window, so that somebody
   * else may move this one on. Only where the client is a process of this machine.
   */
  look?: { argv: string[]; paneId: string };
}
