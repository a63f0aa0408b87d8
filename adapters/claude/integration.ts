// Our hook in `~/.claude/settings.json`. User level on purpose: other agents run a project's Claude hooks as well.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { createHookSettingsIntegration } from "../common/hookSettings.ts";
import { valueOf } from "../common/settingsText.ts";
import { HOOK_EVENTS, HOOK_TIMEOUT_S, hookCommand, isOurCommand } from "./settings.ts";

/** Creates the integration. `testEvent` is proof of life only: it changes no state. */
export const createClaudeIntegration = (): Integration =>
  createHookSettingsIntegration({
    path: (homeDir) => `${homeDir}/.claude/settings.json`,
    events: HOOK_EVENTS,
    commandOf: hookCommand,
    hookOf: (eventScript, event) => ({
      type: "command",
      command: hookCommand(eventScript, event),
      timeout: HOOK_TIMEOUT_S,
    }),
    isOurCommand,
    problemsOf: (_request, root, path) =>
      Promise.resolve(
        valueOf(root, "disableAllHooks")?.value === true
          ? [`${path} sets "disableAllHooks": no hook runs`]
          : [],
      ),
    testEvent: {
      eventName: "Notification",
      payload: {
        hook_event_name: "Notification",
        notification_type: "agtmux_test",
        message: "Delivery test",
      },
    },
  });
