// Our entries in Claude Code's settings, and how they are told from other people's.
import { createHookCommand } from "../common/hookCommand.ts";

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

/** It must print nothing and succeed: stdout becomes context, and a failure is shown. */
const HOOK = createHookCommand("claude");
export const { commandOf: hookCommand, isOurs: isOurCommand } = HOOK;
