// The feature "workspaces": where agents work and what has changed there, how they are started, and how they are brought back. Keys
// reach a pane only through the actions of the daemon.
import { join } from "node:path";
import { WORKSPACES_CALLS, type WorkspacesCall } from "./calls.ts";
import { SessionBookFile } from "./restore/sessionBookFile.ts";
import { RowWorkspaces } from "./rowWorkspaces.ts";
import { createWorkspacesService } from "./service.ts";
import { FirstPrompts } from "./start/firstPrompts.ts";
import { ResumedSessions } from "./start/resumedSessions.ts";
import { StartAgent } from "./start/startAgent.ts";
import { WorkTrees } from "./workTrees.ts";
import { Worktrees } from "./worktrees/worktrees.ts";
import type { Feature } from "../../core/ports/feature.ts";

export const createWorkspaces = (): Feature => ({
  name: "workspaces",
  calls: WORKSPACES_CALLS,
  start: (context) => {
    const trees = new WorkTrees(context);
    const rows = new RowWorkspaces(context, trees);
    const worktrees = new Worktrees(context, trees);
    const prompts = new FirstPrompts(context);
    const resumed = new ResumedSessions(context.rows);
    const book = new SessionBookFile(
      { ...context, rows: resumed },
      join(context.homePath, "workspaces.json"),
    );
    const start = new StartAgent({ context, worktrees, prompts, resumed });
    const service = createWorkspacesService({ context, rows, start, worktrees, book });
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router calls by a name of the table, with what its schema gave
      answer: (call, input) => service[call as WorkspacesCall](input as never),
      onChanges: () => {
        rows.handleChanges();
        book.handleChanges();
      },
      keepsAwake: () => prompts.count > 0,
      doctorChecks: () => [],
      close: async () => {
        prompts.close();
        rows.close();
        await book.close();
        await trees.close();
      },
    };
  },
});
