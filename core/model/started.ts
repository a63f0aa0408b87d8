// What starting an agent did, or would do, as it leaves the daemon.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";

export const startedSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  /** Nothing was done. */
  dry_run: z.boolean(),
  agent: z.string(),
  /** What the person's shell runs in the pane. */
  command: z.string(),
  target: z.string(),
  tmux_server: z.string(),
  session_name: z.string(),
  folder: z.string(),
  /** The linked work tree that it works in; `is_new`: it was made for it. */
  worktree: z.object({ path: z.string(), branch: z.string(), is_new: z.boolean() }).nullable(),
  /** Null before the pane exists, and the references too while its row is not there yet. */
  pane_id: z.string().nullable(),
  pane_ref: z.string().nullable(),
  short_ref: z.string().nullable(),
  runtime_id: z.string().nullable(),
  /** `waiting`: it goes in once the agent is ready for it. `dropped`: it never was; `prompt_detail` says why. */
  prompt: z.enum(["none", "waiting", "delivered", "not_delivered", "unverified", "dropped"]),
  prompt_detail: z.string(),
  warnings: z.array(z.string()),
});
export type Started = z.infer<typeof startedSchema>;
