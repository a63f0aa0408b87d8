// Our hooks for Copilot CLI: a file of our own in `~/.copilot/hooks`, which the agent reads beside all others, so nothing
// of anybody else's is touched; what somebody adds to it stays. Source: hooks run with 1.0.102, and its documents.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { createHookSettingsIntegration, createHookCommand } from "../common/hookSettings.ts";
import { createOwnNotifications } from "../common/ownNotifications.ts";

/** Everything that changes a state. */
export const HOOK_EVENTS = [
  "sessionStart",
  "sessionEnd",
  "userPromptSubmitted",
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "permissionRequest",
  "notification",
  "errorOccurred",
  "agentStop",
  "subagentStart",
  "subagentStop",
  "preCompact",
] as const;

/** Seconds; the hook needs milliseconds, and some of these events hold the agent. */
const HOOK_TIMEOUT_S = 5;
/** It must print nothing: what it prints could decide on a permission. */
export const HOOK = createHookCommand("copilot");

/** Source: `copilot help config` and runs of 1.0.102. What it takes is read from settings.json, not from config.json. */
const notifications = createOwnNotifications({
  what: "rings the bell of its terminal, or shows notifications of the system",
  path: (configDir) => `${configDir}/settings.json`,
  form: "json with comments",
  settings: [
    { key: ["beep"], off: false, isOnByDefault: false },
    { key: ["notifications"], off: false, isOnByDefault: false },
  ],
});

/** Creates the integration. `testEvent` is proof of life only: it changes no state. */
export const createCopilotIntegration = (): Integration =>
  createHookSettingsIntegration({
    notifications,
    path: (configDir) => `${configDir}/hooks/agtmux.json`,
    isFlat: true,
    commandField: "bash",
    skeleton: '{\n  "version": 1\n}\n',
    events: HOOK_EVENTS,
    command: HOOK,
    hookOf: (command) => ({
      type: "command",
      bash: command,
      timeoutSec: HOOK_TIMEOUT_S,
    }),
    testEvent: {
      eventName: "notification",
      payload: { notification_type: "agtmux_test", title: "Delivery test", message: "Delivery test" },
    },
  });
