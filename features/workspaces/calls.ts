// What surfaces ask of workspaces, as `workspaces.<name>`: each call once, with its input and its answer.
import * as z from "zod";
import { mutation, query, type ServiceOf } from "../../core/api/calls.ts";
import { MAX_TEXT } from "../../core/model/action.ts";
import type {
  ConflictList,
  PullRequestList,
  LostList,
  Restored,
  Loads,
  StartableAgent,
  Started,
  WorktreeList,
  WorktreeRemoved,
} from "../../core/model/workspace.ts";
import type { TreeDiff } from "../../core/model/treeDiff.ts";
import { HOST_TARGET, refNameSchema } from "../../core/model/runtime.ts";

const refSchema = z.string().min(1).max(1_000);
const targetSchema = refNameSchema.default(HOST_TARGET);
const folderSchema = z.string().min(1).max(4_096);
/** Who asks, for the audit. */
const surfaceSchema = z.string().max(40);
const waitSchema = z.number().int().min(0).max(120_000);

export const WORKSPACES_CALLS = {
  /**
   * Probes the worktrees of rows now, so that the rows say what has changed there: of the row with this reference (as `resolve`
   * gives it), of all rows where it is left out. Resolves when all were probed, or after `limitMs`.
   */
  look: mutation(
    z.object({
      ref: refSchema.nullable().default(null),
      maxAgeMs: z.number().int().min(0).max(600_000).default(2_000),
      limitMs: z.number().int().min(0).max(30_000).default(2_000),
    }),
  )<void>(),
  /**
   * What has changed in the worktree of a row (by its reference, as `resolve` gives it) since its branch began, line by line, with
   * what is not committed and new files. Fails with E_REF_NOT_FOUND; with E_WORKSPACE_REFUSED where it works in no worktree, or
   * where git cannot be asked without a program of the repository's.
   */
  changes: mutation(z.object({ ref: refSchema }))<TreeDiff>(),
  /** What the worktrees of agents would conflict about, compared now. */
  conflicts: mutation(z.void())<ConflictList>(),
  /** The pull requests of the branches of agents, as they are now or were less than a minute ago. */
  pulls: mutation(z.void())<PullRequestList>(),
  /** The agents that can be started on a machine, what a person most likely wants first. */
  startable: mutation(z.object({ target: targetSchema }))<StartableAgent[]>(),
  /**
   * Starts an agent in a pane of its own, on a person's order. Resolves once its agent has a row and its first prompt went in, or
   * after `waitMs`; the prompt goes in later too. Fails with E_USAGE, E_UNSUPPORTED, E_WORKSPACE_REFUSED, E_TARGET_UNREACHABLE.
   */
  start: mutation(
    z.object({
      agent: z.string().min(1).max(100),
      target: targetSchema,
      server: refNameSchema.nullable().default(null),
      session: z.string().max(200).nullable().default(null),
      beside: refSchema.nullable().default(null),
      folder: folderSchema,
      worktree: z
        .object({ branch: z.string().min(1).max(200), base: z.string().max(200).nullable().default(null) })
        .nullable()
        .default(null),
      text: z.string().min(1).max(MAX_TEXT).nullable().default(null),
      resume: z.string().max(200).nullable().default(null),
      /** Name or folder of one of its accounts; null: that of the session to go on with, else the usual one. */
      account: z.string().max(4_096).nullable().default(null),
      /** As a session that no pane shows, which needs a `text`. */
      isBackground: z.boolean().default(false),
      isDryRun: z.boolean().default(false),
      waitMs: waitSchema.default(10_000),
      surface: surfaceSchema,
    }),
  )<Started>(),
  /** The worktrees of the repository that a folder is in. Fails with E_WORKSPACE_REFUSED outside of one. */
  worktreeList: mutation(z.object({ target: targetSchema, folder: folderSchema }))<WorktreeList>(),
  /** Removes one that is merged and clean. `wanted`: its path or its branch. Fails with E_WORKSPACE_REFUSED. */
  worktreeRemove: mutation(
    z.object({
      target: targetSchema,
      folder: folderSchema,
      wanted: folderSchema,
      withIgnored: z.boolean().default(false),
      isDryRun: z.boolean().default(true),
      surface: surfaceSchema,
    }),
  )<WorktreeRemoved>(),
  /** What agents would read when they start in a folder. `agent` null: every one. Fails with E_USAGE, E_WORKSPACE_REFUSED. */
  loads: query(
    z.object({
      target: targetSchema,
      folder: folderSchema,
      agent: z.string().min(1).max(100).nullable().default(null),
    }),
  )<Loads>(),
  /** Sessions that were lost with their tmux server and can be brought back. */
  lostList: query(z.void())<LostList>(),
  /** Brings those with these ids back, one after the other, each in a window of a session of its name. */
  restore: mutation(
    z.object({
      ids: z.array(z.string().max(200)).max(200),
      isDryRun: z.boolean().default(false),
      waitMs: waitSchema.default(10_000),
      surface: surfaceSchema,
    }),
  )<Restored>(),
  /** They won't be offered again. */
  lostForget: mutation(z.object({ ids: z.array(z.string().max(200)).max(200) }))<void>(),
};

export type WorkspacesCalls = typeof WORKSPACES_CALLS;
export type WorkspacesService = ServiceOf<WorkspacesCalls>;
