// What has changed in an agent's worktree since its branch began, as it leaves the daemon: by file, with the lines themselves as far
// as the bounds allow. Names and lines are those of the repository, whatever characters they hold: surfaces make them safe.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";

const count = z.number().int().nonnegative();

const diffHunkSchema = z.object({
  /** Number of the first line of each side; 0 where that side has none. */
  old_start: count,
  new_start: count,
  /** The line that git gives as its place, as the function that it is in. */
  heading: z.string(),
  /** Each begins with a blank, `+`, `-`, or `\` for a remark of git's on the line before. */
  lines: z.array(z.string()),
});
export type DiffHunk = z.infer<typeof diffHunkSchema>;

export const FILE_CHANGES = ["added", "modified", "deleted", "renamed", "retyped"] as const;

const fileDiffSchema = z.object({
  identity: z.object({ path: z.string() }),
  /** Its path before it was renamed; null: it was not. */
  old_path: z.string().nullable(),
  change: z.enum(FILE_CHANGES),
  /** Git does not know the file yet. */
  is_untracked: z.boolean(),
  /** Binary, or so large that git was not let compare its lines. */
  is_binary: z.boolean(),
  /** Null where lines are not counted. */
  added: count.nullable(),
  removed: count.nullable(),
  hunks: z.array(diffHunkSchema),
  /** Why lines that have changed are not in `hunks`; null: all are there. */
  left_out: z.string().nullable(),
});
export type FileDiff = z.infer<typeof fileDiffSchema>;

export const treeDiffSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  target: z.string(),
  work_tree: z.string(),
  /** Null: a commit without a branch. */
  branch: z.string().nullable(),
  base: z.object({
    /** `branch`: where the branch left `name`. `turn`: what was checked out when the agent's turn began. `commit`: the last one. */
    kind: z.enum(["branch", "turn", "commit", "nothing"]),
    name: z.string().nullable(),
    /** Null where there is no commit at all. */
    commit: z.string().nullable(),
  }),
  summary: z.object({ files: count, added: count, removed: count }),
  /** What is not listed, and why: sentences. */
  left_out: z.array(z.string()),
  items: z.array(fileDiffSchema),
});
export type TreeDiff = z.infer<typeof treeDiffSchema>;
