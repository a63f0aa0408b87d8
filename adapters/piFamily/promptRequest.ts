// What the pi family's tool approvals, `ask` questions and extension dialogs ask, in structured form. Options as recorded
// (omp 18.2.3, pi 0.87.1).
import type { PromptRequest } from "../../core/model/request.ts";
import {
  changedLines,
  writtenLines,
  asHandedOn,
  promptRequest,
  type RequestFields,
  questionFields,
} from "../common/promptRequest.ts";
import {
  asPayload,
  fieldOf,
  firstText,
  listOf,
  oneLine,
  textOf,
  type Payload,
  type Ask,
  QUESTION,
  TOOL_APPROVAL,
  EDIT_APPROVAL,
} from "../common/events.ts";
import { movesTo } from "../common/screenText.ts";

const EDIT_TOOLS = new Set(["edit", "write", "multiedit", "patch", "notebook", "ast_edit"]);
/** Tools of the agents themselves, which never ask on their own: a dialog while one waits to run is about it. */
const BUILT_IN_TOOLS = new Set(["bash", "read", "grep", "find", "ls", ...EDIT_TOOLS]);

export const isEditTool = (toolName: string): boolean => EDIT_TOOLS.has(toolName);

/** The selector opens on its first option; the second refuses, as Escape does from anywhere. */
const APPROVAL_OPTIONS: PromptRequest["options"] = [
  { label: "Approve", keys: ["Enter"], role: "approve" },
  { label: "Deny", keys: ["Escape"], role: "deny" },
];

/** Arguments beside the named ones change what is done, and no dialog draws them. `i` is the agent's word for the person. */
const hasOnly = (input: Payload, names: readonly string[]): boolean =>
  Object.keys(input).every((name) => name === "i" || names.includes(name));

const wholeIf = (isWhole: boolean): Pick<RequestFields, "isWhole" | "hasMore"> =>
  isWhole ? { isWhole } : { hasMore: true };

const commandFields = (
  toolName: string,
  command: string,
  input: Payload,
  cwd: string | null,
): RequestFields => {
  const { cwd: folder, ...rest } = input;
  const isPlain =
    (folder === undefined || folder === cwd) && hasOnly(rest, ["command", "timeout", "description"]);
  return {
    kind: "command",
    title: "",
    body: command,
    ...wholeIf(isPlain),
    // Where another tool runs its command is not known.
    ...(isPlain && toolName === "bash" ? { runsIn: cwd } : {}),
  };
};

/** A patch of omp names its files in lines of their own, with what it takes each of them for. */
const PATCHED_FILE = /^\[(.+?)(?:#[^\]#]*)?\]$/;

const patchOf = (patch: string): { path: string; content: string } | null => {
  const lines = patch.replace(/\n$/, "").split("\n");
  const paths = lines.flatMap((line) => PATCHED_FILE.exec(line)?.[1] ?? []);
  const isPlain = paths.length === 1 && PATCHED_FILE.test(lines[0] ?? "");
  return paths.length === 0
    ? null
    : { path: paths.join("\n"), content: lines.slice(isPlain ? 1 : 0).join("\n") };
};

const changeOf = (edit: Payload): string | null => {
  const [before, after] = [
    firstText(edit, ["oldText", "old_string"]),
    firstText(edit, ["newText", "new_string"]),
  ];
  return before === null ? null : changedLines(before, after ?? "");
};

/** What an edit writes, by the family's names of arguments; null for others. Recorded with omp 18.2.3: a file and a patch. */
const contentOf = (input: Payload): string | null => {
  const content = fieldOf(input, "content");
  if (typeof content === "string" && hasOnly(input, ["path", "content"])) return writtenLines(content);
  if (!hasOnly(input, ["path", "oldText", "newText", "old_string", "new_string", "edits"])) return null;
  const edits = listOf(input, "edits").map(asPayload);
  if (edits.length === 0) return changeOf(input);
  const changes = edits.map((edit) => (edit === null ? null : changeOf(edit)));
  return changes.includes(null) ? null : changes.join("\n");
};

const editFields = (input: Payload, cwd: string | null): RequestFields => {
  const patch = patchOf(textOf(input, "input") ?? "");
  const isPatch = patch !== null && hasOnly(input, ["input", "path", "paths"]);
  const path = isPatch ? patch.path : firstText(input, ["path", "file_path"]);
  const content = isPatch ? patch.content : contentOf(input);
  return { kind: "edit", title: "", body: path, content, cwd, ...wholeIf(path !== null && content !== null) };
};

/** As the dialog names it; recorded with omp 18.2.3. */
const LANGUAGES: Readonly<Record<string, string>> = { py: "python" };

const toolFields = (input: Payload): RequestFields => {
  const [language, code] = [textOf(input, "language"), textOf(input, "code")];
  if (language !== null && code !== null && hasOnly(input, ["language", "code", "title"])) {
    const name = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : language;
    return { kind: "tool", title: "", body: `Language: ${name}\nCode:\n${code}`, isWhole: true };
  }
  return {
    kind: "tool",
    title: "",
    body: firstText(input, ["path", "file_path", "url", "query", "pattern"]),
  };
};

const approvalFields = (toolName: string, input: Payload, cwd: string | null): RequestFields => {
  if (isEditTool(toolName)) return editFields(input, cwd);
  const command = textOf(input, "command");
  if (command !== null) return commandFields(toolName, command, input, cwd);
  return toolName === "bash" ? { kind: "command", title: "" } : toolFields(input);
};

/** Titled as the dialog is. `payload`: as our extension hands it on, with the arguments of the call that asks. */
export const approvalAsk = (payload: Payload): Ask => {
  const toolName = oneLine(textOf(payload, "toolName") ?? "", 200);
  const input = asPayload(fieldOf(payload, "input")) ?? {};
  return {
    status: isEditTool(toolName) ? EDIT_APPROVAL : TOOL_APPROVAL,
    request: promptRequest({
      ...asHandedOn(payload, approvalFields(toolName, input, textOf(payload, "cwd"))),
      title: toolName === "" ? "Allow tool" : `Allow tool: ${toolName}`,
      toolName: toolName === "" ? null : toolName,
      options: APPROVAL_OPTIONS,
    }),
  };
};

/**
 * `payload`: with the tool's arguments. `timeoutMs`: after which the agent answers itself, from `at` (epoch ms). A
 * recommended answer may be chosen first, so keys are only known without one, for one question with one answer.
 */
export const questionAsk = (payload: Payload, at: number, timeoutMs: number | null): Ask => {
  const input =
    asPayload(fieldOf(payload, "input") ?? fieldOf(payload, "args") ?? fieldOf(payload, "arguments")) ?? {};
  const fields = questionFields(input, { name: "The agent", toolName: "ask" }, (question, index) =>
    question["multi"] === true || fieldOf(question, "recommended") !== undefined ? null : movesTo(index, 0),
  );
  const expiresAt = timeoutMs === null ? null : at + timeoutMs;
  return { status: QUESTION, request: promptRequest(asHandedOn(payload, { ...fields, expiresAt })) };
};

/** Titles with which extensions ask for permission rather than for input. */
const PERMISSION_TITLE =
  /^(allow|approve|permit|authori[sz]e|confirm|run|execute|proceed|delete|overwrite)\b|\b(allow|permission|dangerous)\b/i;

export const isPermissionTitle = (title: string): boolean => PERMISSION_TITLE.test(title);

/**
 * A dialog that an extension opened: an approval by its title, or because it holds up one of the agent's own tools. What is asked
 * is its title, not what the tool is given; of an edit that it holds up, what would be written is added. Recorded with pi 0.87.1:
 * a selection, which draws nothing else.
 */
export const dialogAsk = (payload: Payload): Ask => {
  const title = textOf(payload, "title");
  const call = listOf(payload, "calls")
    .map(asPayload)
    .findLast((item) => item !== null);
  const toolName = call === null || call === undefined ? "" : oneLine(textOf(call, "toolName") ?? "", 200);
  const isHeld = BUILT_IN_TOOLS.has(toolName);
  const isApproval = isHeld || isPermissionTitle(title ?? "");
  const isWhole = title !== null && textOf(payload, "kind") === "select";
  const input = asPayload(fieldOf(call ?? {}, "input")) ?? {};
  // Of several tools that wait, it is not known which one the dialog is about.
  const isAboutEdit = isHeld && isEditTool(toolName) && listOf(payload, "calls").length === 1;
  const content = isAboutEdit ? (editFields(input, null).content ?? null) : null;
  const name = isApproval ? `Allow tool: ${toolName}` : "An extension asks";
  return {
    status: !isApproval ? QUESTION : isHeld && isEditTool(toolName) ? EDIT_APPROVAL : TOOL_APPROVAL,
    request: promptRequest(
      asHandedOn(payload, {
        kind: isApproval ? "other" : "question",
        title: oneLine(title ?? "") || name,
        body: title,
        ...(content === null ? {} : { content }),
        toolName: isHeld ? toolName : null,
        isWhole,
      }),
    ),
  };
};
