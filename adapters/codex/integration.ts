// Our hooks in `~/.codex/hooks.json`. The one `notify` slot of config.toml is never taken: it may be occupied, and it also
// fires for Codex's own title requests. config.toml is only read.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { createHookSettingsIntegration, currentEntries, type HookSettings } from "../common/hookSettings.ts";
import { HOOK_EVENTS, HOOK_TIMEOUT_S, hookCommand, isOurCommand } from "./settings.ts";
import { isTrusted, trustedHooks } from "./trust.ts";

const MAX_BYTES = 4 * 1024 * 1024;
const HOOKS_OFF = /^\s*(?:features\s*\.\s*)?hooks\s*=\s*false\b/m;

const settings: HookSettings = {
  path: (homeDir) => `${homeDir}/.codex/hooks.json`,
  events: HOOK_EVENTS,
  commandOf: hookCommand,
  hookOf: (eventScript, event) => ({
    type: "command",
    command: hookCommand(eventScript, event),
    timeout: HOOK_TIMEOUT_S,
  }),
  isOurCommand,
  problemsOf: async ({ files, homeDir, eventScript }, root, path) => {
    const configPath = `${homeDir}/.codex/config.toml`;
    const config = (await files.readText(configPath, MAX_BYTES)) ?? "";
    const trusted = trustedHooks(config);
    const untrusted = [...currentEntries(settings, path, root, eventScript)]
      .filter(([event, { group, index }]) => !isTrusted(trusted, path, { event, group, index }))
      .map(([event]) => event);
    return [
      ...(untrusted.length === 0
        ? []
        : [
            `Codex does not trust these hooks yet: ${untrusted.join(", ")}. Start codex and choose "Trust all and continue" or review them when it says "Hooks need review"`,
          ]),
      ...(HOOKS_OFF.test(config) ? [`${configPath} turns hooks off: no hook runs`] : []),
    ];
  },
  testEvent: {
    eventName: "SessionStart",
    payload: { hook_event_name: "SessionStart", source: "agtmux_test" },
  },
};

/** Creates the integration. `testEvent` is proof of life only: it changes no state. */
export const createCodexIntegration = (): Integration => createHookSettingsIntegration(settings);
