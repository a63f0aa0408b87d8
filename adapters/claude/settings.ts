// Our entries in Claude Code's settings, and how they are told from other people's.

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

/** Seconds; the hook needs milliseconds, and some of these events hold the agent. */
export const HOOK_TIMEOUT_S = 5;

const SCRIPT_NAME = "agtmux-event";

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** Prints nothing and always succeeds, even when the script is gone: stdout becomes context, failure is shown. */
export const hookCommand = (eventScript: string, event: string): string =>
  `${quoted(eventScript)} claude ${event} 2>/dev/null || :`;

/** True for our command of this event, also from an installation elsewhere. */
export const isOurCommand = (command: unknown, event: string, eventScript: string | null): boolean =>
  typeof command === "string" &&
  ((eventScript !== null && command === hookCommand(eventScript, event)) ||
    (command.endsWith(` claude ${event} 2>/dev/null || :`) && command.includes(SCRIPT_NAME)));
