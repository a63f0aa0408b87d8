// opencode's plugin events to signals. Pure; what needs memory of earlier events (whose child a session is, how a turn
// failed) our plugin has added to the payload. Source: payloads and orders recorded with 1.18.33.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
import type { Status } from "../../core/model/state.ts";
import type { NormalizedEvent } from "../../core/ports/agentAdapter.ts";
import {
  alive,
  eventOf,
  type EventRule,
  type EventRules,
  idOf,
  prompted,
  signalsOf,
  working,
  workOf,
} from "../common/events.ts";
import { failureOfText } from "../common/failure.ts";
import { asPayload, fieldOf, numberOf, textOf, type Payload } from "../common/payload.ts";
import { failureWords, progressField, quoteOf, retryOf } from "../common/progress.ts";
import {
  activity,
  boundary,
  COMPLETED,
  INTERRUPTED,
  openRequest,
  RETRYING,
  SUBAGENT,
  THINKING,
  TOOL,
  type Ask,
} from "../common/signals.ts";
import { toldOf, type ToldNames } from "../common/told.ts";
import { permissionAsk, questionAsk } from "./promptRequest.ts";

/** Recorded: the dialog is drawn about 90 ms after its event; 500 is the least. */
const DIALOG_GRACE_MS = 500;

/** The words of a failure; empty for what went wrong without one. */
const failureField = (payload: Payload, failure: Status | null): { progress?: string } => {
  const data = asPayload(fieldOf(asPayload(fieldOf(payload, "error")) ?? {}, "data")) ?? {};
  return failure?.state === "error" ? progressField(failureWords(textOf(data, "message"))) : {};
};

/** How a turn went wrong; null for none. */
const failureOf = (error: Payload | null): Status | null => {
  if (error === null) return null;
  const name = textOf(error, "name") ?? "";
  if (name === "MessageAbortedError") return INTERRUPTED;
  const data = asPayload(fieldOf(error, "data")) ?? {};
  const statusCode = numberOf(data, "statusCode");
  const text = `${statusCode ?? ""} ${textOf(data, "message") ?? ""}`;
  return name === "ProviderAuthError" ? { state: "error", reasonCode: "auth_failed" } : failureOfText(text);
};

const turnEnded: EventRule = ({ payload, isWhole, agentId, confidence }) => {
  if (agentId !== ROOT_AGENT) return [boundary(null, agentId, confidence)];
  // Without its payload it may be a sub-agent's: then it ends nothing.
  if (!isWhole) return [activity(null)];
  if (payload["isOtherBusy"] === true) return [activity(THINKING)];
  const failure = failureOf(asPayload(fieldOf(payload, "error")));
  const ending = failure ?? (payload["isRejected"] === true ? INTERRUPTED : COMPLETED);
  return [boundary(ending, agentId, confidence, failureField(payload, failure))];
};

const retryField = (told: Payload): { progress?: string } => {
  const attempt = numberOf(told, "attempt") ?? 0;
  return Number.isSafeInteger(attempt) && attempt > 0
    ? progressField(retryOf(attempt), quoteOf(textOf(told, "message")))
    : {};
};

const statusTold: EventRule = (event) => {
  const { payload, agentId } = event;
  const told = asPayload(fieldOf(payload, "status")) ?? {};
  switch (textOf(told, "type")) {
    // It repeats within a turn, also while parallel tools wait: it begins nothing.
    case "busy":
      return working(THINKING)(event);
    case "retry":
      return [activity(workOf(agentId, RETRYING), { agentId, ...retryField(told) })];
    case "idle":
      return turnEnded(event);
    case null:
    default:
      return alive(event);
  }
};

const failed: EventRule = ({ payload, agentId, confidence }) => {
  const failure = failureOf(asPayload(fieldOf(payload, "error")));
  // An error without a session is not a turn's.
  if (textOf(payload, "sessionID") === null || failure === null) return [activity(null)];
  return agentId === ROOT_AGENT
    ? [boundary(failure, agentId, confidence, failureField(payload, failure))]
    : [boundary(null, agentId, confidence)];
};

const asked =
  (askOf: (payload: Payload) => Ask): EventRule =>
  ({ payload, isWhole, agentId }) => [
    openRequest(askOf(payload), {
      agentId,
      requestKey: idOf(payload, "id"),
      confidence: isWhole ? "high" : "medium",
      needsConfirmation: !isWhole,
      dialogGraceMs: DIALOG_GRACE_MS,
    }),
  ];

const answered: EventRule = ({ payload, agentId }) => {
  const id = idOf(payload, "requestID");
  return [activity(workOf(agentId, THINKING), { agentId, closes: id === null ? [] : [id] })];
};

const RULES: EventRules = {
  "session.created": ({ agentId }) => [activity(agentId === ROOT_AGENT ? null : SUBAGENT, { agentId })],
  "session.status": statusTold,
  "session.idle": turnEnded,
  "session.error": failed,
  "session.compacted": alive,
  "chat.message": prompted,
  "tool.execute.before": working(TOOL),
  "tool.execute.after": working(THINKING),
  "permission.asked": asked(permissionAsk),
  "permission.replied": answered,
  "question.asked": asked(questionAsk),
  "question.replied": answered,
  "question.rejected": answered,
};

/** What our plugin adds: the prompt, what a tool works on, and the last words before the turn ended. */
const TOLD: ToldNames = {
  prompts: "chat.message",
  began: "tool.execute.before",
  ended: ["tool.execute.after"],
  toolName: "tool",
  input: "subject",
  said: { event: "session.idle", field: "said" },
};

/** Never throws. An unreadable payload counts by the event's name where that alone proves something. */
export const normalizeOpencode = (envelope: Envelope): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const name = envelope.eventName ?? "";
  const sessionId = idOf(payload, "sessionID");
  const isChild = textOf(payload, "parentID") !== null;
  // Root sessions speak for the agent; a child session is a sub-agent with the session's id as its own.
  const agentId = isChild ? (sessionId ?? "child") : ROOT_AGENT;
  return {
    signals: signalsOf(RULES, name, eventOf(envelope, agentId)),
    sessionId: isChild ? null : sessionId,
    eventId: null,
    isExit: false,
    cwd: textOf(payload, "directory"),
    ...toldOf(TOLD, { name, payload, isRoot: !isChild }),
  };
};
