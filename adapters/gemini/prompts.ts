// What Gemini CLI's hooks ask of the person, in structured form, and under which name. Built from payloads alone; the keys
// are those that were seen to work in a real dialog (0.61.0): `1` allows once, Escape denies.
import type { PromptRequest } from "../../core/model/request.ts";
import { ROOT_AGENT } from "../../core/model/evidence.ts";
import { contentOfDiff } from "../common/changedLines.ts";
import { asPayload, fieldOf, listOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import { promptRequest, type RequestFields } from "../common/promptRequest.ts";
import { questionFields } from "../common/questions.ts";
import { hashRequest } from "../common/requestKey.ts";
import { type Ask, QUESTION, TOOL_APPROVAL } from "../common/signals.ts";

export const ASK_TOOL = "ask_user";

const APPROVAL_OPTIONS: PromptRequest["options"] = [
  { label: "Allow once", keys: ["1"], role: "approve" },
  { label: "No, suggest changes", keys: ["Escape"], role: "deny" },
];

export const GENERIC_PERMISSION: Ask = {
  status: TOOL_APPROVAL,
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

const permission = (
  fields: RequestFields,
  reasonCode: "permission_tool" | "permission_edit" = "permission_tool",
): Ask => ({
  status: { state: "waiting_approval", reasonCode },
  request: promptRequest({ options: APPROVAL_OPTIONS, ...fields }),
});

const editAsk = (details: Payload, title: string, cwd: string | null): Ask => {
  const path = textOf(details, "filePath");
  const { content, isAll } = contentOfDiff(textOf(details, "fileDiff"));
  return permission(
    {
      kind: "edit",
      title,
      body: path ?? textOf(details, "fileName"),
      content,
      cwd,
      isWhole: path !== null && isAll,
    },
    "permission_edit",
  );
};

/** What a page is fetched for, and which: as the dialog draws it. */
const pageText = (details: Payload): string | null => {
  const prompt = textOf(details, "prompt");
  const urls = listOf(details, "urls");
  if (prompt === null || !urls.every((url) => typeof url === "string")) return null;
  return urls.length === 0
    ? prompt
    : [prompt, "", "URLs to fetch:", ...urls.map((url) => ` - ${url}`)].join("\n");
};

/**
 * The permission that a `ToolPermission` notification asks for; its `details` differ by type. Of a server's tool neither they
 * nor the dialog tell what it is given. `cwd`: the folder that the dialog names files from.
 */
export const permissionAsk = (details: Payload, message: string | null, cwd: string | null): Ask => {
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
export const questionAsk = (input: Payload): Ask => ({
  status: QUESTION,
  request: promptRequest(questionFields(input, { name: "Gemini", toolName: ASK_TOOL }, () => null)),
});
