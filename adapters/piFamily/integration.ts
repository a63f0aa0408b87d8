// Our extension as a file of its own in the folder from which an agent of the pi family loads extensions.
import type { Integration, IntegrationRequest } from "../../core/ports/agentAdapter.ts";
import { createOwnFileIntegration } from "../common/ownFile.ts";
import { extensionSource, type ForwardedEvent } from "./extensionSource.ts";

export interface ExtensionOptions {
  agentType: string;
  /** The agent's folder under the home folder, as `.omp`. */
  folder: string;
  events: readonly ForwardedEvent[];
  /** Its questions may have a time-out, set in its configuration. */
  hasAskTimeout: boolean;
  mayInstall?: (request: IntegrationRequest) => Promise<void>;
  problemsOf?: (request: IntegrationRequest) => Promise<readonly string[]>;
}

/** Creates the integration. The test event is one that no agent of the family sends. */
export const createExtensionIntegration = (options: ExtensionOptions): Integration =>
  createOwnFileIntegration({
    path: (homeDir) => `${homeDir}/${options.folder}/agent/extensions/agtmux.ts`,
    bodyOf: (eventScript) =>
      extensionSource(
        options.agentType,
        options.events,
        eventScript,
        options.hasAskTimeout ? options.folder : null,
      ),
    entry: "extension",
    ...(options.mayInstall === undefined ? {} : { mayInstall: options.mayInstall }),
    ...(options.problemsOf === undefined ? {} : { problemsOf: options.problemsOf }),
    testEvent: { eventName: "agtmux_test", payload: { message: "Delivery test" } },
  });
