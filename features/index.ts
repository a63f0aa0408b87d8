// The features that every host hands to its daemon, and what one of them has from another.
import type { RouterOf } from "../core/api/router.ts";
import type { AutomationCalls } from "./automation/calls.ts";
import type { DocumentsCalls } from "./documents/calls.ts";
import type { HistoryCalls } from "./history/calls.ts";
import type { WorkspacesCalls } from "./workspaces/calls.ts";
import type { Feature, FirstTasks } from "../core/ports/feature.ts";
import type { SleepBlocker } from "../core/ports/sleepBlocker.ts";
import { createAutomation } from "./automation/automation.ts";
import { createAwake } from "./awake/awake.ts";
import { createProgramBlocker } from "./awake/programBlocker.ts";
import { createDocuments } from "./documents/documents.ts";
import { createReleases, type Installed } from "./releases/releases.ts";
import { createHistory } from "./history/history.ts";
import { createWorkspaces } from "./workspaces/workspaces.ts";

/** The calls that a daemon with these features has, for the types of its clients. */
export type DaemonRouter = RouterOf<{
  automation: AutomationCalls;
  documents: DocumentsCalls;
  history: HistoryCalls;
  workspaces: WorkspacesCalls;
}>;

/** For hosts that are no installation, such as tests. */
const NOT_INSTALLED: Installed = { version: "0.0.0", releases: null };

/**
 * `sleepBlocker`: what the host has to keep its machine awake; left out: a program of the machine does it. `installed`: which
 * agtmux the host is of.
 */
export const createFeatures = ({
  sleepBlocker,
  installed = NOT_INSTALLED,
}: { sleepBlocker?: SleepBlocker; installed?: Installed } = {}): Feature[] => {
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
    createAwake(
      ({ env }) => sleepBlocker ?? createProgramBlocker({ platform: process.platform, env: { ...env } }),
    ),
    createReleases(installed),
  ];
};
