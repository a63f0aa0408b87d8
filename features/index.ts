// The features that every host hands to its daemon.
import type { Feature } from "../core/ports/feature.ts";
import { createAutomation } from "./automation/automation.ts";
import { createHistory } from "./history/history.ts";
import { createWorkspaces } from "./workspaces/workspaces.ts";

export const createFeatures = (): Feature[] => [createAutomation(), createHistory(), createWorkspaces()];
