// Gemini CLI's hook events to signals. Pure; the table of events is the whole decision. Source: event orders and payloads
// recorded with 0.61.0. How a turn ended is only half told: the same event follows a full answer, an interrupt and a cut
// stream, so its verdict has medium confidence and what the screen says about the ending outdoes it.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { Confidence } from "../../core/model/state.ts";
import type { NormalizeContext, NormalizedEvent } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, textOf, type Payload } from "../common/payload.ts";
import { activity, boundary, COMPLETED, FRESH, openRequest, THINKING, TOOL } from "../common/signals.ts";
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

interface Event {
  payload: Payload;
  /** False when the hook's payload was unreadable; then only what the name proves is concluded. */
  isWhole: boolean;
  confidence: Confidence;
  context: NormalizeContext;
}

type Rule = (event: Event) => readonly Signal[];

const PROOF_OF_LIFE: readonly Signal[] = [activity(null)];
const life: Rule = () => PROOF_OF_LIFE;

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

const notified: Rule = ({ payload, isWhole, confidence, context }) => {
  if (!isWhole || textOf(payload, "notification_type") !== "ToolPermission") return PROOF_OF_LIFE;
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

const RULES: Readonly<Record<string, Rule>> = {
  SessionStart: ({ confidence }) => [boundary(FRESH, ROOT_AGENT, confidence)],
  BeforeAgent: ({ confidence }) => [boundary(THINKING, ROOT_AGENT, confidence)],
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
  SessionEnd: ({ confidence }) => [boundary(null, ROOT_AGENT, confidence)],
  // Fires in every turn, whether anything is compressed or not.
  PreCompress: life,
  BeforeModel: life,
  AfterModel: life,
  BeforeToolSelection: life,
};

/** Never throws. Unknown events give no signals; an unreadable payload counts by its event's name, with medium confidence. */
export const normalizeGemini = (envelope: Envelope, context: NormalizeContext): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const isWhole = envelope.payload !== null;
  const name = envelope.eventName ?? textOf(payload, "hook_event_name") ?? "";
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  return {
    signals: rule?.({ payload, isWhole, confidence: isWhole ? "high" : "medium", context }) ?? [],
    sessionId: textOf(payload, "session_id")?.slice(0, 200) ?? null,
    eventId: null,
    cwd: textOf(payload, "cwd"),
    transcriptPath: textOf(payload, "transcript_path"),
    promptText: name === "BeforeAgent" ? textOf(payload, "prompt") : null,
    // A cleared conversation ends its session too, and the program lives on.
    isExit: name === "SessionEnd" && textOf(payload, "reason") !== "clear",
  };
};
