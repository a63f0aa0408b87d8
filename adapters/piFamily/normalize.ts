// Events of the pi family's extensions to signals, and how a run ended (which session files and screens ask, too). Pure; one
// table for all of them, because the agents share their events by descent. Source: orders and payloads recorded with omp 18.2.3
// and pi 0.87.1; retry and compaction events from the sources of gjc and arcane.
import type { Status } from "../../core/model/state.ts";
import {
  failureOfText,
  isRetryable,
  failureWords,
  progressField,
  quoteOf,
  retryOf,
} from "../common/progress.ts";
import {
  asPayload,
  fieldOf,
  textOf,
  type Payload,
  numberOf,
  COMPLETED,
  INTERRUPTED,
  RETRYING,
  activity,
  boundary,
  COMPACTING,
  FRESH,
  THINKING,
  TOOL,
  alive,
  endedAs,
  type EventRule,
  type EventRules,
  type HookEvent,
  idOf,
  prompted,
  sessionEnded,
  working,
  workOf,
  type ToldNames,
  createNormalizer,
  opensWithin,
} from "../common/events.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import { hashRequest } from "../common/promptRequest.ts";
import { approvalAsk, dialogAsk, questionAsk } from "./promptRequest.ts";

// Endings: how a run ended, from the stop reason of its last answer. Source: recorded runs of omp 18.2.3 and pi 0.87.1 (stop,
// toolUse, aborted, error); `length` is documented.

interface Ending {
  stopReason: string;
  errorMessage: string;
}

/** Whether an error only says that the person's interrupt cut a request off while a tool ran. */
export const isAborted = (errorMessage: string): boolean =>
  /^(This|The) operation was aborted\.?$/.test(errorMessage.trim());

/** From an event's or a session entry's assistant message; null where it names no stop reason. */
export const endingOf = (message: unknown): Ending | null => {
  const payload = asPayload(message);
  const stopReason = payload === null ? null : textOf(payload, "stopReason");
  if (payload === null || stopReason === null) return null;
  const errorMessage = (textOf(payload, "errorMessage") ?? "").slice(0, 2_000);
  return { stopReason: isAborted(errorMessage) ? "aborted" : stopReason, errorMessage };
};

/** The ending that an event carries, under either name that the family uses. */
const endingOfEvent = (payload: Payload): Ending | null =>
  endingOf(fieldOf(payload, "message")) ?? endingOf(fieldOf(payload, "last_assistant_message"));

/** Null for reasons that end no run (a tool follows) and for words that were never seen. */
export const statusOfEnding = (ending: Ending, retriesAfterEnd: boolean): Status | null => {
  switch (ending.stopReason) {
    case "stop":
    case "length":
      return COMPLETED;
    case "aborted":
      return INTERRUPTED;
    case "error":
      return retriesAfterEnd && isRetryable(ending.errorMessage)
        ? RETRYING
        : failureOfText(ending.errorMessage);
    default:
      return null;
  }
};

/** What differs between the members. */
interface PiProfile {
  /** A failed run may be tried again after its end was reported. */
  retriesAfterEnd: boolean;
  /** `agent_end` ends nothing yet: `agent_settled` follows. */
  settles: boolean;
  /** It has a built-in tool `ask`; elsewhere a tool of that name is an extension's and opens its own dialogs. */
  hasAskTool: boolean;
}

/** From the event to the drawn dialog some hundred milliseconds passed; not measured closer. */
const opened = opensWithin(1_000);

const callId = (payload: Payload): string | null => idOf(payload, "toolCallId");
const closesOf = (payload: Payload): string[] => {
  const id = callId(payload);
  return id === null ? [] : [id];
};

/** Ends the run as `status` says; null: the event only proves that the agent is alive. */
const endWith = (
  { agentId, confidence }: HookEvent,
  status: Status | null,
  failure: string | null = null,
): readonly Signal[] => {
  if (agentId !== ROOT_AGENT) return [boundary(null, agentId, confidence)];
  if (status === null) return [activity(null)];
  // A run that will be tried again has not ended.
  if (status.state === "running") return [activity(status)];
  const words = status.state === "error" ? failureWords(failure) : null;
  return [boundary(status, agentId, confidence, progressField(words))];
};

const runEnded =
  ({ retriesAfterEnd }: PiProfile): EventRule =>
  (event) => {
    const ending = endingOfEvent(event.payload);
    if (ending !== null) {
      const status = statusOfEnding(ending, retriesAfterEnd);
      return endWith(event, status, ending.errorMessage);
    }
    // This event does not say how it ended; an earlier one may have.
    return event.agentId === ROOT_AGENT && event.isWhole ? [{ kind: "settled" }] : endWith(event, null);
  };

const turnEnded: EventRule = (event) => {
  const ending = endingOfEvent(event.payload);
  if (ending?.stopReason === "aborted") return endWith(event, INTERRUPTED);
  return ending?.stopReason === "toolUse" ? working(THINKING)(event) : alive(event);
};

const beforeSettle: EventRule = (event) => {
  const words = endingOfEvent(event.payload)?.errorMessage ?? "";
  switch (textOf(event.payload, "outcome")) {
    case "completed":
      return endWith(event, COMPLETED);
    case "error":
      return endWith(event, failureOfText(words), words);
    case null:
    default:
      return endWith(event, null);
  }
};

/** A week: no person is waited for longer, and the end of it is a valid date. */
const LONGEST_ASK_S = 604_800;

/** The time-out of questions in milliseconds; null for none, and for what is no time to wait. */
const askTimeoutOf = (payload: Payload): number | null => {
  const seconds = numberOf(payload, "askTimeoutSeconds");
  return seconds !== null && seconds > 0 && seconds <= LONGEST_ASK_S ? seconds * 1_000 : null;
};

const toolStarted =
  ({ hasAskTool }: PiProfile): EventRule =>
  (event) => {
    const { payload, at } = event;
    if (!hasAskTool || textOf(payload, "toolName") !== "ask") return working(TOOL)(event);
    return [opened(event, questionAsk(payload, at, askTimeoutOf(payload)), callId(payload))];
  };

const toolEnded: EventRule = ({ payload, agentId }) => [
  activity(workOf(agentId, THINKING), { agentId, closes: closesOf(payload) }),
];

const dialogKey = (agentId: string, payload: Payload): string =>
  `ui:${hashRequest(agentId, textOf(payload, "kind") ?? "", textOf(payload, "title"))}`;

/** `maxAttempts` is documented; the message is the provider's. */
const retryField = (payload: Payload): { progress?: string } => {
  const attempt = numberOf(payload, "attempt") ?? 0;
  const limit = numberOf(payload, "maxAttempts") ?? 0;
  return Number.isSafeInteger(attempt) && attempt > 0
    ? progressField(retryOf(attempt, limit > 0 ? limit : null), quoteOf(textOf(payload, "errorMessage")))
    : {};
};

const rulesOf = (profile: PiProfile): EventRules => ({
  session_start: endedAs(FRESH),
  session_switch: endedAs(FRESH),
  session_shutdown: sessionEnded,
  // Comes before commands are distinguished from prompts.
  input: alive,
  before_agent_start: prompted,
  agent_start: prompted,
  turn_start: working(THINKING),
  turn_end: turnEnded,
  tool_call: working(TOOL),
  tool_execution_start: toolStarted(profile),
  tool_result: toolEnded,
  tool_execution_end: toolEnded,
  tool_approval_requested: (event) => [opened(event, approvalAsk(event.payload), callId(event.payload))],
  // A refusal does not end the turn: the model learns of it.
  tool_approval_resolved: ({ payload, agentId }) => [
    activity(workOf(agentId, payload["approved"] === true ? TOOL : THINKING), {
      agentId,
      closes: closesOf(payload),
    }),
  ],
  ui_prompt_start: (event) => {
    const { payload, isWhole, agentId } = event;
    return [opened(event, dialogAsk(payload), isWhole ? dialogKey(agentId, payload) : null)];
  },
  ui_prompt_end: ({ payload, agentId }) => [
    activity(null, { agentId, closes: [dialogKey(agentId, payload)] }),
  ],
  auto_retry_start: ({ payload, agentId }) => [
    activity(workOf(agentId, RETRYING), { agentId, ...retryField(payload) }),
  ],
  auto_retry_end: (event) => {
    const words = textOf(event.payload, "finalError") ?? "";
    return event.payload["success"] === false
      ? endWith(event, failureOfText(words), words)
      : working(THINKING)(event);
  },
  auto_compaction_start: working(COMPACTING),
  auto_compaction_end: (event) =>
    event.payload["willRetry"] === true ? working(THINKING)(event) : [{ kind: "settled" }],
  session_stop: runEnded(profile),
  agent_end: profile.settles ? alive : runEnded(profile),
  agent_before_settle: beforeSettle,
  agent_settled: runEnded(profile),
});

/** Our extension hands on what a tool works on as `subject`; its whole input is of no use. */
const TOLD: ToldNames = {
  prompts: "before_agent_start",
  began: "tool_execution_start",
  ended: ["tool_execution_end"],
  toolName: "toolName",
  input: "subject",
};

/** The process goes on after these ends of a session (pi 0.87.1 names the reason; omp names none and exits). */
const LIVING_SHUTDOWNS = new Set(["new", "resume", "fork", "reload", "switch"]);

export const createPiNormalizer = (profile: PiProfile) =>
  createNormalizer({
    rules: rulesOf(profile),
    told: TOLD,
    nameField: "type",
    agentIdOf: (payload) => idOf(payload, "agent_id") ?? ROOT_AGENT,
    about: ({ name, payload, isRoot, isWhole }) => ({
      sessionId: isRoot ? (idOf(payload, "session_id") ?? idOf(payload, "sessionId")) : null,
      cwd: textOf(payload, "cwd"),
      transcriptPath: isRoot ? textOf(payload, "session_file") : null,
      isExit:
        name === "session_shutdown" &&
        isRoot &&
        isWhole &&
        !LIVING_SHUTDOWNS.has(textOf(payload, "reason") ?? ""),
    }),
  });
