// What opencode's permission and question events ask, in structured form. Options and their keys as recorded (1.18.33):
// a permission opens with "Allow once" chosen, a question with its first answer.
import type { PromptRequest } from "../../core/model/request.ts";
import { contentOfDiff } from "../common/changedLines.ts";
import { asHandedOn } from "../common/cutByPlugin.ts";
import { asPayload, fieldOf, listOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import { promptRequest, type RequestFields } from "../common/promptRequest.ts";
import { questionFields } from "../common/questions.ts";
import { movesTo } from "../common/screenText.ts";
import { type Ask, QUESTION } from "../common/signals.ts";

/**
 * Left and right move, Enter confirms, Escape refuses. Which keys choose depends on what is chosen now: an event says
 * nothing of it.
 */
export const PERMISSION_OPTIONS: PromptRequest["options"] = [
  { label: "Allow once", keys: null, role: "approve" },
  { label: "Allow always", keys: null, role: "approve_always" },
  { label: "Reject", keys: ["Escape"], role: "deny" },
];

export const isEditPermission = (name: string): boolean => /^(edit|write|patch|multiedit)$/.test(name);

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

/** What a command's dialog draws, and what changes nothing of what runs. */
const PLAIN_FIELDS = new Set(["command", "description", "timeout"]);

/** The dialog draws the command alone, also where it runs in another folder. `args`: of the call, where they are told. */
const hasMore = (args: Payload | null, cwd: string | null): boolean =>
  args !== null &&
  Object.entries(args).some(
    ([name, value]) => !PLAIN_FIELDS.has(name) && !(name === "workdir" && value === cwd),
  );

/** As the dialogs draw them. Of other tools they draw the name alone: the call's arguments are told below it. */
const toolText = (name: string, metadata: Payload, patterns: readonly string[], args: Payload | null) => {
  const url = textOf(metadata, "url");
  if (name === "webfetch" && url !== null)
    return { title: `WebFetch ${url}`, body: `URL: ${url}`, isWhole: true };
  const folder = textOf(metadata, "parentDir");
  if (name === "external_directory" && folder !== null) {
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
  const patterns = listOf(payload, "patterns").filter((item) => typeof item === "string");
  const args = asPayload(fieldOf(payload, "args"));
  const cwd = textOf(payload, "directory");
  if (isEditPermission(name)) return editFields(metadata, patterns, cwd);
  const command = textOf(metadata, "command");
  if (command === null) return { kind: "tool", ...toolText(name, metadata, patterns, args) };
  const isPlain = !hasMore(args, cwd);
  return {
    kind: "command",
    title: "Shell command",
    body: command,
    ...(isPlain ? { isWhole: true } : { hasMore: true }),
    // Where another tool runs its command is not told.
    ...(isPlain && name === "bash" && args !== null ? { runsIn: cwd } : {}),
  };
};

/** `payload`: as our plugin hands it on, with the arguments of the call that asks. What it had to cut is not whole. */
export const permissionAsk = (payload: Payload): Ask => {
  const name = oneLine(textOf(payload, "permission") ?? "", 200);
  const fields = asHandedOn(payload, permissionFields(payload, name));
  return {
    status: {
      state: "waiting_approval",
      reasonCode: isEditPermission(name) ? "permission_edit" : "permission_tool",
    },
    request: promptRequest({
      toolName: name === "" ? null : name,
      options: PERMISSION_OPTIONS,
      ...fields,
    }),
  };
};

/** Down moves, Enter chooses: as the dialog's own footer says. Several questions or answers need more keys. */
export const questionAsk = (payload: Payload): Ask => {
  const fields = questionFields(payload, { name: "opencode", toolName: "question" }, (question, index) =>
    question["multiple"] === true ? null : movesTo(index, 0),
  );
  return { status: QUESTION, request: promptRequest(asHandedOn(payload, fields)) };
};
