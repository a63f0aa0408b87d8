// Our hooks in `~/.gemini/settings.json`. The agent strips comments before it parses, so they may be there and stay; and it
// replaces `$NAME` in every string, so a path with a dollar sign is refused rather than changed behind our back. A hook's
// name flashes in the status line: ours is short. Sources: 0.61.0, and the vendor's documents on settings and hooks.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { createHookSettingsIntegration, createHookCommand } from "../common/hookSettings.ts";
import type { JsonNode } from "../../core/model/jsonTree.ts";
import { createOwnNotifications } from "../common/ownNotifications.ts";
import { valueOf } from "../common/settingsText.ts";

/** What is otherwise in forks that kept its form of settings. */
export interface HookForm {
  agentType: string;
  displayName: string;
  /** At least one; the order in which entries are added. */
  events: readonly [string, ...string[]];
  /** What of its settings keeps our hooks from running; `commands`: ours. */
  problems: (root: JsonNode, path: string, commands: ReadonlySet<string>) => readonly string[];
  /** How the agent notifies by itself; absent: nobody has looked. */
  notifications?: NonNullable<Integration["notifications"]>;
  /** The type of a notification that the agent itself never sends. */
  testNotification: string;
}

/** Everything that changes a state. Not the model's events: they fire per chunk and show in the status line. */
export const HOOK_EVENTS = [
  "SessionStart",
  "SessionEnd",
  "BeforeAgent",
  "AfterAgent",
  "BeforeTool",
  "AfterTool",
  "Notification",
] as const;

/** Milliseconds; the hook needs a few, and the agent waits for it. */
const HOOK_TIMEOUT_MS = 5_000;
const HOOK_NAME = "agtmux";
/** It must print nothing: what a hook prints must be JSON. */
export const HOOK = createHookCommand("gemini");

/** `hooksConfig` can switch off all hooks, or ours by name or command. */
const problemsOf: HookForm["problems"] = (root, path, commands) => {
  const config = valueOf(root, "hooksConfig");
  if (config?.kind !== "object") return [];
  const disabled = valueOf(config, "disabled");
  const isOurs = (value: unknown): boolean =>
    value === HOOK_NAME || (typeof value === "string" && commands.has(value));
  return [
    ...(valueOf(config, "enabled")?.value === false ? [`${path} switches all hooks off`] : []),
    ...(disabled?.kind === "array" && disabled.children.some((item) => isOurs(item.value))
      ? [`${path} lists our hooks as disabled`]
      : []),
  ];
};

/** Sources: its documents, and 0.61.0. */
const GEMINI: HookForm = {
  agentType: "gemini",
  displayName: "Gemini CLI",
  events: HOOK_EVENTS,
  problems: problemsOf,
  notifications: createOwnNotifications({
    what: "shows a notification where its terminal can, or rings the bell",
    path: (configDir) => `${configDir}/settings.json`,
    form: "json with comments",
    settings: [{ key: ["general", "enableNotifications"], off: false, isOnByDefault: false }],
  }),
  testNotification: "AgtmuxTest",
};

/** Creates the integration. Its test event is proof of life only: it changes no state. */
export const createGeminiIntegration = (form: HookForm = GEMINI): Integration => {
  const command = createHookCommand(form.agentType);
  const integration = createHookSettingsIntegration({
    ...(form.notifications === undefined ? {} : { notifications: form.notifications }),
    path: (configDir) => `${configDir}/settings.json`,
    hasComments: true,
    events: form.events,
    command,
    hookOf: (line) => ({ name: HOOK_NAME, type: "command", command: line, timeout: HOOK_TIMEOUT_MS }),
    problemsOf: ({ eventScript }, root, path) =>
      Promise.resolve(
        form.problems(root, path, new Set(form.events.map((event) => command.of(eventScript, event)))),
      ),
    testEvent: {
      eventName: "Notification",
      payload: {
        hook_event_name: "Notification",
        notification_type: form.testNotification,
        message: "Delivery test",
      },
    },
  });
  return {
    ...integration,
    planInstall(request) {
      if (request.eventScript.includes("$"))
        return Promise.reject(
          new AgtmuxError(
            "E_INTEGRATION_REFUSED",
            `${form.displayName} would replace the dollar sign in ${request.eventScript}; use a home without one.`,
          ),
        );
      return integration.planInstall(request);
    },
  };
};
