// Codex's hook events to signals: what a request asks, its name, the table of events. Pure. Source: event orders and payloads
// recorded with 0.169.0. No event reports API errors (rollout and screen show those), and `notify` is not used: it also fires for
// the internal thread that makes up titles.
import {
  asPayload,
  firstText,
  oneLine,
  textOf,
  type Payload,
  fieldOf,
  type Ask,
  EDIT_APPROVAL,
  QUESTION,
  TOOL_APPROVAL,
  activity,
  COMPACTING,
  COMPLETED,
  INTERRUPTED,
  SUBAGENT,
  THINKING,
  TOOL,
  alive,
  endedAs,
  type EventRule,
  type EventRules,
  idOf,
  prompted,
  sessionEnded,
  subagentStopped,
  working,
  workOf,
  type ToldNames,
  createNormalizer,
  opensWithin,
  placeOf,
} from "../common/events.ts";
import { promptRequest, questionFields, hashRequest } from "../common/promptRequest.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";

// Requests: what Codex asks of a person, from a hook's payload. The titles are those of its dialogs, so that event and screen
// describe a request alike. Source: payloads recorded with 0.169.0 (Bash, apply_patch, request_user_input, an MCP tool).

const COMMAND_TITLE = "Would you like to run the following command?";
const EDIT_TITLE = "Would you like to make the following edits?";
const QUESTION_TOOL = "request_user_input";
const PATCH_TOOL = "apply_patch";

const GENERIC_PERMISSION: Ask = {
  status: TOOL_APPROVAL,
  request: promptRequest({ kind: "other", title: "Codex needs your permission" }),
};

/** The question tool's wait. Which keys answer is known only from the screen. */
const questionAsk = (toolInput: unknown): Ask => ({
  status: QUESTION,
  request: promptRequest(
    questionFields(asPayload(toolInput) ?? {}, { name: "Codex", toolName: QUESTION_TOOL }, () => null),
  ),
});

const FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;
/** Of a single file it says no more than the path. */
const PLAIN_FILE = /^\*\*\* (?:Add|Update) File: /;
const MOVED = /^\*\*\* Move to: /;

/** Files and changes of a patch; null where its form is not known. Of several files each change keeps its file's line. */
const patchOf = (patch: string): { paths: string[]; content: string } | null => {
  const [first, ...lines] = patch.trimEnd().split("\n");
  if (first !== "*** Begin Patch" || lines.pop() !== "*** End Patch") return null;
  const paths = lines.flatMap((line) => FILE.exec(line)?.[1] ?? []);
  if (paths.length === 0 || !FILE.test(lines[0] ?? "")) return null;
  const isPlain =
    paths.length === 1 && PLAIN_FILE.test(lines[0] ?? "") && !lines.some((line) => MOVED.test(line));
  return { paths, content: lines.slice(isPlain ? 1 : 0).join("\n") };
};

const editAsk = (command: string | null, cwd: string | null): Ask => {
  const patch = command === null ? null : patchOf(command);
  return {
    status: EDIT_APPROVAL,
    request: promptRequest({
      kind: "edit",
      title: EDIT_TITLE,
      body: patch === null ? null : patch.paths.join("\n"),
      content: patch === null ? command : patch.content,
      toolName: PATCH_TOOL,
      cwd,
      isWhole: patch !== null,
    }),
  };
};

const commandAsk = (command: string, input: Payload, toolName: string): Ask => ({
  status: TOOL_APPROVAL,
  request: promptRequest({
    kind: "command",
    title: COMMAND_TITLE,
    body: command,
    remark: textOf(input, "description"),
    toolName,
    isWhole: true,
  }),
});

/** The wait that a PermissionRequest for this tool stands for. `cwd`: the base of a patch's paths. */
const permissionAsk = (rawToolName: string, toolInput: unknown, cwd: string | null): Ask => {
  const input = asPayload(toolInput) ?? {};
  const toolName = oneLine(rawToolName, 200);
  if (toolName === "") return GENERIC_PERMISSION;
  const command = textOf(input, "command");
  if (toolName === PATCH_TOOL) return editAsk(command, cwd);
  if (command !== null) return commandAsk(command, input, toolName);
  // Only a part of such a tool's input; the dialog shows no more.
  return {
    status: TOOL_APPROVAL,
    request: promptRequest({
      kind: "tool",
      title: `Use ${toolName}`,
      body: firstText(input, ["url", "host", "query", "path", "description", "prompt"]),
      toolName,
    }),
  };
};

/** Three times the recorded delay from PermissionRequest to the drawn dialog (about 0.9 s, 0.169.0). */
const opened = opensWithin(2_700);

/** PermissionRequest adds a `description` to the input that PreToolUse and PostToolUse carry. */
const stableInput = (input: unknown): unknown => {
  const fields = asPayload(input);
  if (fields === null) return input;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "description"));
};

const requestKeyOf = (agentId: string, toolName: string, payload: Payload): string =>
  hashRequest(agentId, toolName, stableInput(fieldOf(payload, "tool_input")));

const toolStarted: EventRule = (event) => {
  const { payload, agentId } = event;
  const toolUseId = textOf(payload, "tool_use_id");
  const toolName = textOf(payload, "tool_name");
  const requestKey = toolName === null ? null : requestKeyOf(agentId, toolName, payload);
  const names = toolUseId === null || requestKey === null ? null : { toolUseId, requestKey };
  const started = activity(workOf(agentId, TOOL), { agentId, names });
  if (toolName !== QUESTION_TOOL || requestKey === null) return [started];
  // Outside Plan mode the tool is refused without a question (recorded), and the event does not name the mode.
  return [
    started,
    opened(event, questionAsk(fieldOf(payload, "tool_input")), requestKey, { needsConfirmation: true }),
  ];
};

const toolEnded: EventRule = ({ payload, agentId }) => {
  const toolUseId = textOf(payload, "tool_use_id");
  const toolName = textOf(payload, "tool_name");
  const closes = [
    ...(toolUseId === null ? [] : [toolUseId]),
    ...(toolName === null ? [] : [requestKeyOf(agentId, toolName, payload)]),
  ];
  return [activity(workOf(agentId, THINKING), { agentId, closes })];
};

const permissionRequested: EventRule = (event) => {
  const { payload, isWhole, agentId, confirmRequests } = event;
  const toolName = textOf(payload, "tool_name");
  const mode = textOf(payload, "permission_mode");
  const needsConfirmation = !isWhole || confirmRequests || (mode !== null && SELF_ANSWERING_MODES.has(mode));
  if (toolName === null)
    return [opened(event, GENERIC_PERMISSION, null, { confidence: "medium", needsConfirmation })];
  const ask = permissionAsk(toolName, fieldOf(payload, "tool_input"), textOf(payload, "cwd"));
  return [
    opened(event, ask, requestKeyOf(agentId, toolName, payload), { confidence: "high", needsConfirmation }),
  ];
};

/** Modes in which a request may be answered without a person. */
const SELF_ANSWERING_MODES = new Set(["bypassPermissions", "dontAsk", "auto", "acceptEdits"]);

// The table of events.

const TOLD: ToldNames = {
  prompts: "UserPromptSubmit",
  began: "PreToolUse",
  ended: ["PostToolUse"],
  toolName: "tool_name",
  input: "tool_input",
  said: { event: "Stop", field: "last_assistant_message" },
};

const RULES: EventRules = {
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
  // The server dropped the thread, seconds after its window closed.
  SessionEnd: sessionEnded,
  // An event without an agent id must not change the parent's state.
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

/** `isExit` is never set: SessionEnd is about a thread of the background server, not about the process in the pane. */
export const normalizeCodex = createNormalizer({
  rules: RULES,
  told: TOLD,
  nameField: "hook_event_name",
  agentIdOf,
  about: (event) => {
    const { transcriptPath, ...place } = placeOf(event);
    return { ...place, transcriptPath: event.isRoot ? (transcriptPath ?? null) : null, isExit: false };
  },
});
