// Gemini CLI's hook events to signals, what its hooks ask of the person, and why a turn failed (which the screen asks, too).
// Pure; the table of events is the whole decision. Source: event orders and payloads recorded with 0.61.0. The same event ends a
// full answer, an interrupt and a cut stream, so its verdict has medium confidence and what the screen says of it wins.
import { type ErrorStatus, failureBy } from "../common/progress.ts";
import type { PromptRequest } from "../../core/model/request.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
import {
  contentOfDiff,
  promptRequest,
  type RequestFields,
  questionFields,
  hashRequest,
} from "../common/promptRequest.ts";
import {
  asPayload,
  fieldOf,
  listOf,
  oneLine,
  textOf,
  type Payload,
  type Ask,
  QUESTION,
  TOOL_APPROVAL,
  activity,
  boundary,
  COMPLETED,
  FRESH,
  THINKING,
  TOOL,
  EDIT_APPROVAL,
  alive,
  type EventRule,
  type EventRules,
  prompted,
  sessionEnded,
  type ToldNames,
  createNormalizer,
  opensWithin,
  placeOf,
} from "../common/events.ts";

// Failures: why a turn failed, from the text that Gemini CLI shows. Recorded with 0.61.0: 400, 401 and a cut stream; the limit
// texts are the service's own words.

const API_ERROR: ErrorStatus = { state: "error", reasonCode: "api_error" };

const AUTH = /"?code"?:\s?40[13]\b|UNAUTHENTICATED|PERMISSION_DENIED|API key not valid|API_KEY_INVALID/;
const USAGE = /quota (exceeded|limit)|exceeded your current quota|daily limit|usage limit|limit reached for/i;
const RATE = /"?code"?:\s?429\b|RESOURCE_EXHAUSTED|rate.?limit/i;

/** The reason that the failure's text gives; `api_error` when it names none. */
export const errorStatusOfText = (text: string): ErrorStatus =>
  failureBy(text, [
    [USAGE, "usage_limit"],
    [AUTH, "auth_failed"],
    [RATE, "rate_limited"],
  ]);

// Requests: what the hooks ask of the person, in structured form, and under which name. Built from payloads alone; the keys are
// those that were seen to work in a real dialog (0.61.0): `1` allows once, Escape denies.

const ASK_TOOL = "ask_user";

const APPROVAL_OPTIONS: PromptRequest["options"] = [
  { label: "Allow once", keys: ["1"], role: "approve" },
  { label: "No, suggest changes", keys: ["Escape"], role: "deny" },
];

const GENERIC_PERMISSION: Ask = {
  status: TOOL_APPROVAL,
  request: promptRequest({ kind: "other", title: "Gemini needs your permission", options: APPROVAL_OPTIONS }),
};

const fileNameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/**
 * The part of a tool call that its announcement, its permission dialog and its end have in common: the command, or the
 * file's name (the dialog has the full path, the tool call the path as the model wrote it). Null: nothing ties them.
 */
const subjectOf = (command: string | null, path: string | null): [string, string] | null => {
  if (command !== null) return ["command", command.slice(0, 100_000)];
  return path === null ? null : ["file", fileNameOf(path)];
};

const keyOf = (subject: [string, string] | null): string | null =>
  subject === null ? null : hashRequest(ROOT_AGENT, subject[0], subject[1]);

/** Name of the request that a tool call may open; null where its dialog cannot be tied to it. */
const keyOfTool = (payload: Payload): string | null => {
  const toolName = textOf(payload, "tool_name");
  const input = asPayload(fieldOf(payload, "tool_input")) ?? {};
  if (toolName === ASK_TOOL) return hashRequest(ROOT_AGENT, ASK_TOOL, fieldOf(input, "questions") ?? null);
  return keyOf(subjectOf(textOf(input, "command"), textOf(input, "file_path")));
};

/** Name of the request that a permission notification opens. */
const keyOfDetails = (details: Payload): string | null =>
  keyOf(subjectOf(textOf(details, "command"), textOf(details, "filePath") ?? textOf(details, "fileName")));

const permission = (fields: RequestFields): Ask => ({
  status: fields.kind === "edit" ? EDIT_APPROVAL : TOOL_APPROVAL,
  request: promptRequest({ options: APPROVAL_OPTIONS, ...fields }),
});

const editAsk = (details: Payload, title: string, cwd: string | null): Ask => {
  const path = textOf(details, "filePath");
  const { content, isAll } = contentOfDiff(textOf(details, "fileDiff"));
  const body = path ?? textOf(details, "fileName");
  return permission({ kind: "edit", title, body, content, cwd, isWhole: path !== null && isAll });
};

/** The prompt and the addresses of a fetch, as the dialog draws them. */
const pageText = (details: Payload): string | null => {
  const prompt = textOf(details, "prompt");
  const urls = listOf(details, "urls");
  if (prompt === null || !urls.every((url) => typeof url === "string")) return null;
  return urls.length === 0
    ? prompt
    : [prompt, "", "URLs to fetch:", ...urls.map((url) => ` - ${url}`)].join("\n");
};

/**
 * The permission that a `ToolPermission` notification asks for; its `details` differ by type. Neither they nor the dialog say what
 * a server's tool is given. `cwd`: the folder that the dialog names files from.
 */
const permissionAsk = (details: Payload, message: string | null, cwd: string | null): Ask => {
  const title = oneLine(textOf(details, "title") ?? message ?? "") || GENERIC_PERMISSION.request.title;
  const body = textOf(details, "command");
  if (body !== null)
    return permission({ kind: "command", title, body, toolName: "run_shell_command", isWhole: true });
  if (textOf(details, "type") === "edit") return editAsk(details, title, cwd);
  const page = pageText(details);
  if (page !== null) return permission({ kind: "tool", title, body: page, isWhole: true });
  const [server, tool] = [textOf(details, "serverName"), textOf(details, "toolName")];
  return permission({
    kind: "tool",
    title,
    body: server === null ? tool : `MCP Server: ${server}\nTool: ${tool ?? ""}`,
  });
};

/** The questions of the agent's question tool; the dialog itself says how to choose. */
const questionAsk = (input: Payload): Ask => ({
  status: QUESTION,
  request: promptRequest(questionFields(input, { name: "Gemini", toolName: ASK_TOOL }, () => null)),
});

// Events: a rule for each, and the table.

/** Recorded: the dialog is drawn about 80 ms after its notification; three times that is below 500, the least grace. */
const opened = opensWithin(500);
/** The agent's only mark of a failed turn, in the place of the answer. */
const NO_RESPONSE = "[no response text]";

const toolStarted: EventRule = (event) => {
  const { payload } = event;
  const started = activity(TOOL);
  if (textOf(payload, "tool_name") !== ASK_TOOL) return [started];
  const ask = questionAsk(asPayload(fieldOf(payload, "tool_input")) ?? {});
  // Announced before it is decided whether anybody is asked: the dialog must be seen.
  return [started, opened(event, ask, keyOfTool(payload), { needsConfirmation: true })];
};

const toolEnded: EventRule = ({ payload }) => {
  const key = keyOfTool(payload);
  return [activity(THINKING, { closes: key === null ? [] : [key] })];
};

const notified: EventRule = (event) => {
  const { payload, isWhole, confirmRequests } = event;
  if (!isWhole || textOf(payload, "notification_type") !== "ToolPermission") return alive(event);
  const details = asPayload(fieldOf(payload, "details")) ?? {};
  const isQuestion = textOf(details, "type") === ASK_TOOL;
  const ask = isQuestion
    ? questionAsk({})
    : Object.keys(details).length === 0
      ? GENERIC_PERMISSION
      : permissionAsk(details, textOf(payload, "message"), textOf(payload, "cwd"));
  return [
    opened(event, ask, isQuestion ? null : keyOfDetails(details), { needsConfirmation: confirmRequests }),
  ];
};

const RULES: EventRules = {
  SessionStart: ({ confidence }) => [boundary(FRESH, ROOT_AGENT, confidence)],
  BeforeAgent: prompted,
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
  SessionEnd: sessionEnded,
  // Fires in every turn, whether anything is compressed or not.
  PreCompress: alive,
  BeforeModel: alive,
  AfterModel: alive,
  BeforeToolSelection: alive,
};

const TOLD: ToldNames = {
  prompts: "BeforeAgent",
  began: "BeforeTool",
  ended: ["AfterTool"],
  toolName: "tool_name",
  input: "tool_input",
  said: { event: "AfterAgent", field: "prompt_response" },
};

export const normalizeGemini = createNormalizer({
  rules: RULES,
  told: TOLD,
  nameField: "hook_event_name",
  about: (event) => ({
    ...placeOf(event),
    ...(textOf(event.payload, "prompt_response") === NO_RESPONSE ? { saidText: null } : {}),
    // A cleared conversation ends its session too, and the program goes on.
    isExit: event.name === "SessionEnd" && textOf(event.payload, "reason") !== "clear",
  }),
});
