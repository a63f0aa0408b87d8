// Our hook in `settings.json` of a configuration folder, and what settings say besides: whether somebody else's hook may answer permission
// requests, and whether vim's keys are on. User level on purpose: other agents run a project's Claude hooks as well.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import {
  createConfirmationReader,
  hasForeignHook,
  createHookCommand,
  createHookSettingsIntegration,
} from "../common/hookSettings.ts";
import { parsePayload } from "../common/events.ts";
import { createOwnNotifications } from "../common/ownNotifications.ts";
import { valueOf } from "../common/settingsText.ts";

/** Everything that changes a state (facts of 2.1.329). Not WorktreeCreate: a hook there replaces the creation. */
export const HOOK_EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "Notification",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "Elicitation",
  "ElicitationResult",
] as const;

/** Seconds; the hook needs milliseconds, and some of these events make the agent wait. */
const HOOK_TIMEOUT_S = 5;

/** It must print nothing and succeed: stdout becomes context, and a failure is shown. */
export const HOOK = createHookCommand("claude");

/** Sources: its documents, and 2.1.329. Older versions keep the key in the other file. */
const notifications = createOwnNotifications({
  what: "shows a notification where its terminal can",
  path: (configDir) => `${configDir}/settings.json`,
  form: "json",
  settings: [{ key: ["preferredNotifChannel"], off: "notifications_disabled", isOnByDefault: true }],
  olderPaths: (configDir) => [`${configDir}.json`, `${configDir}/.claude.json`],
});

/** Creates the integration. `testEvent` is proof of life only: it changes no state. */
export const createClaudeIntegration = (): Integration =>
  createHookSettingsIntegration({
    notifications,
    path: (configDir) => `${configDir}/settings.json`,
    events: HOOK_EVENTS,
    command: HOOK,
    hookOf: (command) => ({
      type: "command",
      command,
      timeout: HOOK_TIMEOUT_S,
    }),
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

const settingsOf = (configDir: string, cwd: string | null): readonly string[] => [
  `${configDir}/settings.json`,
  ...(cwd === null ? [] : [`${cwd}/.claude/settings.json`, `${cwd}/.claude/settings.local.json`]),
];

/** Reads the user's and the project's settings. */
export const createClaudeConfirmation = () =>
  createConfirmationReader((text) => hasForeignHook(text, "PermissionRequest", HOOK.isOurs), settingsOf);

/** Whether vim's keys are switched on (`/config`, 2.1.329); older versions keep that in a file of its own. */
export const createClaudeEditorMode = () =>
  createConfirmationReader(
    (text) => parsePayload(text)?.["editorMode"] === "vim",
    (configDir, cwd) => [...settingsOf(configDir, cwd), `${configDir}.json`, `${configDir}/.claude.json`],
  );
