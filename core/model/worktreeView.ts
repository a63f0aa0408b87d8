// The linked work trees of a repository, and what became of those that were to be removed, as they leave the daemon.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";
import { changesSchema } from "./workspace.ts";

export const worktreeViewSchema = z.object({
  path: z.string(),
  /** Null: a commit without a branch. */
  branch: z.string().nullable(),
  /** The one that the repository began with; it is never removed. */
  is_main: z.boolean(),
  is_locked: z.boolean(),
  changes: changesSchema.nullable(),
  not_looked_at: z.string().nullable(),
  /** Every commit of it is in the branch of the main work tree; null where that cannot be told. */
  is_merged: z.boolean().nullable(),
  /** Files and folders that are ignored, as git names them; of many, some. They would be removed with it. */
  ignored: z.array(z.string()),
  /** Short references of the agents that work in it. */
  agents: z.array(z.string()),
  /** Why it is not removed; empty: it may be. */
  keeps: z.array(z.string()),
});
export type WorktreeView = z.infer<typeof worktreeViewSchema>;

export const worktreeListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  target: z.string(),
  repository: z.string(),
  items: z.array(worktreeViewSchema),
});
export type WorktreeList = z.infer<typeof worktreeListSchema>;

export const worktreeRemovedSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  target: z.string(),
  /** Nothing was removed: this is what would be. */
  dry_run: z.boolean(),
  path: z.string(),
  /** It stays. */
  branch: z.string().nullable(),
  ignored: z.array(z.string()),
});
export type WorktreeRemoved = z.infer<typeof worktreeRemovedSchema>;
