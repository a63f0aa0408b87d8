// The features that every host hands to its daemon, and what one of them has from another.
import type { RouterOf } from "../core/api/router.ts";
import type { AutomationCalls } from "./automation/calls.ts";
import type { DocumentsCalls } from "./documents/calls.ts";
import type { HistoryCalls } from "./history/calls.ts";
import type { WorkspacesCalls } from "./workspaces/calls.ts";
import type { Feature, FirstTasks } from "../core/ports/feature.ts";
import { createAutomation } from "./automation/automation.ts";
import { createDocuments } from "./documents/documents.ts";
import { createHistory } from "./history/history.ts";
import { createWorkspaces } from "./workspaces/workspaces.ts";

/** The calls that a daemon with these features has, for the types of its clients. */
export type DaemonRouter = RouterOf<{
  automation: AutomationCalls;
  documents: DocumentsCalls;
  history: HistoryCalls;
  workspaces: WorkspacesCalls;
}>;

export const createFeatures = (): Feature[] => {
  let firstTasks: FirstTasks | null = null;
  return [
    createAutomation({
      offerFirstTasks: (offered) => {
        firstTasks = offered;
      },
    }),
    createHistory(),
    createWorkspaces({ firstTasks: () => firstTasks }),
    createDocuments(),
  ];
};
