// Sessions that agents keep on disk, as surfaces see them: the documents of `agtmux history` and what the calls of the feature
// answer.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";

const iso = z.string();
const stamp = { schema_version: z.literal(SCHEMA_VERSION), generated_at: iso };

export const historySessionSchema = z.object({
  /** `session_id` is the agent's own, by which it resumes. */
  identity: z.object({ target: z.string(), agent: z.string(), session_id: z.string() }),
  agent_name: z.string(),
  /** The end of the id, for typing; `agtmux history show` takes it. */
  short_ref: z.string(),
  /** The agent's or the person's name for the session; null where it has none. */
  title: z.string().nullable(),
  first_prompt: z.string().nullable(),
  folder: z.string().nullable(),
  branch: z.string().nullable(),
  started_at: iso.nullable(),
  last_at: iso,
  /** Bytes of its log; null where the log is a database. */
  size: z.number().nullable(),
  /** The session from which it was forked. */
  parent_id: z.string().nullable(),
  /** The pane in which an agent has this session open now. */
  pane_ref: z.string().nullable(),
});
export type HistorySession = z.infer<typeof historySessionSchema>;

export const historyListSchema = z.object({
  ...stamp,
  filters: z.record(z.string(), z.unknown()),
  /** `total` fit the filters; `items` are the newest of them. */
  summary: z.object({ total: z.number().int() }),
  problems: z.array(z.string()),
  items: z.array(historySessionSchema),
});
export type HistoryList = z.infer<typeof historyListSchema>;

const historyEntrySchema = z.object({
  role: z.enum(["user", "agent", "tool", "note"]),
  text: z.string(),
  at: iso.nullable(),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

/** Where a session says what was searched for. */
export const historyHitSchema = z.object({
  identity: historySessionSchema.shape.identity,
  session: historySessionSchema,
  /** The first of the entries with the text, each as one line around it. */
  matches: z.array(historyEntrySchema),
  /** True where the session has more of them. */
  has_more: z.boolean(),
});
export type HistoryHit = z.infer<typeof historyHitSchema>;

/** `cursor`: how the search goes on; null at its end. `bytes` were searched for this piece. */
export const historySearchPageSchema = z.object({
  hits: z.array(historyHitSchema),
  cursor: z.string().nullable(),
  bytes: z.number(),
  /** What could not be searched, and why. */
  problems: z.array(z.string()).default([]),
});
export type HistorySearchPage = z.infer<typeof historySearchPageSchema>;

const historySearchSchema = z.object({
  ...stamp,
  filters: z.record(z.string(), z.unknown()),
  summary: z.object({ total: z.number().int(), bytes: z.number() }),
  problems: z.array(z.string()),
  items: z.array(historyHitSchema),
});
export type HistorySearch = z.infer<typeof historySearchSchema>;

/** What the answers of one day, agent, model, machine or session used, as the logs state it. */
const historyUsageRowSchema = z.object({
  /** The one of these by which it is grouped; of a session, what names it. */
  identity: z.object({
    target: z.string().optional(),
    day: z.string().optional(),
    agent: z.string().optional(),
    model: z.string().optional(),
    session_id: z.string().optional(),
  }),
  session: historySessionSchema.nullable(),
  answers: z.number().int(),
  /** Tokens. */
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  /** US dollars, where a log states them; null where none does. */
  cost: z.number().nullable(),
});
export type HistoryUsageRow = z.infer<typeof historyUsageRowSchema>;

export const USAGE_GROUPS = ["day", "agent", "model", "target", "session"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

const historyUsageSchema = z.object({
  ...stamp,
  filters: z.record(z.string(), z.unknown()),
  summary: historyUsageRowSchema.omit({ identity: true, session: true }),
  problems: z.array(z.string()),
  items: z.array(historyUsageRowSchema),
});
export type HistoryUsage = z.infer<typeof historyUsageSchema>;

/** What another agent needs to go on with the session; known secrets are taken out. */
const historyHandoffSchema = z.object({ ...stamp, session: historySessionSchema, text: z.string() });
export type HistoryHandoff = z.infer<typeof historyHandoffSchema>;

/** A piece of a session, oldest first. `before`: where the piece before it ends; null at the beginning of the session. */
export const historyPageSchema = z.object({
  session: historySessionSchema,
  entries: z.array(historyEntrySchema),
  before: z.string().nullable(),
  /** In how many of the entries a secret was taken out. */
  redacted: z.number().int(),
});
export type HistoryPage = z.infer<typeof historyPageSchema>;

const historyShowSchema = z.object({
  ...stamp,
  session: historySessionSchema,
  entries: z.array(historyEntrySchema),
  /** True where the session has older entries. */
  is_cut: z.boolean(),
});
export type HistoryShow = z.infer<typeof historyShowSchema>;

/** What the verbs of history print with `--json`. */
export const HISTORY_DOCUMENTS = {
  "history list": historyListSchema,
  "history search": historySearchSchema,
  "history show": historyShowSchema,
  "history usage": historyUsageSchema,
  "history handoff": historyHandoffSchema,
};
