// Codex's hook events to signals. Pure; the table of events is the whole decision. Source: event orders and payloads
// recorded with 0.169.0. Nothing comes for API errors (rollout and screen tell those), and `notify` is not used: it also
// fires for the internal thread that makes up titles.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
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
import { asPayload, fieldOf, textOf, type Payload } from "../common/payload.ts";
import { hashRequest } from "../common/requestKey.ts";
import {
  activity,
  COMPACTING,
  COMPLETED,
  INTERRUPTED,
  openRequest,
  SUBAGENT,
  THINKING,
  TOOL,
} from "../common/signals.ts";
import { toldOf, type ToldNames } from "../common/told.ts";
import { GENERIC_PERMISSION, permissionAsk, QUESTION_TOOL, questionAsk } from "./promptRequest.ts";

/** Three times the recorded delay from PermissionRequest to the drawn dialog (about 0.9 s, 0.169.0). */
const DIALOG_GRACE_MS = 2_700;

interface Event extends HookEvent {
  context: NormalizeContext;
}

type Rule = EventRule<Event>;

/** PermissionRequest adds a `description` to the input that PreToolUse and PostToolUse carry. */
const stableInput = (input: unknown): unknown => {
  const fields = asPayload(input);
  if (fields === null) return input;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "description"));
};

const requestKeyOf = (agentId: string, toolName: string, payload: Payload): string =>
  hashRequest(agentId, toolName, stableInput(fieldOf(payload, "tool_input")));

const toolStarted: Rule = ({ payload, agentId, confidence }) => {
  const toolUseId = textOf(payload, "tool_use_id");
  const toolName = textOf(payload, "tool_name");
  const requestKey = toolName === null ? null : requestKeyOf(agentId, toolName, payload);
  const names = toolUseId === null || requestKey === null ? null : { toolUseId, requestKey };
  const started = activity(workOf(agentId, TOOL), { agentId, names });
  if (toolName !== QUESTION_TOOL || requestKey === null) return [started];
  // Outside Plan mode the tool is refused without a question (recorded), and the event does not tell the mode.
  return [
    started,
    openRequest(questionAsk(fieldOf(payload, "tool_input")), {
      agentId,
      requestKey,
      confidence,
      needsConfirmation: true,
      dialogGraceMs: DIALOG_GRACE_MS,
    }),
  ];
};

const toolEnded: Rule = ({ payload, agentId }) => {
  const toolUseId = textOf(payload, "tool_use_id");
  const toolName = textOf(payload, "tool_name");
  const closes = [
    ...(toolUseId === null ? [] : [toolUseId]),
    ...(toolName === null ? [] : [requestKeyOf(agentId, toolName, payload)]),
  ];
  return [activity(workOf(agentId, THINKING), { agentId, closes })];
};

const permissionRequested: Rule = ({ payload, isWhole, agentId, context }) => {
  const toolName = textOf(payload, "tool_name");
  const mode = textOf(payload, "permission_mode");
  return [
    openRequest(
      toolName === null
        ? GENERIC_PERMISSION
        : permissionAsk(toolName, fieldOf(payload, "tool_input"), textOf(payload, "cwd")),
      {
        agentId,
        requestKey: toolName === null ? null : requestKeyOf(agentId, toolName, payload),
        confidence: toolName === null ? "medium" : "high",
        needsConfirmation:
          !isWhole || context.confirmRequests || (mode !== null && SELF_ANSWERING_MODES.has(mode)),
        dialogGraceMs: DIALOG_GRACE_MS,
      },
    ),
  ];
};

/** Modes in which a request may be answered without a person. */
const SELF_ANSWERING_MODES = new Set(["bypassPermissions", "dontAsk", "auto", "acceptEdits"]);

const TOLD: ToldNames = {
  prompts: "UserPromptSubmit",
  began: "PreToolUse",
  ended: ["PostToolUse"],
  toolName: "tool_name",
  input: "tool_input",
  said: { event: "Stop", field: "last_assistant_message" },
};

const RULES: EventRules<Event> = {
  // Comes with the first prompt, milliseconds before it: a state of its own would be wrong at once.
  SessionStart: alive,
  // Also fires when a running turn is steered: a turn in progress is true then as well.
  UserPromptSubmit: prompted,
  PreToolUse: toolStarted,
  PermissionRequest: permissionRequested,
  PostToolUse: toolEnded,
  Stop: endedAs(COMPLETED),
  // Esc, and a denial: it interrupts the turn.
  Interrupt: endedAs(INTERRUPTED),
  // The server dropped the thread, seconds after its window left it.
  SessionEnd: sessionEnded,
  // Without its agent id it would speak of the parent.
  SubagentStart: ({ agentId }) => [activity(agentId === ROOT_AGENT ? null : SUBAGENT, { agentId })],
  SubagentStop: subagentStopped,
  PreCompact: working(COMPACTING),
  // After a compaction on request the agent is back at its prompt, otherwise the turn goes on.
  PostCompact: (event) =>
    textOf(event.payload, "trigger") === "auto" ? working(THINKING)(event) : alive(event),
  PreModelRequest: alive,
  PostModelRequest: alive,
};

/**
 * Events of a sub-thread carry the parent's `session_id`; their own thread is named by `agent_id`, or by the rollout that
 * they write to (recorded: SubagentStart).
 */
const agentIdOf = (payload: Payload): string => {
  const agentId = idOf(payload, "agent_id");
  if (agentId !== null) return agentId;
  const sessionId = textOf(payload, "session_id");
  const thread = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(
    textOf(payload, "transcript_path")?.slice(-100) ?? "",
  )?.[1];
  return thread === undefined || sessionId === null || thread === sessionId ? ROOT_AGENT : thread;
};

/**
 * Never throws. A payload that could not be read still counts by its event's name, with medium confidence. `isExit` is
 * never set: SessionEnd is the background server's word about a thread, not about the process in the pane.
 */
export const normalizeCodex = (envelope: Envelope, context: NormalizeContext): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const name = envelope.eventName ?? textOf(payload, "hook_event_name") ?? "";
  const agentId = agentIdOf(payload);
  const isRoot = agentId === ROOT_AGENT;
  return {
    signals: signalsOf(RULES, name, { ...eventOf(envelope, agentId), context }),
    sessionId: idOf(payload, "session_id"),
    eventId: null,
    cwd: textOf(payload, "cwd"),
    transcriptPath: isRoot ? textOf(payload, "transcript_path") : null,
    // A sub-thread's prompt was written by the agent, and its parent's screen shows it.
    ...toldOf(TOLD, { name, payload, isRoot }),
    isExit: false,
  };
};
