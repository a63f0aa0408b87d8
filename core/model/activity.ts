// What an agent is doing, for a person to see beside its state: told by its events, its own files, the process and git. It decides
// nothing, is one line each, and absent where nobody told it.
import * as z from "zod";
import { evidenceSourceSchema } from "./evidence.ts";

/** Characters of a prompt's line, a tool's subject, the agent's line, a branch. */
export const MAX_ACTIVITY_TEXT = 300;
export const MAX_FOLDER = 4_096;

const line = z.string().max(MAX_ACTIVITY_TEXT).nullable();

export const runningToolSchema = z.object({
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
  /** Name of the folder with the repository's main work tree; null also where rows of older versions say nothing of it. */
  repository: line.default(null),
  branch: line,
  /** Name of the linked worktree that the folder is in; null in the main one. */
  worktree: line,
  /** The top folder of the work tree that the folder is in; null outside of one, and where rows of older versions say nothing of it. */
  work_tree: z.string().max(MAX_FOLDER).nullable().default(null),
  /** ISO 8601; null outside of a turn, and where nobody saw it begin. */
  turn_began_at: z.string().nullable(),
});
export type ActivityView = z.infer<typeof activityViewSchema>;

/** Beside the sources of states: the process's own folder, tmux's word on the pane's folder and title, and git's files. */
export const activitySourceSchema = z.union([evidenceSourceSchema, z.enum(["process", "tmux", "git"])]);
export type ActivitySource = z.infer<typeof activitySourceSchema>;

/** Every field in the order in which it is told. */
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

/** Where an agent works; of `folder` null nothing is known. */
export interface Place {
  folder: string | null;
  source: ActivitySource;
  repository: string | null;
  branch: string | null;
  worktree: string | null;
  workTree: string | null;
}
