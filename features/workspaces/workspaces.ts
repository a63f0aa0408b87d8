// The feature "workspaces": where agents work and what has changed there, how they are started, and how they are brought back. Keys
// reach a pane only through the actions of the daemon.
import { answerOf } from "../../core/api/calls.ts";
import { join } from "node:path";
import { WORKSPACES_CALLS } from "./calls.ts";
import { SessionBookFile } from "./sessionBook.ts";
import { RowWorkspaces } from "./rowWorkspaces.ts";
import { createWorkspacesService } from "./service.ts";
import { ResumedSessions, StartAgent } from "./startAgent.ts";
import { StartableAgents } from "./startableAgents.ts";
import { WorkTrees } from "./workTrees.ts";
import { Worktrees } from "./linkedWorktrees.ts";
import type { Feature, FirstTasks } from "../../core/ports/feature.ts";

/** `firstTasks`: what types the tasks of new agents; null: nothing does. */
export const createWorkspaces = ({ firstTasks }: { firstTasks: () => FirstTasks | null }): Feature => ({
  name: "workspaces",
  calls: WORKSPACES_CALLS,
  start: (context) => {
    const trees = new WorkTrees(context);
    const rows = new RowWorkspaces(context, trees);
    const worktrees = new Worktrees(context, trees);
    const resumed = new ResumedSessions(context.rows);
    const book = new SessionBookFile(
      { ...context, rows: resumed },
      join(context.homePath, "workspaces.json"),
    );
    const start = new StartAgent({ context, worktrees, firstTasks, resumed });
    const startable = new StartableAgents({ context, startedOn: (target) => book.startedOn(target) });
    const service = createWorkspacesService({ context, rows, start, startable, worktrees, book });
    return {
      answer: (call, input, caller) => answerOf(service, call)(input, caller),
      onChanges: () => {
        rows.handleChanges();
        book.handleChanges();
      },
      keepsAwake: () => false,
      doctorChecks: () => [],
      close: async () => {
        rows.close();
        await book.close();
        await trees.close();
      },
    };
  },
});
