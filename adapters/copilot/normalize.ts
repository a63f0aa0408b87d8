// Copilot CLI's hook events to signals. Pure; the table of events is the whole decision. Source: event orders and payloads
// recorded with 1.0.102. Denial, interrupt and the final failure fire no hook: the session log and the screen tell them.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { NormalizeContext, NormalizedEvent } from "../../core/ports/agentAdapter.ts";
import {
  alive,
  endedAs,
  eventOf,
  type EventRule,
  type EventRules,
  type HookEvent,
  idOf,
  prompted,
  sessionEnded,
  signalsOf,
  subagentStopped,
  working,
  workOf,
} from "../common/events.ts";
import { fieldOf, textOf, type Payload } from "../common/payload.ts";
import {
  activity,
  boundary,
  COMPACTING,
  COMPLETED,
  FRESH,
  openRequest,
  RETRYING,
  SUBAGENT,
  THINKING,
  TOOL,
  type Ask,
} from "../common/signals.ts";
import { toldOf, type ToldNames } from "../common/told.ts";
import { ASK_TOOL, notifiedPermission, permissionAsk, questionAsk, requestKeyOf } from "./prompts.ts";

/** Recorded: the dialog is drawn about 60 ms after its notification; three times that is below the least grace. */
const DIALOG_GRACE_MS = 500;

const opened = (
  ask: Ask,
  { agentId, confidence }: HookEvent,
  fields: { requestKey: string | null; needsConfirmation: boolean },
): Signal => openRequest(ask, { agentId, confidence, dialogGraceMs: DIALOG_GRACE_MS, ...fields });

const toolStarted: EventRule = (event) => {
  const { payload, agentId } = event;
  const started = activity(workOf(agentId, TOOL), { agentId });
  const toolName = textOf(payload, "toolName");
  if (toolName !== ASK_TOOL) return [started];
  const input = fieldOf(payload, "toolArgs");
  const requestKey = requestKeyOf(agentId, toolName, input);
  return [started, opened(questionAsk(input), event, { requestKey, needsConfirmation: true })];
};

const toolEnded: EventRule = ({ payload, agentId }) => {
  const toolName = textOf(payload, "toolName");
  const closes = toolName === null ? [] : [requestKeyOf(agentId, toolName, fieldOf(payload, "toolArgs"))];
  return [activity(workOf(agentId, THINKING), { agentId, closes })];
};

/** Fires before the rules decide whether anybody is asked. */
const permissionRequested: EventRule = (event) => {
  const { payload, agentId } = event;
  const toolName = textOf(payload, "toolName");
  const input = fieldOf(payload, "toolInput");
  return [
    opened(permissionAsk(toolName ?? "", input, textOf(payload, "cwd")), event, {
      requestKey: toolName === null ? null : requestKeyOf(agentId, toolName, input),
      needsConfirmation: true,
    }),
  ];
};

const notified: EventRule = (event) => {
  const { payload } = event;
  const proven = { requestKey: null, needsConfirmation: false };
  switch (textOf(payload, "notification_type")) {
    case "permission_prompt":
      return [opened(notifiedPermission(textOf(payload, "message")), event, proven)];
    case "elicitation_dialog":
      return [opened(questionAsk({}), event, proven)];
    case null:
    default:
      return alive(event);
  }
};

const TOLD: ToldNames = {
  prompts: "userPromptSubmitted",
  began: "preToolUse",
  ended: ["postToolUse", "postToolUseFailure"],
  toolName: "toolName",
  input: "toolArgs",
};

const RULES: EventRules = {
  sessionStart: ({ payload, agentId, confidence }) => [
    // Comes with the first prompt, not with the program's start: then its turn runs already.
    boundary(textOf(payload, "initialPrompt") === null ? FRESH : THINKING, agentId, confidence),
  ],
  userPromptSubmitted: prompted,
  preToolUse: toolStarted,
  postToolUse: toolEnded,
  postToolUseFailure: toolEnded,
  permissionRequest: permissionRequested,
  notification: notified,
  // Once per attempt, the last one included: what it proves is that the agent tried.
  errorOccurred: (event) =>
    textOf(event.payload, "errorContext") === "model_call" ? working(RETRYING)(event) : alive(event),
  // Without its agent id a sub-agent's end would end the parent's turn.
  agentStop: (event) => (event.isWhole ? endedAs(COMPLETED)(event) : [activity(null)]),
  subagentStart: ({ agentId }) => [activity(SUBAGENT, { agentId })],
  subagentStop: subagentStopped,
  preCompact: ({ agentId }) => [activity(COMPACTING, { agentId })],
  sessionEnd: sessionEnded,
  userPromptTransformed: alive,
  postResult: alive,
};

/** Sub-agents carry their own id; the root names none, or the session's. */
const agentIdOf = (payload: Payload): string => {
  const agentId = textOf(payload, "agentId");
  return agentId === null || agentId === textOf(payload, "sessionId") ? ROOT_AGENT : agentId.slice(0, 200);
};

/** Never throws. Unknown events give no signals; an unreadable payload counts by its event's name, with medium confidence. */
export const normalizeCopilot = (envelope: Envelope, _context: NormalizeContext): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const name = envelope.eventName ?? "";
  const agentId = agentIdOf(payload);
  const isRoot = agentId === ROOT_AGENT;
  return {
    signals: signalsOf(RULES, name, eventOf(envelope, agentId)),
    sessionId: idOf(payload, "sessionId"),
    eventId: null,
    cwd: textOf(payload, "cwd"),
    transcriptPath: textOf(payload, "transcriptPath"),
    ...toldOf(TOLD, { name, payload, isRoot }),
    isExit: name === "sessionEnd" && isRoot,
  };
};
