// Gemini CLI's hook events to signals. Pure; the table of events is the whole decision. Source: event orders and payloads
// recorded with 0.61.0. How a turn ended is only half told: the same event follows a full answer, an interrupt and a cut
// stream, so its verdict has medium confidence and what the screen says about the ending outdoes it.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
import type { NormalizeContext, NormalizedEvent } from "../../core/ports/agentAdapter.ts";
import {
  alive,
  eventOf,
  type EventRule,
  type EventRules,
  type HookEvent,
  idOf,
  prompted,
  sessionEnded,
  signalsOf,
} from "../common/events.ts";
import { asPayload, fieldOf, textOf } from "../common/payload.ts";
import { activity, boundary, COMPLETED, FRESH, openRequest, THINKING, TOOL } from "../common/signals.ts";
import { toldOf, type ToldNames } from "../common/told.ts";
import { API_ERROR } from "./errorReason.ts";
import {
  ASK_TOOL,
  GENERIC_PERMISSION,
  keyOfDetails,
  keyOfTool,
  permissionAsk,
  questionAsk,
} from "./prompts.ts";

/** Recorded: the dialog is drawn about 80 ms after its notification; three times that is below the least grace. */
const DIALOG_GRACE_MS = 500;
/** The agent's only mark of a failed turn, in the place of the answer. */
const NO_RESPONSE = "[no response text]";

interface Event extends HookEvent {
  context: NormalizeContext;
}

type Rule = EventRule<Event>;

const toolStarted: Rule = ({ payload, confidence }) => {
  const started = activity(TOOL);
  if (textOf(payload, "tool_name") !== ASK_TOOL) return [started];
  // Announced before it is decided whether anybody is asked: the dialog must be seen.
  return [
    started,
    openRequest(questionAsk(asPayload(fieldOf(payload, "tool_input")) ?? {}), {
      agentId: ROOT_AGENT,
      requestKey: keyOfTool(payload),
      confidence,
      needsConfirmation: true,
      dialogGraceMs: DIALOG_GRACE_MS,
    }),
  ];
};

const toolEnded: Rule = ({ payload }) => {
  const key = keyOfTool(payload);
  return [activity(THINKING, { closes: key === null ? [] : [key] })];
};

const notified: Rule = (event) => {
  const { payload, isWhole, confidence, context } = event;
  if (!isWhole || textOf(payload, "notification_type") !== "ToolPermission") return alive(event);
  const details = asPayload(fieldOf(payload, "details")) ?? {};
  const isQuestion = textOf(details, "type") === ASK_TOOL;
  const ask = isQuestion
    ? questionAsk({})
    : Object.keys(details).length === 0
      ? GENERIC_PERMISSION
      : permissionAsk(details, textOf(payload, "message"), textOf(payload, "cwd"));
  return [
    openRequest(ask, {
      agentId: ROOT_AGENT,
      requestKey: isQuestion ? null : keyOfDetails(details),
      confidence,
      needsConfirmation: context.confirmRequests,
      dialogGraceMs: DIALOG_GRACE_MS,
    }),
  ];
};

const RULES: EventRules<Event> = {
  SessionStart: ({ confidence }) => [boundary(FRESH, ROOT_AGENT, confidence)],
  BeforeAgent: prompted,
  BeforeTool: toolStarted,
  AfterTool: toolEnded,
  Notification: notified,
  AfterAgent: ({ payload }) => [
    boundary(
      textOf(payload, "prompt_response") === NO_RESPONSE ? API_ERROR : COMPLETED,
      ROOT_AGENT,
      "medium",
    ),
  ],
  SessionEnd: sessionEnded,
  // Fires in every turn, whether anything is compressed or not.
  PreCompress: alive,
  BeforeModel: alive,
  AfterModel: alive,
  BeforeToolSelection: alive,
};

const TOLD: ToldNames = {
  prompts: "BeforeAgent",
  began: "BeforeTool",
  ended: ["AfterTool"],
  toolName: "tool_name",
  input: "tool_input",
  said: { event: "AfterAgent", field: "prompt_response" },
};

/** Never throws. Unknown events give no signals; an unreadable payload counts by its event's name, with medium confidence. */
export const normalizeGemini = (envelope: Envelope, context: NormalizeContext): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const name = envelope.eventName ?? textOf(payload, "hook_event_name") ?? "";
  return {
    signals: signalsOf(RULES, name, { ...eventOf(envelope, ROOT_AGENT), context }),
    sessionId: idOf(payload, "session_id"),
    eventId: null,
    cwd: textOf(payload, "cwd"),
    transcriptPath: textOf(payload, "transcript_path"),
    ...(textOf(payload, "prompt_response") === NO_RESPONSE
      ? {}
      : toldOf(TOLD, { name, payload, isRoot: true })),
    // A cleared conversation ends its session too, and the program lives on.
    isExit: name === "SessionEnd" && textOf(payload, "reason") !== "clear",
  };
};
