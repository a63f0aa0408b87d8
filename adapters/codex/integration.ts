// Our hooks in `hooks.json` of a configuration folder, which of them Codex trusts, and whether somebody else may answer permission requests. The
// one `notify` slot of config.toml is never taken: it may be occupied, and it also fires for Codex's own title requests.
// In config.toml only the notifications of Codex itself are switched off, where the person asks for that.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import {
  createConfirmationReader,
  hasForeignHook,
  createHookCommand,
  createHookSettingsIntegration,
  currentEntries,
  type HookSettings,
} from "../common/hookSettings.ts";
import { createOwnNotifications } from "../common/ownNotifications.ts";

/** Everything that changes a state (facts of 0.169.0). Not the model-request hooks: they hold every request. */
export const HOOK_EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "Interrupt",
] as const;

/** Seconds; the hook needs milliseconds. SessionEnd and Interrupt are capped at 3 s by Codex. */
const HOOK_TIMEOUT_S = 3;

/**
 * `exec` makes Codex itself the script's parent: where hooks run in the window's own process, that parent tells the pane.
 * Constant, because a change asks the person for trust again.
 */
export const HOOK = createHookCommand("codex", {
  before: (script) => `[ -x ${script} ] && exec ${script}`,
  after: "2>/dev/null; :",
});

/**
 * Tables `[hooks.state."<file>:<event>:<group>:<index>"]` in config.toml name the hooks that Codex has been told to trust. The
 * trust is the person's to give, in Codex's own review at its next start. Source: 0.169.0.
 */
const TABLE = /^\s*\[\s*hooks\s*\.\s*state\s*\.\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*\]\s*(?:#.*)?$/;
const ANY_TABLE = /^\s*\[/;
const TRUSTED = /^\s*trusted_hash\s*=\s*["']sha256:[0-9a-f]+["']/;

/** Keys that hold a trusted hash. Reads line by line, so that a broken file still gives what it says. */
export const trustedHooks = (configToml: string): Set<string> => {
  const trusted = new Set<string>();
  let key: string | null = null;
  for (const line of configToml.split(/\r?\n/)) {
    const table = TABLE.exec(line);
    if (table !== null) key = table[2] ?? (table[1] ?? "").replaceAll(/\\(["\\])/g, "$1");
    else if (ANY_TABLE.test(line)) key = null;
    else if (key !== null && TRUSTED.test(line)) trusted.add(key);
  }
  return trusted;
};

const snakeCase = (event: string): string =>
  event.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** True where the hook at this place is trusted; the event's name may be written either way. */
export const isTrusted = (
  trusted: ReadonlySet<string>,
  path: string,
  hook: { event: string; group: number; index: number },
): boolean =>
  [hook.event, snakeCase(hook.event)].some((event) =>
    trusted.has(`${path}:${event}:${hook.group}:${hook.index}`),
  );

const MAX_BYTES = 4 * 1024 * 1024;
const HOOKS_OFF = /^\s*(?:features\s*\.\s*)?hooks\s*=\s*false\b/m;

/** Sources: its documents, and 0.169.0. */
const notifications = createOwnNotifications({
  what: "rings the bell of its terminal, or shows a notification where it can",
  path: (configDir) => `${configDir}/config.toml`,
  form: "toml",
  settings: [{ key: ["tui", "notifications"], off: false, isOnByDefault: true }],
});

const settings: HookSettings = {
  notifications,
  path: (configDir) => `${configDir}/hooks.json`,
  events: HOOK_EVENTS,
  command: HOOK,
  hookOf: (command) => ({
    type: "command",
    command,
    timeout: HOOK_TIMEOUT_S,
  }),
  problemsOf: async ({ files, configDir }) => {
    const configPath = `${configDir}/config.toml`;
    const config = (await files.readText(configPath, MAX_BYTES)) ?? "";
    return HOOKS_OFF.test(config) ? [`${configPath} turns hooks off: no hook runs`] : [];
  },
  stepsOf: async ({ files, configDir, eventScript }, root, path) => {
    const trusted = trustedHooks((await files.readText(`${configDir}/config.toml`, MAX_BYTES)) ?? "");
    const current = [...currentEntries(settings, path, root, eventScript)];
    const untrusted = current
      .filter(([event, { group, index }]) => !isTrusted(trusted, path, { event, group, index }))
      .map(([event]) => event);
    if (untrusted.length === 0) return [];
    const which = untrusted.length === current.length ? "" : ` Not trusted yet: ${untrusted.join(", ")}.`;
    return [
      {
        what: "trust the hooks in Codex",
        how: `Start codex and choose "Trust all and continue", or review them, when it says "Hooks need review".${which}`,
      },
    ];
  },
  testEvent: {
    eventName: "SessionStart",
    payload: { hook_event_name: "SessionStart", source: "agtmux_test" },
  },
};

/** Creates the integration. `testEvent` is proof of life only: it changes no state. */
export const createCodexIntegration = (): Integration => createHookSettingsIntegration(settings);

const TOML_HOOK = /^\s*\[\[?\s*hooks\s*\.\s*PermissionRequest\b/m;
/** Values other than `user` let a model review requests (vendor's configuration reference, not recorded). */
const TOML_REVIEWER = /^\s*approvals_reviewer\s*=\s*["'](?!user["'])/m;

/** Another PermissionRequest hook, or a reviewer that is not the person. */
export const createCodexConfirmation = () =>
  createConfirmationReader(
    (text, path) =>
      path.endsWith(".toml")
        ? TOML_HOOK.test(text) || TOML_REVIEWER.test(text)
        : hasForeignHook(text, "PermissionRequest", HOOK.isOurs),
    (configDir, cwd) =>
      [configDir, ...(cwd === null ? [] : [`${cwd}/.codex`])].flatMap((folder) => [
        `${folder}/hooks.json`,
        `${folder}/config.toml`,
      ]),
  );
