// What a permission hook asks of the person, in structured form. Built from the hook's payload alone; the keys of a
// dialog's options are known only where the dialog was recorded with the same ones (2.1.329 questions), else null or none.
import { asPayload, fieldOf, firstText, listOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import { changedLines, writtenLines } from "../common/changedLines.ts";
import { promptRequest } from "../common/promptRequest.ts";
import { questionFields } from "../common/questions.ts";
import { type Ask, EDIT_APPROVAL, PLAN_APPROVAL, QUESTION, TOOL_APPROVAL } from "../common/signals.ts";

const EDIT_TOOLS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit", "Update"]);
export const isEditTool = (toolName: string): boolean => EDIT_TOOLS.has(toolName);

export const GENERIC_PERMISSION: Ask = {
  status: TOOL_APPROVAL,
  request: promptRequest({ kind: "other", title: "Claude needs your permission" }),
};

/** Recorded 2.1.329: the options of a question are numbered from 1 and a digit alone chooses; several questions or answers need more keys. */
const questionAsk = (toolName: string, input: Payload): Ask => {
  const hasOneAnswer = (question: Payload): boolean => question["multiSelect"] !== true;
  const fields = questionFields(input, { name: "Claude", toolName }, (question, index) =>
    hasOneAnswer(question) && index < 9 ? [String(index + 1)] : null,
  );
  const isWhole =
    fields.isWhole === true &&
    listOf(input, "questions").every((question) => hasOneAnswer(asPayload(question) ?? {}));
  return { status: QUESTION, request: promptRequest({ ...fields, isWhole }) };
};

/** What one edit changes; null where its form is not known. Recorded 2.1.329: Write and Edit. */
const changeOf = (edit: Payload): string | null => {
  const [before, after] = [textOf(edit, "old_string") ?? "", textOf(edit, "new_string") ?? ""];
  const isKnown = typeof edit["old_string"] === "string" && typeof edit["new_string"] === "string";
  return isKnown && edit["replace_all"] !== true ? changedLines(before, after) : null;
};

const contentOf = (toolName: string, input: Payload): string | null => {
  const content = fieldOf(input, "content");
  if (toolName === "Write") return typeof content === "string" ? writtenLines(content) : null;
  return toolName === "Edit" ? changeOf(input) : null;
};

const editAsk = (toolName: string, input: Payload, cwd: string | null): Ask => {
  const path = firstText(input, ["file_path", "notebook_path", "path"]);
  const content = contentOf(toolName, input);
  return {
    status: EDIT_APPROVAL,
    request: promptRequest({
      kind: "edit",
      title: path === null ? toolName : `${toolName} ${path}`,
      body: path,
      content,
      toolName,
      cwd,
      isWhole: path !== null && content !== null,
    }),
  };
};

/** What the dialog draws of a command, and what changes nothing of what runs. */
const PLAIN_FIELDS = new Set(["command", "description", "timeout"]);

/** Recorded 2.1.329: neither that it leaves the sandbox nor that it goes on in the background is drawn. */
const isPlain = (input: Payload): boolean =>
  Object.entries(input).every(([name, value]) => PLAIN_FIELDS.has(name) || value === false);

const toolAsk = (toolName: string, input: Payload): Ask => {
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
        ...(isPlain(input) ? { isWhole: true } : { hasMore: true }),
      }),
    };
  // Only a part of what such a tool is given; the dialog shows all of it.
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

/** The wait that a PermissionRequest for this tool stands for. `cwd`: the folder that its dialog names files from. */
export const askOf = (rawToolName: string, toolInput: unknown, cwd: string | null): Ask => {
  const input = asPayload(toolInput) ?? {};
  const toolName = oneLine(rawToolName, 200);
  if (toolName === "") return GENERIC_PERMISSION;
  if (toolName === "AskUserQuestion") return questionAsk(toolName, input);
  if (toolName === "ExitPlanMode") {
    const plan = textOf(input, "plan");
    return {
      status: PLAN_APPROVAL,
      request: promptRequest({
        kind: "plan",
        title: "Exit plan mode?",
        body: plan,
        toolName,
        isWhole: plan !== null,
      }),
    };
  }
  return isEditTool(toolName) ? editAsk(toolName, input, cwd) : toolAsk(toolName, input);
};

/** The wait that an MCP server's elicitation stands for. Source: vendor documentation, not recorded. */
export const elicitationAsk = (payload: Payload): Ask => {
  const message = textOf(payload, "message");
  const title = oneLine(message ?? "") || "An MCP server asks for input";
  return {
    status: QUESTION,
    request: promptRequest({ kind: "question", title, body: message }),
  };
};
