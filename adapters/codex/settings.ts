// Our entries in Codex's `~/.codex/hooks.json`, and how they are told from other people's.

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
export const HOOK_TIMEOUT_S = 3;

const SCRIPT_NAME = "agtmux-event";

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/**
 * Prints nothing and always succeeds, even when the script is gone. `exec` makes Codex itself the script's parent: where
 * hooks run in the window's own process, that parent tells the pane. Constant, because a change asks the person for trust
 * again.
 */
export const hookCommand = (eventScript: string, event: string): string =>
  `[ -x ${quoted(eventScript)} ] && exec ${quoted(eventScript)} codex ${event} 2>/dev/null; :`;

/** True for our command of this event, also from an installation elsewhere. */
export const isOurCommand = (command: unknown, event: string, eventScript: string | null): boolean =>
  typeof command === "string" &&
  ((eventScript !== null && command === hookCommand(eventScript, event)) ||
    (command.endsWith(` codex ${event} 2>/dev/null; :`) && command.includes(SCRIPT_NAME)));
