// What Gemini CLI's hooks ask of the person, in structured form, and under which name. Built from payloads alone; the keys
// are those that were seen to work in a real dialog (0.61.0): `1` allows once, Escape denies.
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
import { asPayload, boundedText, fieldOf, listOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import { promptRequest } from "../common/promptRequest.ts";
import { hashRequest } from "../common/requestKey.ts";
import type { Ask } from "../common/signals.ts";

export const ASK_TOOL = "ask_user";

const APPROVAL_OPTIONS: PromptRequest["options"] = [
  { label: "Allow once", keys: ["1"], role: "approve" },
  { label: "No, suggest changes", keys: ["Escape"], role: "deny" },
];

export const GENERIC_PERMISSION: Ask = {
  status: { state: "waiting_approval", reasonCode: "permission_tool" },
  request: promptRequest({ kind: "other", title: "Gemini needs your permission", options: APPROVAL_OPTIONS }),
};

const fileNameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/**
 * The part of a tool call that its announcement, its permission dialog and its end have in common: the command, or the
 * file's name (the dialog names the file in full, the tool as the model wrote it). Null: nothing ties them.
 */
const subjectOf = (command: string | null, path: string | null): [string, string] | null => {
  if (command !== null) return ["command", command.slice(0, 100_000)];
  return path === null ? null : ["file", fileNameOf(path)];
};

const keyOf = (subject: [string, string] | null): string | null =>
  subject === null ? null : hashRequest(ROOT_AGENT, subject[0], subject[1]);

/** Name of the request that a tool call may open; null where its dialog cannot be tied to it. */
export const keyOfTool = (payload: Payload): string | null => {
  const toolName = textOf(payload, "tool_name");
  const input = asPayload(fieldOf(payload, "tool_input")) ?? {};
  if (toolName === ASK_TOOL) return hashRequest(ROOT_AGENT, ASK_TOOL, fieldOf(input, "questions") ?? null);
  return keyOf(subjectOf(textOf(input, "command"), textOf(input, "file_path")));
};

/** Name of the request that a permission notification opens. */
export const keyOfDetails = (details: Payload): string | null =>
  keyOf(subjectOf(textOf(details, "command"), textOf(details, "filePath") ?? textOf(details, "fileName")));

/** The permission that a `ToolPermission` notification asks for; its `details` differ by type. */
export const permissionAsk = (details: Payload, message: string | null): Ask => {
  const title = oneLine(textOf(details, "title") ?? message ?? "") || GENERIC_PERMISSION.request.title;
  const command = textOf(details, "command");
  if (command !== null)
    return {
      status: GENERIC_PERMISSION.status,
      request: promptRequest({
        kind: "command",
        title,
        body: boundedText(command),
        toolName: "run_shell_command",
        options: APPROVAL_OPTIONS,
      }),
    };
  const path = textOf(details, "filePath") ?? textOf(details, "fileName");
  if (textOf(details, "type") === "edit")
    return {
      status: { state: "waiting_approval", reasonCode: "permission_edit" },
      request: promptRequest({
        kind: "edit",
        title,
        body: path === null ? null : boundedText(path),
        options: APPROVAL_OPTIONS,
      }),
    };
  const body = textOf(details, "prompt") ?? textOf(details, "toolDisplayName") ?? textOf(details, "toolName");
  return {
    status: GENERIC_PERMISSION.status,
    request: promptRequest({
      kind: "tool",
      title,
      body: body === null ? null : boundedText(body),
      options: APPROVAL_OPTIONS,
    }),
  };
};

/** The questions of the agent's question tool; the dialog itself says how to choose. */
export const questionAsk = (input: Payload): Ask => {
  const questions = listOf(input, "questions")
    .map(asPayload)
    .filter((item) => item !== null);
  const texts = questions.flatMap((question) => textOf(question, "question") ?? []);
  const first = questions[0];
  return {
    status: { state: "waiting_input", reasonCode: "question" },
    request: promptRequest({
      kind: "question",
      title: oneLine(texts[0] ?? "") || "Gemini asks a question",
      body: texts.length === 0 ? null : boundedText(texts.join("\n")),
      toolName: ASK_TOOL,
      options: (first === undefined ? [] : listOf(first, "options"))
        .slice(0, MAX_OPTIONS)
        .flatMap((option) => {
          const label = textOf(asPayload(option) ?? {}, "label");
          return label === null ? [] : [{ label: oneLine(label), keys: null }];
        }),
    }),
  };
};
