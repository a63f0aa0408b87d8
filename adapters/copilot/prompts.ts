// What Copilot CLI asks of the person, in structured form, and under which name. Built from hook payloads and from the
// session log; the keys are those that were seen to work in a real dialog (1.0.102): `1` approves, Escape denies.
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import {
  asPayload,
  boundedText,
  fieldOf,
  firstText,
  listOf,
  oneLine,
  textOf,
  type Payload,
} from "../common/payload.ts";
import { promptRequest, type RequestFields } from "../common/promptRequest.ts";
import { hashRequest } from "../common/requestKey.ts";
import type { Ask } from "../common/signals.ts";

export const ASK_TOOL = "ask_user";

const APPROVAL_OPTIONS: PromptRequest["options"] = [
  { label: "Yes", keys: ["1"], role: "approve" },
  { label: "No, and tell Copilot what to do differently", keys: ["Escape"], role: "deny" },
];

const permission = (
  fields: RequestFields,
  reasonCode: "permission_tool" | "permission_edit" = "permission_tool",
): Ask => ({
  status: { state: "waiting_approval", reasonCode },
  request: promptRequest({ options: APPROVAL_OPTIONS, ...fields }),
});

const PATH_FIELDS = ["file_path", "path", "fileName"];
const SUBJECT_FIELDS = ["url", "query", "pattern", "description", "prompt"];

/**
 * The same name for a tool call's announcement, its permission request and its end. They differ in the tool's name and in
 * all but the part that matters (recorded: `create`/`path` is asked for as `edit`/`file_path`), so that part is the name.
 */
export const requestKeyOf = (agentId: string, toolName: string, toolInput: unknown): string => {
  const input = asPayload(toolInput) ?? {};
  const command = textOf(input, "command");
  if (command !== null) return hashRequest(agentId, "command", command.slice(0, 100_000));
  const path = firstText(input, PATH_FIELDS);
  if (path !== null) return hashRequest(agentId, "file", path);
  return hashRequest(agentId, toolName, firstText(input, ["url", "message"]));
};

/** The permission that `permissionRequest` stands for. */
export const permissionAsk = (rawToolName: string, toolInput: unknown): Ask => {
  const input = asPayload(toolInput) ?? {};
  const toolName = oneLine(rawToolName, 200);
  const command = textOf(input, "command");
  if (command !== null)
    return permission({ kind: "command", title: "Run command", body: boundedText(command), toolName });
  const path = firstText(input, PATH_FIELDS);
  if (path !== null && toolName !== "read" && toolName !== "view")
    return permission(
      { kind: "edit", title: oneLine(`Edit ${path}`), body: boundedText(path), toolName },
      "permission_edit",
    );
  const subject = path ?? firstText(input, SUBJECT_FIELDS);
  const title = toolName === "" ? "Permission needed" : oneLine(`Use ${toolName}`);
  return permission({ kind: "tool", title, body: subject === null ? null : boundedText(subject), toolName });
};

const RUN_COMMAND = /^Run command: ([\s\S]+)$/;

/** The permission that a `permission_prompt` notification tells of, in one sentence. */
export const notifiedPermission = (message: string | null): Ask => {
  const command = RUN_COMMAND.exec(message ?? "")?.[1];
  if (command !== undefined)
    return permission({ kind: "command", title: "Run command", body: boundedText(command) });
  return permission({
    kind: "other",
    title: oneLine(message ?? "") || "Permission needed",
    body: message === null ? null : boundedText(message),
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
    status: { state: "waiting_input", reasonCode: "question" },
    request: promptRequest({
      kind: "question",
      title: oneLine(text ?? "") || "Copilot needs information",
      body: text === null ? null : boundedText(text),
      toolName: ASK_TOOL,
      options: labelsOf(input)
        .slice(0, MAX_OPTIONS)
        .map((label) => ({ label, keys: null })),
    }),
  };
};
