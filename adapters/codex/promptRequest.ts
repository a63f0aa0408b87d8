// What Codex asks of a person, in structured form, from a hook's payload. The titles are those of its dialogs, so that
// event and screen describe a request alike. Sources: payloads recorded with 0.169.0 (Bash, apply_patch,
// request_user_input).
import { MAX_OPTIONS } from "../../core/model/request.ts";
import { asPayload, boundedText, firstText, listOf, oneLine, textOf } from "../common/payload.ts";
import { promptRequest } from "../common/promptRequest.ts";
import type { Ask } from "../common/signals.ts";

export const COMMAND_TITLE = "Would you like to run the following command?";
export const EDIT_TITLE = "Would you like to make the following edits?";
export const QUESTION_TOOL = "request_user_input";
const PATCH_TOOL = "apply_patch";

export const GENERIC_PERMISSION: Ask = {
  status: { state: "waiting_approval", reasonCode: "permission_tool" },
  request: promptRequest({ kind: "other", title: "Codex needs your permission" }),
};

/** The question tool's wait. Which keys answer is known from its drawn form only. */
export const questionAsk = (toolInput: unknown): Ask => {
  const questions = listOf(asPayload(toolInput) ?? {}, "questions")
    .slice(0, MAX_OPTIONS)
    .map(asPayload)
    .filter((item) => item !== null);
  const texts = questions.flatMap((question) => textOf(question, "question") ?? []);
  const [first] = questions;
  return {
    status: { state: "waiting_input", reasonCode: "question" },
    request: promptRequest({
      kind: "question",
      title: oneLine(texts[0] ?? "") || "Codex asks a question",
      body: texts.length === 0 ? null : boundedText(texts.join("\n")),
      toolName: QUESTION_TOOL,
      options: listOf(first ?? {}, "options")
        .slice(0, MAX_OPTIONS)
        .flatMap((option) => {
          const label = textOf(asPayload(option) ?? {}, "label");
          return label === null ? [] : [{ label: oneLine(label), keys: null }];
        }),
    }),
  };
};

/** The wait that a PermissionRequest for this tool stands for. */
export const permissionAsk = (rawToolName: string, toolInput: unknown): Ask => {
  const input = asPayload(toolInput) ?? {};
  const toolName = oneLine(rawToolName, 200);
  if (toolName === "") return GENERIC_PERMISSION;
  const command = textOf(input, "command");
  if (toolName === PATCH_TOOL)
    return {
      status: { state: "waiting_approval", reasonCode: "permission_edit" },
      request: promptRequest({
        kind: "edit",
        title: EDIT_TITLE,
        body: command === null ? null : boundedText(command),
        toolName,
      }),
    };
  if (command !== null)
    return {
      status: GENERIC_PERMISSION.status,
      request: promptRequest({ kind: "command", title: COMMAND_TITLE, body: boundedText(command), toolName }),
    };
  const subject = firstText(input, ["url", "host", "query", "path", "description", "prompt"]);
  return {
    status: GENERIC_PERMISSION.status,
    request: promptRequest({
      kind: "tool",
      title: oneLine(`Use ${toolName}`),
      body: subject === null ? null : boundedText(subject),
      toolName,
    }),
  };
};
