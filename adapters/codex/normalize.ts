// Codex's hook events to signals. Pure; the table of events is the whole decision. Source: event orders and payloads
// recorded with 0.169.0. Nothing comes for API errors (rollout and screen tell those), and `notify` is not used: it also
// fires for the internal thread that makes up titles.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import type { NormalizeContext, NormalizedEvent } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, textOf, type Payload } from "../common/payload.ts";
import { hashRequest } from "../common/requestKey.ts";
import {
  activity,
  boundary,
  COMPACTING,
  COMPLETED,
  INTERRUPTED,
  openRequest,
  SUBAGENT,
  THINKING,
  TOOL,
} from "../common/signals.ts";
import { GENERIC_PERMISSION, permissionAsk, QUESTION_TOOL, questionAsk } from "./promptRequest.ts";

/** Three times the recorded delay from PermissionRequest to the drawn dialog (about 0.9 s, 0.169.0). */
const DIALOG_GRACE_MS = 2_700;

/** `payload` empty when the hook's was unreadable; then only what the name proves is concluded. */
interface Event {
  payload: Payload;
  isWhole: boolean;
  agentId: string;
  confidence: Confidence;
  context: NormalizeContext;
}

type Rule = (event: Event) => readonly Signal[];

const workOf = (agentId: string, status: Status): Status => (agentId === ROOT_AGENT ? status : SUBAGENT);

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

const RULES: Readonly<Record<string, Rule>> = {
  // Comes with the first prompt, milliseconds before it: a state of its own would be wrong at once.
  SessionStart: ({ agentId }) => [activity(null, { agentId })],
  // Also fires when a running turn is steered: a turn in progress is true then as well.
  UserPromptSubmit: ({ agentId, confidence }) => [boundary(workOf(agentId, THINKING), agentId, confidence)],
  PreToolUse: toolStarted,
  PermissionRequest: permissionRequested,
  PostToolUse: toolEnded,
  Stop: ({ agentId, confidence }) => [
    boundary(agentId === ROOT_AGENT ? COMPLETED : null, agentId, confidence),
  ],
  // Esc, and a denial: it interrupts the turn.
  Interrupt: ({ agentId, confidence }) => [
    boundary(agentId === ROOT_AGENT ? INTERRUPTED : null, agentId, confidence),
  ],
  // The server dropped the thread, seconds after its window left it.
  SessionEnd: ({ agentId, confidence }) => [boundary(null, agentId, confidence)],
  // Without its agent id it would speak of the parent.
  SubagentStart: ({ agentId }) => [activity(agentId === ROOT_AGENT ? null : SUBAGENT, { agentId })],
  SubagentStop: ({ agentId, confidence }) =>
    agentId === ROOT_AGENT ? [activity(null)] : [boundary(null, agentId, confidence)],
  PreCompact: ({ agentId }) => [activity(workOf(agentId, COMPACTING), { agentId })],
  // After a compaction on request the agent is back at its prompt, otherwise the turn goes on.
  PostCompact: ({ payload, agentId }) =>
    textOf(payload, "trigger") === "auto"
      ? [activity(workOf(agentId, THINKING), { agentId })]
      : [activity(null, { agentId })],
};

const LIFE_SIGNS = new Set(["PreModelRequest", "PostModelRequest"]);

/**
 * Events of a sub-thread carry the parent's `session_id`; their own thread is named by `agent_id`, or by the rollout that
 * they write to (recorded: SubagentStart).
 */
const agentIdOf = (payload: Payload): string => {
  const agentId = textOf(payload, "agent_id");
  if (agentId !== null) return agentId.slice(0, 200);
  const sessionId = textOf(payload, "session_id");
  const thread = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(
    textOf(payload, "transcript_path")?.slice(-100) ?? "",
  )?.[1];
  return thread === undefined || sessionId === null || thread === sessionId ? ROOT_AGENT : thread;
};

const signalsOf = (name: string, event: Event): readonly Signal[] => {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (rule !== undefined) return rule(event);
  return LIFE_SIGNS.has(name) ? [activity(null, { agentId: event.agentId })] : [];
};

/**
 * Never throws. A payload that could not be read still counts by its event's name, with medium confidence. `isExit` is
 * never set: SessionEnd is the background server's word about a thread, not about the process in the pane.
 */
export const normalizeCodex = (envelope: Envelope, context: NormalizeContext): NormalizedEvent => {
  const payload = envelope.payload ?? {};
  const isWhole = envelope.payload !== null;
  const name = envelope.eventName ?? textOf(payload, "hook_event_name") ?? "";
  const agentId = agentIdOf(payload);
  const isRoot = agentId === ROOT_AGENT;
  return {
    signals: signalsOf(name, { payload, isWhole, agentId, confidence: isWhole ? "high" : "medium", context }),
    sessionId: textOf(payload, "session_id")?.slice(0, 200) ?? null,
    eventId: null,
    cwd: textOf(payload, "cwd"),
    transcriptPath: isRoot ? textOf(payload, "transcript_path") : null,
    // A sub-thread's prompt was written by the agent, and its parent's screen shows it.
    promptText: isRoot && name === "UserPromptSubmit" ? textOf(payload, "prompt") : null,
    isExit: false,
  };
};
