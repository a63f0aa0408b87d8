// Sessions of agents that ended because their tmux server ended: by a reboot, or when it was killed. They can be brought back.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";
import { startedSchema } from "./started.ts";

export const lostSessionSchema = z.object({
  target: z.string(),
  tmux_server: z.string(),
  session_name: z.string(),
  window_index: z.number().int(),
  window_name: z.string(),
  agent: z.string(),
  /** The agent's own id of the session. */
  agent_session_id: z.string(),
  folder: z.string(),
  /** When its agent was last seen. */
  seen_at: z.string(),
});
export type LostSession = z.infer<typeof lostSessionSchema>;

export const lostListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  /** In the order in which they are brought back. */
  items: z.array(lostSessionSchema),
});
export type LostList = z.infer<typeof lostListSchema>;

export const restoredSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  dry_run: z.boolean(),
  /** `problem` null: it came back. `started` null: not even its pane was made. */
  items: z.array(
    z.object({ lost: lostSessionSchema, started: startedSchema.nullable(), problem: z.string().nullable() }),
  ),
});
export type Restored = z.infer<typeof restoredSchema>;
