// Our plugin as a file of its own in opencode's user folder. opencode 1.18.33 installs the package @opencode-ai/plugin
// from npm at its next start when the folder exists, and draws nothing for more than a minute where it cannot reach the
// network; that is opencode's doing, so it is told to the person and not worked around.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { createOwnFileIntegration } from "../common/ownFile.ts";
import { opencodePluginSource } from "./pluginSource.ts";

const folder = (homeDir: string): string => `${homeDir}/.config/opencode`;

/** Creates the integration. The test event is one that no session sends. */
export const createOpencodeIntegration = (): Integration =>
  createOwnFileIntegration({
    path: (homeDir) => `${folder(homeDir)}/plugin/agtmux.js`,
    bodyOf: opencodePluginSource,
    entry: "plugin",
    problemsOf: async ({ files, homeDir }) => {
      const path = `${folder(homeDir)}/node_modules/@opencode-ai/plugin/package.json`;
      if ((await files.stat(path)) !== null) return [];
      return [
        "opencode installs @opencode-ai/plugin from npm at its next start, because a plugin folder exists; without network its screen stays blank for over a minute",
      ];
    },
    testEvent: { eventName: "agtmux.test", payload: { message: "Delivery test" } },
  });
