// Claude Code's hook events to signals. Pure; the table of events is the whole decision. Sources: event orders and payloads
// recorded with 2.1.329 (2.1.197 sends the same for prompts, approvals and errors); elicitation from the vendor's documents.
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
  subagentStopped,
  workOf,
} from "../common/events.ts";
import { asPayload, fieldOf, listOf, textOf, type Payload } from "../common/payload.ts";
import { countOf, failureWords, progressField } from "../common/progress.ts";
import { hashRequest } from "../common/requestKey.ts";
import { errorStatusOfHook } from "./errorReason.ts";
import { askOf, elicitationAsk, GENERIC_PERMISSION, isEditTool } from "./promptRequest.ts";
import {
  activity,
  BACKGROUND,
  boundary,
  COMPACTING,
  COMPLETED,
  FRESH,
  openRequest,
  SUBAGENT,
  THINKING,
  TOOL,
} from "../common/signals.ts";
import { toldOf, type ToldNames } from "../common/told.ts";

/**
 * Three times the recorded delay from PermissionRequest to the drawn dialog (about 300 ms, 2.1.329): until then a screen
 * without the dialog says nothing.
 */
const DIALOG_GRACE_MS = 1_000;

// The name of a permission request. Claude Code's PermissionRequest carries no tool_use_id (recorded 2.1.329), so the
// request is named by what it asks: agent, tool and input. PreToolUse ties that name to its tool_use_id.
/**
 * Tools that rewrite their own input between the request and the end: a question gains its answers, a plan its text. Only
 * the part that stays names the request.
 */
const stableInput = (toolName: string, input: unknown): unknown => {
  if (toolName === "AskUserQuestion") {
    const questions = asPayload(input);
    return questions === null ? null : fieldOf(questions, "questions");
  }
  return toolName === "ExitPlanMode" ? null : input;
};

const requestKeyOf = (agentId: string, toolName: string, toolInput: unknown): string =>
  hashRequest(agentId, toolName, stableInput(toolName, toolInput));

interface Event extends HookEvent {
  context: NormalizeContext;
}

type Rule = EventRule<Event>;

/** Modes in which a request may be answered without a person. */
const SELF_ANSWERING_MODES = new Set(["auto", "bypassPermissions", "dontAsk"]);
/** Ends of a session after which the process lives on. */
const LIVING_END_REASONS = new Set(["clear", "resume"]);
const RUNNING_TASK_STATES = new Set(["running", "pending", "in_progress"]);

/** Every name under which the request of one tool call may be open. */
const namesOfCall = (agentId: string, call: Payload): string[] => {
  const toolUseId = textOf(call, "tool_use_id");
  const toolName = textOf(call, "tool_name");
  return [
    ...(toolUseId === null ? [] : [toolUseId]),
    ...(toolName === null ? [] : [requestKeyOf(agentId, toolName, fieldOf(call, "tool_input"))]),
  ];
};

const mayAnswerItself = ({ payload, isWhole, context }: Event, toolName: string): boolean => {
  const mode = textOf(payload, "permission_mode");
  return (
    !isWhole ||
    context.confirmRequests ||
    (mode !== null && SELF_ANSWERING_MODES.has(mode)) ||
    (mode === "acceptEdits" && isEditTool(toolName))
  );
};

const toolStarted: Rule = ({ payload, agentId }) => {
  const toolUseId = textOf(payload, "tool_use_id");
  const toolName = textOf(payload, "tool_name");
  const names =
    toolUseId === null || toolName === null
      ? null
      : { toolUseId, requestKey: requestKeyOf(agentId, toolName, fieldOf(payload, "tool_input")) };
  return [activity(workOf(agentId, TOOL), { agentId, names })];
};

const toolEnded: Rule = ({ payload, agentId }) => [
  activity(workOf(agentId, THINKING), { agentId, closes: namesOfCall(agentId, payload) }),
];

const batchEnded: Rule = ({ payload, agentId }) => [
  activity(workOf(agentId, THINKING), {
    agentId,
    closes: listOf(payload, "tool_calls")
      .slice(0, 200)
      .flatMap((call) => namesOfCall(agentId, asPayload(call) ?? {})),
  }),
];

const permissionRequested: Rule = (event) => {
  const { payload, isWhole, agentId } = event;
  const toolName = textOf(payload, "tool_name");
  const ask =
    toolName === null
      ? GENERIC_PERMISSION
      : askOf(toolName, fieldOf(payload, "tool_input"), textOf(payload, "cwd"));
  return [
    openRequest(ask, {
      agentId,
      requestKey: toolName === null ? null : requestKeyOf(agentId, toolName, fieldOf(payload, "tool_input")),
      confidence: isWhole && toolName !== null ? "high" : "medium",
      needsConfirmation: mayAnswerItself(event, toolName ?? ""),
      dialogGraceMs: DIALOG_GRACE_MS,
    }),
  ];
};

const notified: Rule = (event) => {
  const { payload, agentId, confidence } = event;
  switch (textOf(payload, "notification_type")) {
    case "permission_prompt":
      return [
        openRequest(GENERIC_PERMISSION, {
          agentId,
          requestKey: null,
          confidence,
          needsConfirmation: false,
          dialogGraceMs: DIALOG_GRACE_MS,
        }),
      ];
    case "elicitation_dialog":
      return [
        openRequest(elicitationAsk(payload), {
          agentId,
          requestKey: null,
          confidence: "medium",
          needsConfirmation: false,
          dialogGraceMs: DIALOG_GRACE_MS,
        }),
      ];
    case "idle_prompt":
      return [{ kind: "settled" }];
    case null:
    default:
      return [activity(null, { agentId })];
  }
};

/** An elicitation's own id where it has one; a server asks one thing at a time. */
const elicitationNames = (payload: Payload): string[] =>
  ["elicitation_id", "mcp_server_name"].flatMap((field) => {
    const value = textOf(payload, field);
    return value === null ? [] : [`elicitation:${value.slice(0, 200)}`];
  });

const stopped: Rule = ({ payload, agentId, confidence }) => {
  if (agentId !== ROOT_AGENT) return [boundary(null, agentId, confidence)];
  const left = listOf(payload, "background_tasks").filter((task) =>
    RUNNING_TASK_STATES.has(textOf(asPayload(task) ?? {}, "status") ?? ""),
  ).length;
  if (left === 0) return [boundary(COMPLETED, agentId, confidence)];
  const progress = progressField(countOf(left, "background task"));
  return [{ ...boundary(BACKGROUND, agentId, confidence), ...progress }];
};

const TOLD: ToldNames = {
  prompts: "UserPromptSubmit",
  began: "PreToolUse",
  ended: ["PostToolUse", "PostToolUseFailure", "PermissionDenied"],
  toolName: "tool_name",
  input: "tool_input",
  said: { event: "Stop", field: "last_assistant_message" },
};

const RULES: EventRules<Event> = {
  SessionStart: ({ payload, isWhole, agentId, confidence }) => {
    // A truncated one may be the restart after a compaction, in the middle of a turn.
    if (!isWhole) return [activity(null, { agentId })];
    if (textOf(payload, "source") === "compact") return [activity(THINKING, { agentId })];
    return [boundary(FRESH, agentId, confidence)];
  },
  // Also fires when a prompt is queued while a turn runs: what it claims, a turn in progress, is true then as well.
  UserPromptSubmit: prompted,
  PreToolUse: toolStarted,
  PermissionRequest: permissionRequested,
  PostToolUse: toolEnded,
  PostToolUseFailure: toolEnded,
  PermissionDenied: toolEnded,
  PostToolBatch: batchEnded,
  Notification: notified,
  Stop: stopped,
  StopFailure: ({ payload, agentId, confidence }) => {
    const words = textOf(payload, "last_assistant_message");
    const failure = errorStatusOfHook(textOf(payload, "error"), words);
    return agentId === ROOT_AGENT
      ? [boundary(failure, agentId, confidence, progressField(failureWords(words)))]
      : [boundary(null, agentId, confidence)];
  },
  SessionEnd: sessionEnded,
  SubagentStart: ({ agentId }) => [activity(SUBAGENT, { agentId })],
  SubagentStop: subagentStopped,
  PreCompact: ({ agentId }) => [activity(COMPACTING, { agentId })],
  PostCompact: ({ payload, agentId }) =>
    // Compaction on request leaves the agent at its prompt; otherwise the turn goes on.
    textOf(payload, "trigger") === "manual"
      ? [{ kind: "settled" }]
      : [activity(workOf(agentId, THINKING), { agentId })],
  Elicitation: (event) => [
    openRequest(elicitationAsk(event.payload), {
      agentId: event.agentId,
      requestKey: elicitationNames(event.payload)[0] ?? null,
      confidence: "medium",
      needsConfirmation: !event.isWhole || event.context.confirmRequests,
      dialogGraceMs: DIALOG_GRACE_MS,
    }),
  ],
  ElicitationResult: ({ payload, agentId }) => [
    activity(workOf(agentId, THINKING), { agentId, closes: elicitationNames(payload) }),
  ],
  // We do not install for these; they prove life when somebody forwards them.
  UserPromptExpansion: alive,
  MessageDisplay: alive,
  TaskCreated: alive,
  TaskCompleted: alive,
  TeammateIdle: alive,
  ConfigChange: alive,
  CwdChanged: alive,
  FileChanged: alive,
  InstructionsLoaded: alive,
  PreModelSwitch: alive,
  PostModelSwitch: alive,
};

/**
 * Never throws. A payload that could not be read (not JSON, cut, too large) still counts by its event's name where the
 * name alone proves something, with medium confidence. Unknown events give no signals.
 */
export const normalizeClaude = (envelope: Envelope, context: NormalizeContext): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const name = envelope.eventName ?? textOf(payload, "hook_event_name") ?? "";
  const event = eventOf(envelope, idOf(payload, "agent_id") ?? ROOT_AGENT);
  return {
    signals: signalsOf(RULES, name, { ...event, context }),
    sessionId: idOf(payload, "session_id"),
    eventId: null,
    cwd: textOf(payload, "cwd"),
    transcriptPath: textOf(payload, "transcript_path"),
    ...toldOf(TOLD, { name, payload, isRoot: event.agentId === ROOT_AGENT }),
    isExit: name === "SessionEnd" && !LIVING_END_REASONS.has(textOf(payload, "reason") ?? ""),
  };
};
