// Our entries in Codex's `~/.codex/hooks.json`, and how they are told from other people's.
import { createHookCommand } from "../common/hookCommand.ts";

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

/**
 * `exec` makes Codex itself the script's parent: where hooks run in the window's own process, that parent tells the pane.
 * Constant, because a change asks the person for trust again.
 */
const HOOK = createHookCommand("codex", {
  before: (script) => `[ -x ${script} ] && exec ${script}`,
  after: "2>/dev/null; :",
});
export const { commandOf: hookCommand, isOurs: isOurCommand } = HOOK;
