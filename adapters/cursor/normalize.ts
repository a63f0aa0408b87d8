// Cursor's documented hook events to signals. Not run here: only what the documents state plainly is concluded, with
// medium confidence, and no event stands for a wait, because none is documented to mean one.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { NormalizedEvent } from "../../core/ports/agentAdapter.ts";
import { idOf } from "../common/events.ts";
import { textOf, type Payload } from "../common/payload.ts";
import { activity, boundary, COMPLETED, FRESH, INTERRUPTED, SUBAGENT, THINKING } from "../common/signals.ts";

/** `stop` tells how the loop ended by `status`. */
const stopped = (payload: Payload): Signal => {
  switch (textOf(payload, "status")) {
    case "completed":
      return boundary(COMPLETED, ROOT_AGENT, "medium");
    case "aborted":
      return boundary(INTERRUPTED, ROOT_AGENT, "medium");
    case "error":
      return boundary({ state: "error", reasonCode: "api_error" }, ROOT_AGENT, "medium");
    case null:
    default:
      return { kind: "settled" };
  }
};

const signalOf = (name: string, payload: Payload): Signal | null => {
  switch (name) {
    case "sessionStart":
      return boundary(FRESH, ROOT_AGENT, "medium");
    case "beforeSubmitPrompt":
      return boundary(THINKING, ROOT_AGENT, "medium");
    case "postToolUse":
      return activity(THINKING, { confidence: "medium" });
    case "subagentStart":
      return activity(SUBAGENT, { confidence: "medium" });
    case "subagentStop":
      return activity(null);
    case "stop":
      return stopped(payload);
    case "sessionEnd":
      return boundary(null, ROOT_AGENT, "medium");
    default:
      return null;
  }
};

/** Never throws. Claude Code's events, which Cursor can run as well, carry Claude's name and do not come here. */
export const normalizeCursor = (envelope: Envelope): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const name = envelope.eventName ?? textOf(payload, "hook_event_name") ?? "";
  const signal = signalOf(name, payload);
  return {
    signals: signal === null ? [] : [signal],
    sessionId: idOf(payload, "conversation_id") ?? idOf(payload, "session_id"),
    eventId: null,
    isExit: name === "sessionEnd" && envelope.payload !== null,
    cwd: textOf(payload, "cwd"),
    promptText: name === "beforeSubmitPrompt" ? textOf(payload, "prompt") : null,
  };
};
