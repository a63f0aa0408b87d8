// Our entries in Cursor's hooks file and how they are told from other people's. The events are those whose meaning is
// documented and that change a state; events whose answer may allow or deny something are left alone.
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

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** Prints nothing and always succeeds, even when the script is gone: an exit code of 2 would block. */
export const hookCommand = (eventScript: string, event: string): string =>
  `${quoted(eventScript)} cursor ${event} 2>/dev/null || :`;

/** True for our command of this event, also from an installation elsewhere. */
export const isOurCommand = (command: unknown, event: string, eventScript: string | null): boolean =>
  typeof command === "string" &&
  ((eventScript !== null && command === hookCommand(eventScript, event)) ||
    (command.endsWith(` cursor ${event} 2>/dev/null || :`) && command.includes("agtmux-event")));
