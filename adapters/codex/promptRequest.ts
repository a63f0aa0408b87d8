// What Codex asks of a person, in structured form, from a hook's payload. The titles are those of its dialogs, so that
// event and screen describe a request alike. Sources: payloads recorded with 0.169.0 (Bash, apply_patch,
// request_user_input, an MCP tool).
import { asPayload, firstText, oneLine, textOf, type Payload } from "../common/payload.ts";
import { promptRequest } from "../common/promptRequest.ts";
import { questionFields } from "../common/questions.ts";
import { type Ask, EDIT_APPROVAL, QUESTION, TOOL_APPROVAL } from "../common/signals.ts";

export const COMMAND_TITLE = "Would you like to run the following command?";
export const EDIT_TITLE = "Would you like to make the following edits?";
export const QUESTION_TOOL = "request_user_input";
const PATCH_TOOL = "apply_patch";

export const GENERIC_PERMISSION: Ask = {
  status: TOOL_APPROVAL,
  request: promptRequest({ kind: "other", title: "Codex needs your permission" }),
};

/** The question tool's wait. Which keys answer is known from its drawn form only. */
export const questionAsk = (toolInput: unknown): Ask => ({
  status: QUESTION,
  request: promptRequest(
    questionFields(asPayload(toolInput) ?? {}, { name: "Codex", toolName: QUESTION_TOOL }, () => null),
  ),
});

const FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;
/** Says no more than the path, where there is one file. */
const PLAIN_FILE = /^\*\*\* (?:Add|Update) File: /;
const MOVED = /^\*\*\* Move to: /;

/** Files and changes of a patch; null where its form is not known. Of several files each change is told with its own. */
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

/** The wait that a PermissionRequest for this tool stands for. `cwd`: the folder that a patch names files from. */
export const permissionAsk = (rawToolName: string, toolInput: unknown, cwd: string | null): Ask => {
  const input = asPayload(toolInput) ?? {};
  const toolName = oneLine(rawToolName, 200);
  if (toolName === "") return GENERIC_PERMISSION;
  const command = textOf(input, "command");
  if (toolName === PATCH_TOOL) return editAsk(command, cwd);
  if (command !== null) return commandAsk(command, input, toolName);
  // Only a part of what such a tool is given; the dialog shows no more.
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
