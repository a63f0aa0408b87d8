// The feature "workspaces": where agents work and what has changed there, how they are started, and how they are brought back. Keys
// reach a pane only through the actions of the daemon.
import { answerOf } from "../../core/api/calls.ts";
import { join } from "node:path";
import { WORKSPACES_CALLS, type WorkspacesService } from "./calls.ts";
import { SessionBookFile } from "./sessionBook.ts";
import { Conflicts, sidesOf } from "./conflicts.ts";
import { PullRequests } from "./pullRequests.ts";
import { nameOf, RowWorkspaces } from "./rowWorkspaces.ts";
import { lookAtLoads } from "./lookAtLoads.ts";
import { folderOf, ResumedSessions, StartAgent } from "./startAgent.ts";
import { StartableAgents } from "./startableAgents.ts";
import { diffOfRow } from "./treeDiff.ts";
import { WorkTrees } from "./workTrees.ts";
import { Worktrees } from "./linkedWorktrees.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Loads, LostSession, Restored } from "../../core/model/workspace.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { Feature, FeatureContext, FirstTasks } from "../../core/ports/feature.ts";

/** Answers what surfaces ask; the work itself is done by the parts. */
const createService = ({
  context,
  trees,
  rows,
  conflicts,
  pulls,
  start,
  startable,
  worktrees,
  book,
}: {
  context: FeatureContext;
  trees: WorkTrees;
  rows: RowWorkspaces;
  conflicts: Conflicts;
  pulls: PullRequests;
  start: StartAgent;
  startable: StartableAgents;
  worktrees: Worktrees;
  book: SessionBookFile;
}): WorkspacesService => {
  const chosen = async (ids: readonly string[]): Promise<LostSession[]> => {
    const lost = await book.lost();
    return lost.filter(({ agent_session_id: id }) => ids.includes(id));
  };
  const startLost = (lost: LostSession, how: { isDryRun: boolean; waitMs: number; surface: string }) =>
    start.start({
      agent: lost.agent,
      target: lost.target,
      server: lost.tmux_server,
      session: lost.session_name,
      windowName: lost.window_name === "" ? null : lost.window_name,
      beside: null,
      folder: lost.folder,
      worktree: null,
      text: null,
      resume: lost.agent_session_id,
      account: null,
      isBackground: false,
      ...how,
    });
  const restoreOne = async (
    lost: LostSession,
    how: Parameters<typeof startLost>[1],
  ): Promise<Restored["items"][number]> => {
    try {
      const started = await startLost(lost, how);
      const isSeen = how.isDryRun || started.runtime_id !== null;
      return { lost, started, problem: isSeen ? null : `no ${lost.agent} was seen in its new pane` };
    } catch (error) {
      if (!(error instanceof AgtmuxError)) throw error;
      return { lost, started: null, problem: error.message };
    }
  };

  const rowsOf = (ref: string) =>
    context.rows
      .all()
      .filter(({ identity }) => identity.pane_ref === ref || `runtime:${identity.runtime_id ?? ""}` === ref);

  return {
    look: ({ ref, ...limits }) => rows.look(ref === null ? context.rows.all() : rowsOf(ref), limits),
    changes: async ({ ref }) => {
      const [row] = rowsOf(ref);
      if (row === undefined)
        throw new AgtmuxError("E_REF_NOT_FOUND", `nothing matches '${ref.slice(0, 200)}'`);
      const { target } = row.identity;
      const found = await diffOfRow(trees, context.target(target), row);
      return { ...stamp(context.clock.now()), target, ...found };
    },
    conflicts: () => conflicts.list(rows.keys(), sidesOf(context.rows.all(), nameOf)),
    pulls: () => pulls.list(rows.keys(), sidesOf(context.rows.all(), nameOf)),
    startable: ({ target }) => startable.list(target),
    start: async (input) => {
      const started = await start.start({ ...input, windowName: null });
      if (!input.isDryRun) await book.noteStart(started.target, started.agent);
      return started;
    },
    worktreeList: async ({ target: name, folder }) => {
      const target = context.target(name);
      const { main, items } = await worktrees.list(name, target, await worktrees.topOf(target, folder));
      return { ...stamp(context.clock.now()), target: name, repository: main, items };
    },
    worktreeRemove: async ({ target: name, folder, isDryRun, surface, ...input }) => {
      const target = context.target(name);
      const top = await worktrees.topOf(target, folder);
      const removed = await worktrees.remove(name, target, { ...input, top, isDryRun });
      if (!isDryRun)
        context.record({
          action: "worktree remove",
          surface,
          ref: `${name}:${removed.path}`,
          outcome: "removed",
        });
      return { ...stamp(context.clock.now()), target: name, dry_run: isDryRun, ...removed };
    },
    loads: async ({ target: name, folder: typed, agent: wanted }) => {
      const target = context.target(name);
      const folder = await folderOf(target, typed);
      const known = context.adapters().filter(({ agentType }) => wanted === null || agentType === wanted);
      if (known.length === 0)
        throw new AgtmuxError("E_USAGE", `there is no agent '${(wanted ?? "").slice(0, 40)}'`);
      const at = { files: target.files, home: await target.homeDir(), folder };
      const items: Loads["items"] = [];
      for (const { agentType, loads } of known)
        if (loads !== undefined) items.push(...(await lookAtLoads(at, loads, agentType)));
      const agents = known.map(({ agentType, displayName, loads }) => ({
        agent: agentType,
        agent_name: displayName,
        basis: loads?.basis ?? null,
        unknown: [...(loads?.unknown ?? [])],
      }));
      return { ...stamp(context.clock.now()), target: name, folder, agents, items };
    },
    lostList: async () => ({ ...stamp(context.clock.now()), items: await book.lost() }),
    restore: async ({ ids, ...how }) => {
      const items: Restored["items"] = [];
      for (const lost of await chosen(ids)) items.push(await restoreOne(lost, how));
      if (!how.isDryRun)
        await book.forget(items.flatMap(({ lost, problem }) => (problem === null ? [lost] : [])));
      return { ...stamp(context.clock.now()), dry_run: how.isDryRun, items };
    },
    lostForget: async ({ ids }) => book.forget(await chosen(ids)),
  };
};

/** `firstTasks`: what types the tasks of new agents; null: nothing does. */
export const createWorkspaces = ({ firstTasks }: { firstTasks: () => FirstTasks | null }): Feature => ({
  name: "workspaces",
  calls: WORKSPACES_CALLS,
  start: (context) => {
    const trees = new WorkTrees(context);
    const rows = new RowWorkspaces(context, trees, {
      conflicts: { of: (...asked) => conflicts.of(...asked) },
      pulls: { of: (key) => pulls.of(key) },
    });
    const asked = { context, keys: () => rows.keys(), onNews: () => rows.handleNews() };
    const conflicts = new Conflicts({ ...asked, trees });
    const pulls = new PullRequests(asked);
    const worktrees = new Worktrees(context, trees);
    const resumed = new ResumedSessions(context.rows);
    const book = new SessionBookFile(
      { ...context, rows: resumed },
      join(context.homePath, "workspaces.json"),
    );
    const start = new StartAgent({ context, worktrees, firstTasks, resumed });
    const startable = new StartableAgents({ context, startedOn: (target) => book.startedOn(target) });
    const service = createService({
      context,
      trees,
      rows,
      conflicts,
      pulls,
      start,
      startable,
      worktrees,
      book,
    });
    return {
      answer: (call, input, caller) => answerOf(service, call)(input, caller),
      onChanges: () => {
        rows.handleChanges();
        book.handleChanges();
      },
      keepsAwake: () => false,
      doctorChecks: () => pulls.doctorChecks(),
      close: async () => {
        conflicts.close();
        pulls.close();
        rows.close();
        await book.close();
        await trees.close();
      },
    };
  },
});
