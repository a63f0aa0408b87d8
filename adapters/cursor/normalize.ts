// Cursor's documented hook events to signals, with medium confidence because nobody ran it here. No event stands for a wait: none
// is documented to mean one. Claude Code's events, which Cursor can run as well, carry Claude's name and do not come here.
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { Status } from "../../core/model/state.ts";
import {
  createNormalizer,
  idOf,
  textOf,
  type Payload,
  activity,
  boundary,
  COMPLETED,
  FRESH,
  INTERRUPTED,
  SUBAGENT,
  THINKING,
} from "../common/events.ts";

const bounded = (status: Status | null): Signal => boundary(status, ROOT_AGENT, "medium");

/** `stop` says by `status` how the loop ended. */
const stopped = (payload: Payload): Signal => {
  switch (textOf(payload, "status")) {
    case "completed":
      return bounded(COMPLETED);
    case "aborted":
      return bounded(INTERRUPTED);
    case "error":
      return bounded({ state: "error", reasonCode: "api_error" });
    case null:
    default:
      return { kind: "settled" };
  }
};

export const normalizeCursor = createNormalizer({
  rules: {
    sessionStart: () => [bounded(FRESH)],
    beforeSubmitPrompt: () => [bounded(THINKING)],
    postToolUse: () => [activity(THINKING, { confidence: "medium" })],
    subagentStart: () => [activity(SUBAGENT, { confidence: "medium" })],
    subagentStop: () => [activity(null)],
    stop: ({ payload }) => [stopped(payload)],
    sessionEnd: () => [bounded(null)],
  },
  nameField: "hook_event_name",
  about: ({ name, payload, isWhole }) => ({
    sessionId: idOf(payload, "conversation_id") ?? idOf(payload, "session_id"),
    cwd: textOf(payload, "cwd"),
    promptText: name === "beforeSubmitPrompt" ? textOf(payload, "prompt") : null,
    isExit: name === "sessionEnd" && isWhole,
  }),
});
