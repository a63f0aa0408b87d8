// Our entries in Cursor's hooks file and how they are told from other people's. The events are those whose meaning is
// documented and that change a state; events whose answer may allow or deny something are left alone.
import { createHookCommand } from "../common/hookCommand.ts";
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
export const HOOK_TIMEOUT_S = 5;

/** It must print nothing and succeed: an exit code of 2 would block. */
const HOOK = createHookCommand("cursor");
export const { commandOf: hookCommand, isOurs: isOurCommand } = HOOK;
