// Worktrees and the agents in them, as they leave the daemon: what is not committed and who else works there, linked worktrees,
// what an agent would load, which can be started, what starting did, and lost sessions.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";

const count = z.number().int().nonnegative();

/** How a worktree differs from its last commit. */
const changesSchema = z.object({
  /** Files that differ, with those that git does not know yet. */
  files: count,
  /** Lines in files that git knows; null where that could not be determined (no commit yet). */
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

/** Why two worktrees of one repository are in each other's way. */
const conflictSchema = z.object({
  /** `merge`: what both branches have committed cannot be merged by itself. `uncommitted`: both have changed the same files. */
  kind: z.enum(["merge", "uncommitted"]),
  /** As git names them; of many, some. */
  files: z.array(z.string()),
  more_files: count,
});

/** The agent's side of a conflict, or the other one. */
const sideSchema = sharedWithSchema.extend({
  /** Null: a commit without a branch. */
  branch: z.string().nullable(),
  work_tree: z.string(),
});
export type ConflictSide = z.infer<typeof sideSchema>;

const rowConflictSchema = conflictSchema.extend({ with: sideSchema });
export type RowConflict = z.infer<typeof rowConflictSchema>;

/** What became of a branch's pull request (GitLab: merge request). `open`: nobody has approved it or asked for changes. */
const pullRequestStateSchema = z.enum(["draft", "open", "approved", "changes_requested", "merged", "closed"]);

/** The checks of its newest commit: `failed` as soon as one has, `running` while others go on. Null: it has none. */
const checksSchema = z.object({
  state: z.enum(["running", "failed", "passed"]),
  /** The first that failed; null where none did, or where its name is not told. */
  failed: z.string().nullable(),
  failed_count: count,
});

const pullRequestSchema = z.object({
  forge: z.enum(["github", "gitlab"]),
  host: z.string(),
  /** `acme/shop`, where it was opened. */
  repository: z.string(),
  number: count,
  title: z.string(),
  state: pullRequestStateSchema,
  checks: checksSchema.nullable(),
  /** Its newest commit; null where that is not told. */
  commit: z.string().nullable(),
  /** Its page, https on that host; null where none is told that is. */
  url: z.string().nullable(),
});
export type PullRequest = z.infer<typeof pullRequestSchema>;

export const workspaceViewSchema = z.object({
  /** Null: not known; `not_looked_at` says why, where there is a reason. */
  changes: changesSchema.nullable(),
  not_looked_at: z.string().max(300).nullable(),
  /** Other agents that work in the same worktree, or in the same folder outside of one; of many, some. */
  shares_with: z.array(sharedWithSchema),
  /** With agents in other worktrees of its repository; empty unless `conflicts` is on in the configuration. */
  conflicts: z.array(rowConflictSchema),
  /** Of the branch that is checked out; null where there is none, and unless `pull_requests` is on in the configuration. */
  pull_request: pullRequestSchema.nullable(),
  /** Why nothing newer is known of it, as `gh isn't logged in to github.com`; null where it is. */
  pull_request_problem: z.string().max(300).nullable(),
});
export type WorkspaceView = z.infer<typeof workspaceViewSchema>;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** What would be lost with the worktree, as a sentence's part: `7 uncommitted files in /p`; empty where nothing is. */
export const uncommittedText = (workspace: WorkspaceView | null, folder: string): string => {
  if (workspace === null) return "";
  const { changes, not_looked_at: reason } = workspace;
  if (changes === null)
    return reason === null ? "" : `can't tell what isn't committed in ${folder}: ${reason}`;
  const parts = [
    ...(changes.files > 0 ? [counted(changes.files, "uncommitted file")] : []),
    ...((changes.ahead ?? 0) > 0 ? [`${counted(changes.ahead ?? 0, "commit")} not pushed`] : []),
  ];
  return parts.length === 0 ? "" : `${parts.join(" and ")} in ${folder}`;
};

/** What agents' worktrees of the same repository would conflict about, each pair once. */
export const conflictListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  /** Worktrees that were compared. */
  compared: count,
  not_looked_at: z.array(z.object({ target: z.string(), work_tree: z.string(), reason: z.string() })),
  items: z.array(conflictSchema.extend({ target: z.string(), sides: z.tuple([sideSchema, sideSchema]) })),
});
export type ConflictList = z.infer<typeof conflictListSchema>;

/** The pull requests of the branches that agents work on. */
export const pullRequestListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  /** Worktrees whose branches were asked about. */
  asked: count,
  not_looked_at: z.array(z.object({ target: z.string(), work_tree: z.string(), reason: z.string() })),
  items: z.array(
    pullRequestSchema.extend({
      target: z.string(),
      work_tree: z.string(),
      branch: z.string(),
      /** Who works there; of several, the first. */
      ...sharedWithSchema.shape,
    }),
  ),
});
export type PullRequestList = z.infer<typeof pullRequestListSchema>;

// Linked worktrees of a repository, and what became of those that were to be removed.

const worktreeViewSchema = z.object({
  path: z.string(),
  /** Null: a commit without a branch. */
  branch: z.string().nullable(),
  /** The one that the repository began with; it is never removed. */
  is_main: z.boolean(),
  is_locked: z.boolean(),
  changes: changesSchema.nullable(),
  not_looked_at: z.string().nullable(),
  /** Every commit of it is in the branch of the main worktree; null where that cannot be determined. */
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

// Loads: what agents would read when they start in a folder. Places and names, never what stands in the files.

const loadedSchema = z.object({
  identity: z.object({
    agent: z.string(),
    /** `instructions`, `rules`, `settings`, `permissions`, `hooks`, `mcp`, `skills`, `commands`, `agents`, `extensions`. */
    kind: z.string(),
    level: z.enum(["managed", "person", "project"]),
    /** Of the file, or of the folder that holds them. */
    path: z.string(),
  }),
  /** Of servers, skills, commands and so on in it; of many, the first. */
  names: z.array(z.string()),
  has_more: z.boolean(),
  /** Why it cannot be read as it should; null: it can. */
  problem: z.string().nullable(),
  /** What takes its place, or has names that it has too. */
  notes: z.array(z.string()),
});
export type Loaded = z.infer<typeof loadedSchema>;

export const loadsSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  target: z.string(),
  folder: z.string(),
  agents: z.array(
    z.object({
      agent: z.string(),
      agent_name: z.string(),
      /** How what it reads is known; null: it is not. */
      basis: z.string().nullable(),
      /** What it may read beside that. */
      unknown: z.array(z.string()),
    }),
  ),
  items: z.array(loadedSchema),
});
export type Loads = z.infer<typeof loadsSchema>;

// Starts: what starting an agent did, or would do.

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
  /** The linked worktree that it works in; `is_new`: it was made for it. */
  worktree: z.object({ path: z.string(), branch: z.string(), is_new: z.boolean() }).nullable(),
  /** Null before the pane exists, and the references too while its row is not there yet. */
  pane_id: z.string().nullable(),
  pane_ref: z.string().nullable(),
  short_ref: z.string().nullable(),
  runtime_id: z.string().nullable(),
  /** In one line, what it asks of a person before it goes on; null: nothing was seen. */
  asks: z.string().nullable(),
  /** `waiting`: it goes in once the agent is ready for it. `dropped`: it never was; `prompt_detail` says why. */
  prompt: z.enum(["none", "waiting", "delivered", "not_delivered", "unverified", "dropped"]),
  prompt_detail: z.string(),
  warnings: z.array(z.string()),
});
export type Started = z.infer<typeof startedSchema>;

// Lost sessions: those that ended because their tmux server ended, by a reboot or when it was killed. They can be brought back.

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

/** An agent that can be started on a machine; surfaces offer first what a person most likely wants. */
export interface StartableAgent {
  agent: string;
  agent_name: string;
  /** It runs there, or its program is found; null where that is not known in time. */
  is_found: boolean | null;
}
