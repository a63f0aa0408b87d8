// The server-side action snapshot of spec 7.7.
import * as z from "zod";
import { canonicalStateSchema } from "./state.ts";

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
