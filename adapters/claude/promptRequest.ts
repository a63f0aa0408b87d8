// What a permission hook asks of the person, in structured form. Built from the hook's payload alone; the keys of a
// dialog's options are known only where the dialog was recorded with the same ones (2.1.329 questions), else null or none.
import { asPayload, fieldOf, firstText, listOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import { changedLines, writtenLines } from "../common/changedLines.ts";
import { promptRequest } from "../common/promptRequest.ts";
import { questionFields } from "../common/questions.ts";
import { type Ask, EDIT_APPROVAL, PLAN_APPROVAL, QUESTION, TOOL_APPROVAL } from "../common/signals.ts";

/** What a plan asks, with or without its text. */
export const EXIT_PLAN_MODE = "Exit plan mode?";

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

/** What one edit changes; null where its form is not known. */
const changeOf = (edit: Payload): string | null => {
  const [before, after] = [fieldOf(edit, "old_string"), fieldOf(edit, "new_string")];
  return typeof before === "string" && typeof after === "string" ? changedLines(before, after) : null;
};

const written = (text: unknown): string | null => (typeof text === "string" ? writtenLines(text) : null);

/**
 * What an edit tells of its change, and whether that is all of it. Recorded 2.1.329: Write and Edit. At how many places an edit
 * that replaces all changes the file, and what a notebook's cell was before, is not told; MultiEdit is an older version's.
 */
const contentOf = (toolName: string, input: Payload): { content: string | null; isAll: boolean } => {
  switch (toolName) {
    case "Write":
      return { content: written(fieldOf(input, "content")), isAll: true };
    case "Edit":
      return { content: changeOf(input), isAll: fieldOf(input, "replace_all") !== true };
    case "NotebookEdit":
      return { content: written(fieldOf(input, "new_source")), isAll: false };
    case "MultiEdit": {
      const changes = listOf(input, "edits").map((edit) => changeOf(asPayload(edit) ?? {}));
      const isKnown = changes.length > 0 && !changes.includes(null);
      return { content: isKnown ? changes.join("\n") : null, isAll: false };
    }
    default:
      return { content: null, isAll: false };
  }
};

const editAsk = (toolName: string, input: Payload, cwd: string | null): Ask => {
  const path = firstText(input, ["file_path", "notebook_path", "path"]);
  const { content, isAll } = contentOf(toolName, input);
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

/** What the dialog draws of a command, and what changes nothing of what runs. */
const PLAIN_FIELDS = new Set(["command", "description", "timeout"]);

/** Recorded 2.1.329: neither that it leaves the sandbox nor that it goes on in the background is drawn. */
const isPlain = (input: Payload): boolean =>
  Object.entries(input).every(([name, value]) => PLAIN_FIELDS.has(name) || value === false);

const toolAsk = (toolName: string, input: Payload, cwd: string | null): Ask => {
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
        // Where another tool, such as a server's, runs its command is not told.
        ...(isPlain(input) && toolName === "Bash" ? { runsIn: cwd } : {}),
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

/** The wait that a PermissionRequest for this tool stands for. `cwd`: where commands run, and from where its dialog names files. */
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
        title: EXIT_PLAN_MODE,
        body: plan,
        toolName,
        isWhole: plan !== null,
      }),
    };
  }
  return isEditTool(toolName) ? editAsk(toolName, input, cwd) : toolAsk(toolName, input, cwd);
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
