// The features that every host hands to its daemon, and what one of them has from another.
import type { Feature, FirstTasks } from "../core/ports/feature.ts";
import { createAutomation } from "./automation/automation.ts";
import { createDocuments } from "./documents/documents.ts";
import { createHistory } from "./history/history.ts";
import { createWorkspaces } from "./workspaces/workspaces.ts";

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
