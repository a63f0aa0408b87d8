// Claude Code's hook events to signals: why a turn failed (the screen asks that too), what a request asks, the name of a request,
// the table of events. Pure. Sources: event orders and payloads recorded with 2.1.329 (2.1.197 sends the same for prompts,
// approvals and errors); elicitation from the vendor's documents.
import { type ErrorStatus, failureBy, countOf, failureWords, progressField } from "../common/progress.ts";
import {
  asPayload,
  fieldOf,
  firstText,
  listOf,
  oneLine,
  textOf,
  type Payload,
  type Ask,
  EDIT_APPROVAL,
  PLAN_APPROVAL,
  QUESTION,
  TOOL_APPROVAL,
  activity,
  BACKGROUND,
  boundary,
  COMPACTING,
  COMPLETED,
  FRESH,
  SUBAGENT,
  THINKING,
  TOOL,
  alive,
  type EventRule,
  type EventRules,
  type HookEvent,
  idOf,
  prompted,
  sessionEnded,
  subagentStopped,
  workOf,
  type ToldNames,
  createNormalizer,
  opensWithin,
  placeOf,
} from "../common/events.ts";
import {
  changedLines,
  writtenLines,
  promptRequest,
  questionFields,
  hashRequest,
} from "../common/promptRequest.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";

// Why a turn failed: from the hook's error name and from the text that Claude Code shows. One place, because the hook and
// the screen must name the same failure alike. Recorded: 400, 401, 429, 500 (2.1.329); the limit texts are documented only.

const REASON_BY_NAME: Readonly<Record<string, ErrorStatus["reasonCode"]>> = {
  authentication_failed: "auth_failed",
  oauth_org_not_allowed: "auth_failed",
  billing_error: "usage_limit",
  rate_limit: "rate_limited",
};

const AUTH_TEXT = /\/login\b|API Error: 40[13]\b|Invalid API key|OAuth (token|session).*(expired|revoked)/i;
const USAGE_TEXT =
  /usage limit|hit your (\S+ )?limit|\blimit reached\b|(weekly|session|5-hour|Opus|Sonnet) limit|credit balance is too low|out of (extra )?usage/i;
const RATE_TEXT = /\(429\)|API Error: 429\b|rate.?limit/i;

/** The reason that the failure's text gives; `api_error` when it names none. */
export const errorStatusOfText = (text: string): ErrorStatus =>
  failureBy(text, [
    [USAGE_TEXT, "usage_limit"],
    [AUTH_TEXT, "auth_failed"],
    [RATE_TEXT, "rate_limited"],
  ]);

/** Both a limit of the account and a busy server are named `rate_limit`: the text distinguishes them. */
const errorStatusOfHook = (name: string | null, message: string | null): ErrorStatus => {
  const byText = errorStatusOfText((message ?? "").slice(0, 2_000));
  if (byText.reasonCode === "usage_limit") return byText;
  const reasonCode = name !== null && Object.hasOwn(REASON_BY_NAME, name) ? REASON_BY_NAME[name] : undefined;
  return reasonCode === undefined ? byText : { state: "error", reasonCode };
};

/** How an error line of the agent begins, as drawn above the input box. */
export const ERROR_LINE =
  /^(API Error\b|Please run \/login\b|Invalid API key\b|Credit balance is too low|OAuth (token|session)\b|(Claude )?(AI )?usage limit reached|You've (hit|reached) your \b|(\S+ )?limit reached\b|You're out of (extra )?usage)/i;

// Requests: what a permission hook asks of the person, from its payload alone. The keys of options are known only where the dialog
// was recorded with the same ones (questions of 2.1.329), else null or none.

/** Title of a plan's request, with or without its text. */
export const EXIT_PLAN_MODE = "Exit plan mode?";

/** What is otherwise in other agents that have Claude Code's hooks. */
export interface HookDialect {
  /** As titles of its requests call it. */
  name: string;
  tools: { shell: string; question: string; exitPlan: string };
  /** What each of its edit tools changes; null for one of another form. */
  edits: Readonly<Record<string, "write" | "edit" | "notebook" | "several" | null>>;
  /** Fields of a command that the dialog draws, or that do not change what runs. */
  plainFields: ReadonlySet<string>;
  /** Keys that choose an answer of a question with one answer; null: not known. */
  answerKeys: (index: number) => string[] | null;
  /** The field that holds what a person asked, and nothing that the program put in. */
  promptField: string;
  /** A tool is announced when it begins, so that its request is over then; else before anybody is asked. */
  announcesLate: boolean;
  /** Its session begins at its prompt, and not while it still asks whether to trust the folder. */
  startsAtPrompt: boolean;
  /** It notifies of what has waited for a while; else of each dialog and each rest at once, which says nothing new. */
  notifiesLate: boolean;
  /** Three times the recorded delay from PermissionRequest to the drawn dialog. */
  dialogGraceMs: number;
}

/** Recorded 2.1.329: options are numbered from 1, a digit alone chooses; a dialog is drawn after about 300 ms. */
const CLAUDE: HookDialect = {
  name: "Claude",
  tools: { shell: "Bash", question: "AskUserQuestion", exitPlan: "ExitPlanMode" },
  edits: { Write: "write", Edit: "edit", MultiEdit: "several", NotebookEdit: "notebook", Update: null },
  plainFields: new Set(["command", "description", "timeout"]),
  answerKeys: (index) => (index < 9 ? [String(index + 1)] : null),
  promptField: "prompt",
  announcesLate: false,
  startsAtPrompt: true,
  notifiesLate: true,
  dialogGraceMs: 1_000,
};

const isEditTool = ({ edits }: HookDialect, toolName: string): boolean => Object.hasOwn(edits, toolName);

const genericPermission = ({ name }: HookDialect): Ask => ({
  status: TOOL_APPROVAL,
  request: promptRequest({ kind: "other", title: `${name} needs your permission` }),
});

/** Several questions or answers need more keys. */
const questionAsk = ({ name, answerKeys }: HookDialect, toolName: string, input: Payload): Ask => {
  const hasOneAnswer = (question: Payload): boolean => question["multiSelect"] !== true;
  const fields = questionFields(input, { name, toolName }, (question, index) =>
    hasOneAnswer(question) ? answerKeys(index) : null,
  );
  const isWhole =
    fields.isWhole === true &&
    listOf(input, "questions").every((question) => hasOneAnswer(asPayload(question) ?? {}));
  return { status: QUESTION, request: promptRequest({ ...fields, isWhole }) };
};

/** What one edit changes; null where its form is not known. */
const changeOf = (edit: Payload): string | null => {
  const [before, after] = [fieldOf(edit, "old_string"), fieldOf(edit, "new_string")];
  return typeof before === "string" && typeof after === "string" ? changedLines(before, after) : null;
};

const written = (text: unknown): string | null => (typeof text === "string" ? writtenLines(text) : null);

/**
 * What the payload says of an edit's change, and whether that is all of it. Recorded 2.1.329: Write and Edit. It does not say at
 * how many places `replace_all` changes the file, nor what a notebook's cell was before; MultiEdit is an older version's.
 */
const contentOf = (
  { edits }: HookDialect,
  toolName: string,
  input: Payload,
): { content: string | null; isAll: boolean } => {
  switch (edits[toolName] ?? null) {
    case "write":
      return { content: written(fieldOf(input, "content")), isAll: true };
    case "edit":
      return { content: changeOf(input), isAll: fieldOf(input, "replace_all") !== true };
    case "notebook":
      return { content: written(fieldOf(input, "new_source")), isAll: false };
    case "several": {
      const changes = listOf(input, "edits").map((edit) => changeOf(asPayload(edit) ?? {}));
      const isKnown = changes.length > 0 && !changes.includes(null);
      return { content: isKnown ? changes.join("\n") : null, isAll: false };
    }
    case null:
      return { content: null, isAll: false };
  }
};

const editAsk = (dialect: HookDialect, toolName: string, input: Payload, cwd: string | null): Ask => {
  const path = firstText(input, ["file_path", "notebook_path", "path"]);
  const { content, isAll } = contentOf(dialect, toolName, input);
  return {
    status: EDIT_APPROVAL,
    request: promptRequest({
      kind: "edit",
      title: path === null ? toolName : `${toolName} ${path}`,
      body: path,
      content,
      toolName,
      cwd,
      isWhole: path !== null && content !== null && isAll,
    }),
  };
};

/** Recorded 2.1.329: the dialog does not draw that a command runs outside the sandbox or in the background. */
const isPlain = ({ plainFields }: HookDialect, input: Payload): boolean =>
  Object.entries(input).every(([name, value]) => plainFields.has(name) || value === false);

const toolAsk = (dialect: HookDialect, toolName: string, input: Payload, cwd: string | null): Ask => {
  const command = textOf(input, "command");
  if (command !== null)
    return {
      status: TOOL_APPROVAL,
      request: promptRequest({
        kind: "command",
        title: `${toolName} command`,
        body: command,
        remark: textOf(input, "description"),
        toolName,
        ...(isPlain(dialect, input) ? { isWhole: true } : { hasMore: true }),
        // Where another tool, such as a server's, runs its command is not known.
        ...(isPlain(dialect, input) && toolName === dialect.tools.shell ? { runsIn: cwd } : {}),
      }),
    };
  // Only a part of such a tool's input; the dialog shows all of it.
  const subject = firstText(input, ["url", "query", "file_path", "path", "pattern", "description", "prompt"]);
  return {
    status: TOOL_APPROVAL,
    request: promptRequest({
      kind: "tool",
      title: `Use ${toolName}`,
      body: subject,
      toolName,
    }),
  };
};

/** The wait that a PermissionRequest for this tool stands for. `cwd`: where commands run, and the base of paths in its dialog. */
const askOf = (dialect: HookDialect, rawToolName: string, toolInput: unknown, cwd: string | null): Ask => {
  const input = asPayload(toolInput) ?? {};
  const toolName = oneLine(rawToolName, 200);
  if (toolName === "") return genericPermission(dialect);
  if (toolName === dialect.tools.question) return questionAsk(dialect, toolName, input);
  if (toolName === dialect.tools.exitPlan) {
    const plan = textOf(input, "plan");
    return {
      status: PLAN_APPROVAL,
      request: promptRequest({
        kind: "plan",
        title: EXIT_PLAN_MODE,
        body: plan,
        toolName,
        isWhole: plan !== null,
      }),
    };
  }
  return isEditTool(dialect, toolName)
    ? editAsk(dialect, toolName, input, cwd)
    : toolAsk(dialect, toolName, input, cwd);
};

/** The wait that an MCP server's elicitation stands for. Source: vendor documentation, not recorded. */
const elicitationAsk = (payload: Payload): Ask => {
  const message = textOf(payload, "message");
  const title = oneLine(message ?? "") || "An MCP server asks for input";
  return {
    status: QUESTION,
    request: promptRequest({ kind: "question", title, body: message }),
  };
};

// Names of requests: a PermissionRequest carries no tool_use_id (recorded 2.1.329), so the request is named by what it asks: agent,
// tool and input. PreToolUse ties that name to its tool_use_id.

/**
 * The part of the input that stays the same between the request and its end, which names the request: a question gains its
 * answers, a plan its text.
 */
const stableInput = ({ tools }: HookDialect, toolName: string, input: unknown): unknown => {
  if (toolName === tools.question) {
    const questions = asPayload(input);
    return questions === null ? null : fieldOf(questions, "questions");
  }
  return toolName === tools.exitPlan ? null : input;
};

const requestKeyOf = (dialect: HookDialect, agentId: string, toolName: string, toolInput: unknown): string =>
  hashRequest(agentId, toolName, stableInput(dialect, toolName, toolInput));

/** Modes in which a request may be answered without a person. */
const SELF_ANSWERING_MODES = new Set(["auto", "bypassPermissions", "dontAsk", "yolo"]);
const SELF_EDITING_MODES = new Set(["acceptEdits", "auto_edit"]);
/** Ends of a session after which the process keeps running. */
const LIVING_END_REASONS = new Set(["clear", "resume"]);
const RUNNING_TASK_STATES = new Set(["running", "pending", "in_progress"]);

/** Every name under which the request of one tool call may be open. */
const namesOfCall = (dialect: HookDialect, agentId: string, call: Payload): string[] => {
  const toolUseId = textOf(call, "tool_use_id");
  const toolName = textOf(call, "tool_name");
  return [
    ...(toolUseId === null ? [] : [toolUseId]),
    ...(toolName === null ? [] : [requestKeyOf(dialect, agentId, toolName, fieldOf(call, "tool_input"))]),
  ];
};

const mayAnswerItself = (
  dialect: HookDialect,
  { payload, isWhole, confirmRequests }: HookEvent,
  toolName: string,
): boolean => {
  const mode = textOf(payload, "permission_mode");
  return (
    !isWhole ||
    confirmRequests ||
    (mode !== null && SELF_ANSWERING_MODES.has(mode)) ||
    (mode !== null && SELF_EDITING_MODES.has(mode) && isEditTool(dialect, toolName))
  );
};

const toolStarted =
  (dialect: HookDialect): EventRule =>
  ({ payload, agentId }) => {
    const toolUseId = textOf(payload, "tool_use_id");
    const toolName = textOf(payload, "tool_name");
    const names =
      toolUseId === null || toolName === null
        ? null
        : {
            toolUseId,
            requestKey: requestKeyOf(dialect, agentId, toolName, fieldOf(payload, "tool_input")),
          };
    const closes = dialect.announcesLate ? namesOfCall(dialect, agentId, payload) : [];
    return [activity(workOf(agentId, TOOL), { agentId, names, closes })];
  };

const toolEnded =
  (dialect: HookDialect): EventRule =>
  ({ payload, agentId }) => [
    activity(workOf(agentId, THINKING), { agentId, closes: namesOfCall(dialect, agentId, payload) }),
  ];

const batchEnded =
  (dialect: HookDialect): EventRule =>
  ({ payload, agentId }) => [
    activity(workOf(agentId, THINKING), {
      agentId,
      closes: listOf(payload, "tool_calls")
        .slice(0, 200)
        .flatMap((call) => namesOfCall(dialect, agentId, asPayload(call) ?? {})),
    }),
  ];

/** Until its dialog is drawn a screen without it says nothing. */
const permissionRequested = (dialect: HookDialect): EventRule => {
  const opened = opensWithin(dialect.dialogGraceMs);
  return (event) => {
    const { payload, isWhole, agentId } = event;
    const toolName = textOf(payload, "tool_name");
    const input = fieldOf(payload, "tool_input");
    const needsConfirmation = mayAnswerItself(dialect, event, toolName ?? "");
    if (toolName === null)
      return [opened(event, genericPermission(dialect), null, { confidence: "medium", needsConfirmation })];
    const ask = askOf(dialect, toolName, input, textOf(payload, "cwd"));
    const key = requestKeyOf(dialect, agentId, toolName, input);
    return [opened(event, ask, key, { confidence: isWhole ? "high" : "medium", needsConfirmation })];
  };
};

const notified = (dialect: HookDialect): EventRule => {
  if (!dialect.notifiesLate) return alive;
  const opened = opensWithin(dialect.dialogGraceMs);
  return (event) => {
    const { payload, agentId } = event;
    switch (textOf(payload, "notification_type")) {
      case "permission_prompt":
        return [opened(event, genericPermission(dialect), null, { needsConfirmation: false })];
      case "elicitation_dialog":
        return [
          opened(event, elicitationAsk(payload), null, { confidence: "medium", needsConfirmation: false }),
        ];
      case "idle_prompt":
        return [{ kind: "settled" }];
      case null:
      default:
        return [activity(null, { agentId })];
    }
  };
};

/** By the elicitation's own id where it has one, and by its server, which asks one thing at a time. */
const elicitationNames = (payload: Payload): string[] =>
  ["elicitation_id", "mcp_server_name"].flatMap((field) => {
    const value = textOf(payload, field);
    return value === null ? [] : [`elicitation:${value.slice(0, 200)}`];
  });

const stopped: EventRule = ({ payload, agentId, confidence }) => {
  if (agentId !== ROOT_AGENT) return [boundary(null, agentId, confidence)];
  const left = listOf(payload, "background_tasks").filter((task) =>
    RUNNING_TASK_STATES.has(textOf(asPayload(task) ?? {}, "status") ?? ""),
  ).length;
  if (left === 0) return [boundary(COMPLETED, agentId, confidence)];
  const progress = progressField(countOf(left, "background task"));
  return [{ ...boundary(BACKGROUND, agentId, confidence), ...progress }];
};

// The table of events.

const TOLD: ToldNames = {
  prompts: "UserPromptSubmit",
  began: "PreToolUse",
  ended: ["PostToolUse", "PostToolUseFailure", "PermissionDenied"],
  toolName: "tool_name",
  input: "tool_input",
  said: { event: "Stop", field: "last_assistant_message" },
};

const rulesOf = (dialect: HookDialect): EventRules => ({
  SessionStart: ({ payload, isWhole, agentId, confidence }) => {
    // A truncated event may be the restart after a compaction, in the middle of a turn.
    if (!isWhole) return [activity(null, { agentId })];
    if (textOf(payload, "source") === "compact") return [activity(THINKING, { agentId })];
    return [dialect.startsAtPrompt ? boundary(FRESH, agentId, confidence) : activity(null, { agentId })];
  },
  // Also fires when a prompt is queued while a turn runs; a turn is in progress then as well.
  UserPromptSubmit: prompted,
  PreToolUse: toolStarted(dialect),
  PermissionRequest: permissionRequested(dialect),
  PostToolUse: toolEnded(dialect),
  PostToolUseFailure: toolEnded(dialect),
  PermissionDenied: toolEnded(dialect),
  PostToolBatch: batchEnded(dialect),
  Notification: notified(dialect),
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
    opensWithin(dialect.dialogGraceMs)(
      event,
      elicitationAsk(event.payload),
      elicitationNames(event.payload)[0] ?? null,
      {
        confidence: "medium",
        needsConfirmation: !event.isWhole || event.confirmRequests,
      },
    ),
  ],
  ElicitationResult: ({ payload, agentId }) => [
    activity(workOf(agentId, THINKING), { agentId, closes: elicitationNames(payload) }),
  ],
  // Our hooks are not installed for these; they prove life when somebody forwards them.
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
});

/** The hooks of Claude Code, and of agents that took them over. */
export const createClaudeNormalizer = (dialect: HookDialect): AgentAdapter["normalize"] =>
  createNormalizer({
    rules: rulesOf(dialect),
    told: { ...TOLD, prompt: dialect.promptField },
    nameField: "hook_event_name",
    agentIdOf: (payload) => idOf(payload, "agent_id") ?? ROOT_AGENT,
    about: (event) => ({
      ...placeOf(event),
      isExit: event.name === "SessionEnd" && !LIVING_END_REASONS.has(textOf(event.payload, "reason") ?? ""),
    }),
  });

export const normalizeClaude = createClaudeNormalizer(CLAUDE);
