// Our hooks in `~/.cursor/hooks.json`: `{ "version": 1, "hooks": { "<event>": [ { "command": … } ] } }`, one entry per event
// behind whatever is there. Source: Cursor's documents; not run here. Makes plans, and writes nothing.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { createHookCommand, createHookSettingsIntegration } from "../common/hookSettings.ts";
import { valueOf } from "../common/settingsText.ts";

/** Documented to change a state; events whose answer may allow or deny something are left alone. */
export const HOOK_EVENTS = [
  "sessionStart",
  "beforeSubmitPrompt",
  "postToolUse",
  "subagentStart",
  "subagentStop",
  "stop",
  "sessionEnd",
] as const;

/** Seconds, after which Cursor gives a hook up. */
const HOOK_TIMEOUT_S = 5;
const KNOWN_VERSION = 1;

/** It must print nothing and succeed: an exit code of 2 would block. */
export const HOOK = createHookCommand("cursor");

const hookOf = (command: string) => ({ command, timeout: HOOK_TIMEOUT_S });

/** A file of our hooks alone, recognised on removal by this exact text: no edit of another file puts them before the version. */
const ownFile = (eventScript: string): string => {
  const hooks = Object.fromEntries(
    HOOK_EVENTS.map((event) => [event, [hookOf(HOOK.of(eventScript, event))]]),
  );
  return `${JSON.stringify({ hooks, version: KNOWN_VERSION }, null, 2)}\n`;
};

/** Creates the integration. The test event is one that Cursor does not have. */
export const createCursorIntegration = (): Integration =>
  createHookSettingsIntegration({
    path: (configDir) => `${configDir}/hooks.json`,
    isFlat: true,
    ownFile,
    objectionTo: (root) => {
      const version = valueOf(root, "version");
      return version === undefined || version.value === KNOWN_VERSION
        ? null
        : `"version" is not ${KNOWN_VERSION}`;
    },
    events: HOOK_EVENTS,
    command: HOOK,
    hookOf,
    problemsOf: (_request, root, path) =>
      Promise.resolve(valueOf(root, "version") === undefined ? [`${path} has no "version": 1`] : []),
    testEvent: { eventName: "agtmuxTest", payload: { message: "Delivery test" } },
  });
