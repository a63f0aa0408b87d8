// Copilot CLI's hook events to signals, and what Copilot asks of the person (which stateFiles.ts uses, too). Pure; the table of
// events is the whole decision. Source: event orders and payloads recorded with 1.0.102. Denial, interrupt and the final failure
// fire no hook: the session log and the screen show them.
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import {
  changedLines,
  contentOfDiff,
  writtenLines,
  promptRequest,
  type RequestFields,
  hashRequest,
} from "../common/promptRequest.ts";
import {
  asPayload,
  fieldOf,
  firstText,
  oneLine,
  textOf,
  type Payload,
  listOf,
  type Ask,
  QUESTION,
  activity,
  boundary,
  COMPACTING,
  COMPLETED,
  FRESH,
  RETRYING,
  SUBAGENT,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
  EDIT_APPROVAL,
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
} from "../common/events.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";

// Requests: what Copilot CLI asks of the person, in structured form, and under which name. Built from hook payloads and from the
// session log; the keys are those that were seen to work in a real dialog (1.0.102): `1` approves, Escape denies.

export const ASK_TOOL = "ask_user";

const APPROVAL_OPTIONS: PromptRequest["options"] = [
  { label: "Yes", keys: ["1"], role: "approve" },
  { label: "No, and tell Copilot what to do differently", keys: ["Escape"], role: "deny" },
];

const permission = (fields: RequestFields): Ask => ({
  status: fields.kind === "edit" ? EDIT_APPROVAL : TOOL_APPROVAL,
  request: promptRequest({ options: APPROVAL_OPTIONS, ...fields }),
});

const PATH_FIELDS = ["file_path", "path", "fileName"];
const SUBJECT_FIELDS = ["url", "query", "pattern", "description", "prompt"];

/**
 * The same name for a tool call's announcement, its permission request and its end. They differ in the tool's name and in
 * all but the part that matters (recorded: `create`/`path` is asked for as `edit`/`file_path`), so that part is the name.
 */
const requestKeyOf = (agentId: string, toolName: string, toolInput: unknown): string => {
  const input = asPayload(toolInput) ?? {};
  const command = textOf(input, "command");
  if (command !== null) return hashRequest(agentId, "command", command.slice(0, 100_000));
  const path = firstText(input, PATH_FIELDS);
  if (path !== null) return hashRequest(agentId, "file", path);
  return hashRequest(agentId, toolName, firstText(input, ["url", "message"]));
};

/** What an edit changes, in whichever fields it comes, and whether that is all. */
const contentOf = (input: Payload): { content: string | null; isAll: boolean } => {
  const diff = textOf(input, "diff");
  if (diff !== null) return contentOfDiff(diff);
  const [text, before, after] = ["file_text", "old_str", "new_str"].map((name) => fieldOf(input, name));
  if (typeof text === "string") return { content: writtenLines(text), isAll: true };
  return typeof before === "string" && typeof after === "string"
    ? { content: changedLines(before, after), isAll: true }
    : { content: null, isAll: false };
};

const editAsk = (path: string, input: Payload, toolName: string, cwd: string | null): Ask => {
  const { content, isAll } = contentOf(input);
  return permission({
    kind: "edit",
    title: `Edit ${path}`,
    body: path,
    content,
    toolName,
    cwd,
    isWhole: isAll,
  });
};

/** The dialog draws the arguments of a server's tool as text of this form. */
const serverToolAsk = (toolName: string, input: Payload): Ask =>
  permission({
    kind: "tool",
    title: `Use ${toolName}`,
    body: JSON.stringify(input, null, 2),
    toolName,
    isWhole: true,
  });

const SERVER_TOOL = /^[^/]+\/[^/]+$/;

/** The permission that `permissionRequest` stands for. `cwd`: the folder that paths are of. */
export const permissionAsk = (rawToolName: string, toolInput: unknown, cwd: string | null): Ask => {
  const input = asPayload(toolInput) ?? {};
  const toolName = oneLine(rawToolName, 200);
  const command = textOf(input, "command");
  if (SERVER_TOOL.test(toolName)) return serverToolAsk(toolName, input);
  if (command !== null)
    return permission({ kind: "command", title: "Run command", body: command, toolName, isWhole: true });
  const path = firstText(input, PATH_FIELDS);
  if (path !== null && toolName !== "read" && toolName !== "view") return editAsk(path, input, toolName, cwd);
  const title = toolName === "" ? "Permission needed" : `Use ${toolName}`;
  return permission({ kind: "tool", title, body: path ?? firstText(input, SUBJECT_FIELDS), toolName });
};

/** What a notification says in one sentence. Recorded with 1.0.102. */
const NOTIFIED: readonly { pattern: RegExp; ask: (subject: string) => Ask }[] = [
  {
    pattern: /^Run command: ([\s\S]+)$/,
    ask: (body) => permission({ kind: "command", title: "Run command", body, isWhole: true }),
  },
  {
    pattern: /^Edit file: ([\s\S]+)$/,
    ask: (body) => permission({ kind: "edit", title: `Edit ${body}`, body }),
  },
  {
    pattern: /^Fetch URL: ([\s\S]+)$/,
    ask: (body) => permission({ kind: "tool", title: "Fetch URL", body, isWhole: true }),
  },
  {
    pattern: /^Path permission needed: ([\s\S]+)$/,
    ask: (body) => permission({ kind: "tool", title: "Allow access to a path", body, isWhole: true }),
  },
  {
    pattern: /^Use MCP tool: ([\s\S]+)$/,
    ask: (toolName) =>
      permission({ kind: "tool", title: `Use ${toolName}`, toolName: oneLine(toolName, 200) }),
  },
];

/** The permission that a `permission_prompt` notification names in one sentence. */
const notifiedPermission = (message: string | null): Ask => {
  for (const { pattern, ask } of NOTIFIED) {
    const subject = pattern.exec(message ?? "")?.[1];
    if (subject !== undefined) return ask(subject);
  }
  return permission({
    kind: "other",
    title: oneLine(message ?? "") || "Permission needed",
    body: message,
  });
};

/** Labels of the first field of the form that a question is. */
const labelsOf = (input: Payload): string[] => {
  const schema = asPayload(fieldOf(input, "requestedSchema")) ?? {};
  const properties = asPayload(fieldOf(schema, "properties")) ?? {};
  const first = asPayload(Object.values(properties)[0]) ?? {};
  const choices = [...listOf(first, "enum"), ...listOf(input, "choices")];
  return choices.filter((choice) => typeof choice === "string").map((choice) => oneLine(choice));
};

/** The question that the agent's question tool puts; the dialog itself says how to choose. */
export const questionAsk = (toolInput: unknown): Ask => {
  const input = asPayload(toolInput) ?? {};
  const text = firstText(input, ["message", "question"]);
  return {
    status: QUESTION,
    request: promptRequest({
      kind: "question",
      title: oneLine(text ?? "") || "Copilot needs information",
      body: text,
      toolName: ASK_TOOL,
      options: labelsOf(input)
        .slice(0, MAX_OPTIONS)
        .map((label) => ({ label, keys: null })),
      isWhole: text !== null,
    }),
  };
};

/** Recorded: the dialog is drawn about 60 ms after its notification; three times that is below 500, the least grace. */
const opened = opensWithin(500);

const toolStarted: EventRule = (event) => {
  const { payload, agentId } = event;
  const started = activity(workOf(agentId, TOOL), { agentId });
  const toolName = textOf(payload, "toolName");
  if (toolName !== ASK_TOOL) return [started];
  const input = fieldOf(payload, "toolArgs");
  const requestKey = requestKeyOf(agentId, toolName, input);
  return [started, opened(event, questionAsk(input), requestKey, { needsConfirmation: true })];
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
  const requestKey = toolName === null ? null : requestKeyOf(agentId, toolName, input);
  const ask = permissionAsk(toolName ?? "", input, textOf(payload, "cwd"));
  return [opened(event, ask, requestKey, { needsConfirmation: true })];
};

const notified: EventRule = (event) => {
  const { payload } = event;
  const proven = { needsConfirmation: false };
  switch (textOf(payload, "notification_type")) {
    case "permission_prompt":
      return [opened(event, notifiedPermission(textOf(payload, "message")), null, proven)];
    case "elicitation_dialog":
      return [opened(event, questionAsk({}), null, proven)];
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

export const normalizeCopilot = createNormalizer({
  rules: RULES,
  told: TOLD,
  agentIdOf,
  about: ({ name, payload, isRoot }) => ({
    sessionId: idOf(payload, "sessionId"),
    cwd: textOf(payload, "cwd"),
    transcriptPath: textOf(payload, "transcriptPath"),
    isExit: name === "sessionEnd" && isRoot,
  }),
});
