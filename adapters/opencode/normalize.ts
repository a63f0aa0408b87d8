// opencode's plugin events to signals, and what its permissions and questions ask; below them those of OpenCode 2. Pure; what needs
// memory of earlier events (whose child a session is, how a turn failed) our plugin adds to the payload. Source: payloads and
// orders recorded with 1.18.33.
import type { PromptRequest } from "../../core/model/request.ts";
import {
  contentOfDiff,
  asHandedOn,
  promptRequest,
  type RequestFields,
  questionFields,
} from "../common/promptRequest.ts";
import {
  asPayload,
  fieldOf,
  listOf,
  oneLine,
  textOf,
  type Payload,
  numberOf,
  type Ask,
  QUESTION,
  activity,
  boundary,
  COMPLETED,
  INTERRUPTED,
  RETRYING,
  SUBAGENT,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
  EDIT_APPROVAL,
  alive,
  type EventRule,
  type EventRules,
  idOf,
  prompted,
  working,
  workOf,
  type ToldNames,
  createNormalizer,
  opensWithin,
} from "../common/events.ts";
import { movesTo } from "../common/screenText.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
import type { Status } from "../../core/model/state.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { failureOfText, failureWords, progressField, quoteOf, retryOf } from "../common/progress.ts";

// Requests: what permissions and questions ask, in structured form. Options and their keys as recorded (1.18.33): a permission
// opens with "Allow once" chosen, a question with its first answer.

/**
 * Left and right move, Enter confirms, `denyKey` refuses at once. Which keys choose depends on what is chosen, which no event says.
 */
export const permissionOptionsWith = (denyKey: string): PromptRequest["options"] => [
  { label: "Allow once", keys: null, role: "approve" },
  { label: "Allow always", keys: null, role: "approve_always" },
  { label: "Reject", keys: [denyKey], role: "deny" },
];

export const PERMISSION_OPTIONS = permissionOptionsWith("Escape");

const isEditPermission = (name: string): boolean => /^(edit|write|patch|multiedit)$/.test(name);

const editFields = (metadata: Payload, patterns: readonly string[], cwd: string | null): RequestFields => {
  const path = textOf(metadata, "filepath") ?? patterns[0] ?? null;
  const { content, isAll } = contentOfDiff(textOf(metadata, "diff"));
  return {
    kind: "edit",
    title: path === null ? "Edit" : `Edit ${path}`,
    body: path,
    content,
    cwd,
    isWhole: path !== null && isAll,
  };
};

/** Arguments that a command's dialog draws, or that do not change what runs. */
const PLAIN_FIELDS = new Set(["command", "description", "timeout"]);

/** The dialog draws the command alone, also where it runs in another folder. `args`: of the call; null: not known. */
const hasMore = (args: Payload | null, cwd: string | null): boolean =>
  args !== null &&
  Object.entries(args).some(
    ([name, value]) => !PLAIN_FIELDS.has(name) && !(name === "workdir" && value === cwd),
  );

const EXTERNAL = "external_directory";

const textsIn = (payload: Payload, key: string): string[] =>
  listOf(payload, key).filter((item) => typeof item === "string");

/** Kilo lists them (7.7.7). */
const foldersOf = (metadata: Payload): string[] => {
  const folder = textOf(metadata, "parentDir");
  return folder === null ? textsIn(metadata, "directories") : [folder];
};

/** As the dialogs draw them. Of other tools they draw the name alone: the call's arguments are added below it. */
const toolText = (name: string, metadata: Payload, patterns: readonly string[], args: Payload | null) => {
  const url = textOf(metadata, "url");
  if (name === "webfetch" && url !== null)
    return { title: `WebFetch ${url}`, body: `URL: ${url}`, isWhole: true };
  const [folder, ...more] = foldersOf(metadata);
  if (name === EXTERNAL && folder !== undefined && more.length === 0) {
    const body = ["Patterns", "", ...patterns.map((pattern) => `- ${pattern}`)].join("\n");
    return { title: `Access external directory ${folder}`, body, isWhole: true };
  }
  const title = name === "" ? "Permission required" : `Use ${name}`;
  if (args !== null)
    return { title, body: `Tool: ${name}\n\n${JSON.stringify(args, null, 2)}`, isWhole: name !== "" };
  return { title, body: name === "" ? null : [`Tool: ${name}`, ...patterns].join("\n"), isWhole: false };
};

const permissionFields = (payload: Payload, name: string): RequestFields => {
  const metadata = asPayload(fieldOf(payload, "metadata")) ?? {};
  const told = textsIn(payload, "patterns");
  const patterns = told.length === 0 ? textsIn(metadata, "patterns") : told;
  const args = asPayload(fieldOf(payload, "args"));
  const cwd = textOf(payload, "directory");
  if (isEditPermission(name)) return editFields(metadata, patterns, cwd);
  // Kilo says of a folder outside which command wants it; what is asked is the folder.
  const command = name === EXTERNAL ? null : textOf(metadata, "command");
  if (command === null) return { kind: "tool", ...toolText(name, metadata, patterns, args) };
  const isPlain = !hasMore(args, cwd);
  return {
    kind: "command",
    title: "Shell command",
    body: command,
    ...(isPlain ? { isWhole: true } : { hasMore: true }),
    // Where another tool runs its command is not known.
    ...(isPlain && name === "bash" && args !== null ? { runsIn: cwd } : {}),
  };
};

/** `payload`: as our plugin hands it on, with the arguments of the call that asks. What it had to cut is not whole. */
const permissionAsk =
  (options: PromptRequest["options"]) =>
  (payload: Payload): Ask => {
    const name = oneLine(textOf(payload, "permission") ?? "", 200);
    const fields = asHandedOn(payload, permissionFields(payload, name));
    return {
      status: isEditPermission(name) ? EDIT_APPROVAL : TOOL_APPROVAL,
      request: promptRequest({ toolName: name === "" ? null : name, options, ...fields }),
    };
  };

/** Down moves, Enter chooses: as the dialog's own footer says. Several questions or answers need more keys. */
const questionAsk = (payload: Payload): Ask => {
  const fields = questionFields(payload, { name: "opencode", toolName: "question" }, (question, index) =>
    question["multiple"] === true ? null : movesTo(index, 0),
  );
  return { status: QUESTION, request: promptRequest(asHandedOn(payload, fields)) };
};

/** Recorded: the dialog is drawn about 90 ms after its event; 500 is the least grace. */
const opened = opensWithin(500);

/** The words of a failure; empty for what went wrong without one. */
const failureField = (payload: Payload, failure: Status | null): { progress?: string } => {
  const data = asPayload(fieldOf(asPayload(fieldOf(payload, "error")) ?? {}, "data")) ?? {};
  return failure?.state === "error" ? progressField(failureWords(textOf(data, "message"))) : {};
};

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
  (event) => [opened(event, askOf(event.payload), idOf(event.payload, "id"))];

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
  "permission.asked": asked(permissionAsk(PERMISSION_OPTIONS)),
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

/** Root sessions speak for the agent; a child session is a sub-agent with the session's id as its own. */
const agentIdOf = (payload: Payload): string =>
  textOf(payload, "parentID") === null ? ROOT_AGENT : (idOf(payload, "sessionID") ?? "child");

/** Of opencode 1, or of a fork whose plugin sends the same. `options`: of its permissions. */
export const createFirstNormalizer = (options: PromptRequest["options"]): AgentAdapter["normalize"] =>
  createNormalizer({
    rules: { ...RULES, "permission.asked": asked(permissionAsk(options)) },
    told: TOLD,
    agentIdOf,
    about: ({ payload, isRoot }) => ({
      sessionId: isRoot ? idOf(payload, "sessionID") : null,
      cwd: textOf(payload, "directory"),
      isExit: false,
    }),
  });

const normalizeFirst = createFirstNormalizer(PERMISSION_OPTIONS);

// OpenCode 2: the events that our plugin hands on there, with medium confidence because nobody ran it here. Source: its documents
// and sources (2.0), and what others recorded with 2.0.16. A turn begins and ends once, a refused permission and a dismissed
// question interrupt it. Its dialogs are reported; no key answers them, and none of them counts as whole.

const askedBySecond =
  (ask: (payload: Payload) => Ask): EventRule =>
  (event) => [opened(event, ask(event.payload), idOf(event.payload, "id"), { confidence: "medium" })];

const permissionOfSecond = (payload: Payload): Ask => {
  const action = oneLine(textOf(payload, "action") ?? "", 200);
  const resources = listOf(payload, "resources").filter((item) => typeof item === "string");
  const isEdit = isEditPermission(action);
  const toolTitle = action === "" ? "Permission required" : `Use ${action}`;
  return {
    status: isEdit ? EDIT_APPROVAL : TOOL_APPROVAL,
    request: promptRequest(
      asHandedOn(payload, {
        kind: isEdit ? "edit" : action === "shell" ? "command" : "tool",
        title: action === "shell" ? "Shell command" : toolTitle,
        body: resources.length === 0 ? null : resources.join("\n"),
        toolName: action === "" ? null : action,
        cwd: textOf(payload, "directory"),
        options: ["Allow once", "Always allow", "Reject"].map((label) => ({ label, keys: null })),
      }),
    ),
  };
};

/** A question is a form of fields: its text is the field's description, and below it stand the answers. */
const formOfSecond = (payload: Payload): Ask => {
  const questions = listOf(payload, "fields").flatMap((item) => {
    const field = asPayload(item);
    if (field === null) return [];
    const text = textOf(field, "description") ?? textOf(field, "title") ?? textOf(payload, "title");
    return [{ ...(text === null ? {} : { question: text }), options: listOf(field, "options") }];
  });
  const fields = questionFields({ questions }, { name: "OpenCode", toolName: "question" }, () => null);
  return {
    status: QUESTION,
    request: promptRequest(asHandedOn(payload, { ...fields, isWhole: false })),
  };
};

const endedBySecond =
  (endingOf: (payload: Payload) => Status): EventRule =>
  ({ payload, agentId, isWhole }) => {
    if (agentId !== ROOT_AGENT) return [boundary(null, agentId, "medium")];
    if (!isWhole) return [activity(null)];
    const ending = endingOf(payload);
    return [boundary(ending, agentId, "medium", failureField(payload, ending))];
  };

const workingInSecond =
  (status: Status): EventRule =>
  ({ agentId }) => [activity(workOf(agentId, status), { agentId, confidence: "medium" })];

const begunInSecond: EventRule = ({ agentId }) => [boundary(workOf(agentId, THINKING), agentId, "medium")];

const RULES_OF_SECOND: EventRules = {
  "session.created": alive,
  // It may also join a turn that runs.
  "session.inbox.enqueued": workingInSecond(THINKING),
  "session.execution.started": begunInSecond,
  "session.execution.succeeded": endedBySecond(() => COMPLETED),
  "session.execution.failed": endedBySecond(
    (payload) =>
      failureOf(asPayload(fieldOf(payload, "error"))) ?? { state: "error", reasonCode: "api_error" },
  ),
  // Superseded: another one follows at once.
  "session.execution.interrupted": (event) =>
    textOf(event.payload, "reason") === "superseded" ? alive(event) : endedBySecond(() => INTERRUPTED)(event),
  "session.retry.scheduled": ({ payload, agentId }) => [
    activity(workOf(agentId, RETRYING), { agentId, confidence: "medium", ...retryField(payload) }),
  ],
  "session.tool.called": workingInSecond(TOOL),
  "session.tool.success": workingInSecond(THINKING),
  "session.tool.failed": workingInSecond(THINKING),
  "permission.asked": askedBySecond(permissionOfSecond),
  "permission.replied": answered,
  "form.created": askedBySecond(formOfSecond),
  "form.replied": answered,
  "form.cancelled": answered,
};

const normalizeSecond = createNormalizer({
  rules: RULES_OF_SECOND,
  told: {
    prompts: "session.inbox.enqueued",
    began: "session.tool.called",
    ended: ["session.tool.success", "session.tool.failed"],
    toolName: "tool",
    input: "subject",
    said: { event: "session.execution.succeeded", field: "said" },
  },
  agentIdOf,
  // A child's events belong to the pane of the session at the root of its family.
  about: ({ payload }) => ({
    sessionId: idOf(payload, "rootID"),
    cwd: textOf(payload, "directory"),
    isExit: false,
  }),
});

/** Events of OpenCode 2 name the root of their session's family. */
export const normalizeOpencode: AgentAdapter["normalize"] = (envelope, context) => {
  const isOfSecond =
    (envelope.payload !== null && textOf(envelope.payload, "rootID") !== null) ||
    (envelope.eventName !== null &&
      Object.hasOwn(RULES_OF_SECOND, envelope.eventName) &&
      !Object.hasOwn(RULES, envelope.eventName));
  return (isOfSecond ? normalizeSecond : normalizeFirst)(envelope, context);
};
