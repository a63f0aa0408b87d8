// What is known of the work tree that an agent works in: how much of it is not committed, and who else works there. It decides
// nothing about a state, is told only while somebody looks, and is never stored.
import * as z from "zod";

const count = z.number().int().nonnegative();

/** How a work tree differs from its last commit. */
export const changesSchema = z.object({
  /** Files that differ, with those that git does not know yet. */
  files: count,
  /** Lines in files that git knows; null where that could not be told (no commit yet). */
  added: count.nullable(),
  removed: count.nullable(),
  /** Commits that its upstream does not have, and the other way round; null without an upstream. */
  ahead: count.nullable(),
  behind: count.nullable(),
});
export type Changes = z.infer<typeof changesSchema>;

const sharedWithSchema = z.object({
  short_ref: z.string(),
  /** `work:1.0`. */
  place: z.string(),
});
export type SharedWith = z.infer<typeof sharedWithSchema>;

export const workspaceViewSchema = z.object({
  /** Null: not known; `not_looked_at` says why, where there is a reason. */
  changes: changesSchema.nullable(),
  not_looked_at: z.string().max(300).nullable(),
  /** Other agents that work in the same work tree, or in the same folder outside of one; of many, some. */
  shares_with: z.array(sharedWithSchema),
});
export type WorkspaceView = z.infer<typeof workspaceViewSchema>;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** What would be lost with the work tree, as a sentence's part: `7 uncommitted files in /p`; empty where nothing is. */
export const uncommittedText = (workspace: WorkspaceView | null, folder: string): string => {
  if (workspace === null) return "";
  const { changes, not_looked_at: reason } = workspace;
  if (changes === null)
    return reason === null ? "" : `what is not committed in ${folder} is not known: ${reason}`;
  const parts = [
    ...(changes.files > 0 ? [counted(changes.files, "uncommitted file")] : []),
    ...((changes.ahead ?? 0) > 0 ? [`${counted(changes.ahead ?? 0, "commit")} not pushed`] : []),
  ];
  return parts.length === 0 ? "" : `${parts.join(" and ")} in ${folder}`;
};
