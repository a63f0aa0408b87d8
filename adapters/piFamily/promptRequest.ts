// What the pi family's tool approvals, `ask` questions and extension dialogs ask, in structured form. Options as recorded
// (omp 18.2.3, pi 0.87.1).
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import { asPayload, boundedText, fieldOf, listOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import { movesTo } from "../common/screenText.ts";
import type { Ask } from "../common/signals.ts";

const EDIT_TOOLS = new Set(["edit", "write", "multiedit", "patch", "notebook", "ast_edit"]);
/** Tools of the agents themselves, which never ask on their own: a dialog while one waits to run is about it. */
const BUILT_IN_TOOLS = new Set(["bash", "read", "grep", "find", "ls", ...EDIT_TOOLS]);

export const isEditTool = (toolName: string): boolean => EDIT_TOOLS.has(toolName);

const subjectOf = (input: Payload): string | null => {
  for (const name of ["command", "path", "file_path", "url", "query", "pattern"]) {
    const text = textOf(input, name);
    if (text !== null) return boundedText(text);
  }
  return null;
};

/** The selector opens on its first option; the second refuses, as Escape does from anywhere. */
const APPROVAL_OPTIONS: PromptRequest["options"] = [
  { label: "Approve", keys: ["Enter"], role: "approve" },
  { label: "Deny", keys: ["Escape"], role: "deny" },
];

const kindOf = (toolName: string, input: Payload): PromptRequest["kind"] => {
  if (isEditTool(toolName)) return "edit";
  return textOf(input, "command") === null && toolName !== "bash" ? "tool" : "command";
};

/** Titled as the dialog is. */
export const approvalAsk = (rawToolName: string, rawInput: unknown): Ask => {
  const toolName = oneLine(rawToolName, 200);
  const input = asPayload(rawInput) ?? {};
  return {
    status: {
      state: "waiting_approval",
      reasonCode: isEditTool(toolName) ? "permission_edit" : "permission_tool",
    },
    request: {
      kind: kindOf(toolName, input),
      title: toolName === "" ? "Allow tool" : `Allow tool: ${toolName}`,
      body: subjectOf(input),
      toolName: toolName === "" ? null : toolName,
      options: APPROVAL_OPTIONS,
      expiresAt: null,
    },
  };
};

/**
 * `timeoutMs`: after which the agent answers itself, from `at` (epoch ms). A recommended answer may be chosen first, so
 * keys are only known without one, for one question with one answer.
 */
export const questionAsk = (rawInput: unknown, at: number, timeoutMs: number | null): Ask => {
  const input = asPayload(rawInput) ?? {};
  const questions = listOf(input, "questions")
    .map(asPayload)
    .filter((item) => item !== null);
  const [first] = questions;
  const texts = questions.flatMap((question) => textOf(question, "question") ?? []);
  const isPlain =
    questions.length === 1 &&
    first !== undefined &&
    first["multi"] !== true &&
    fieldOf(first, "recommended") === undefined;
  const labels = (first === undefined ? [] : listOf(first, "options"))
    .slice(0, MAX_OPTIONS)
    .flatMap((option) => textOf(asPayload(option) ?? {}, "label") ?? []);
  return {
    status: { state: "waiting_input", reasonCode: "question" },
    request: {
      kind: "question",
      title: oneLine(texts[0] ?? "") || "The agent asks a question",
      body: texts.length === 0 ? null : boundedText(texts.join("\n")),
      toolName: "ask",
      options: labels.map((label, index) => ({
        label: oneLine(label),
        keys: isPlain ? movesTo(index, 0) : null,
      })),
      expiresAt: timeoutMs === null ? null : at + timeoutMs,
    },
  };
};

/** Titles with which extensions ask for permission rather than for input. */
const PERMISSION_TITLE =
  /^(allow|approve|permit|authori[sz]e|confirm|run|execute|proceed|delete|overwrite)\b|\b(allow|permission|dangerous)\b/i;

export const isPermissionTitle = (title: string): boolean => PERMISSION_TITLE.test(title);

/** A dialog that an extension opened: an approval by its title, or because a tool of the agent's own is held up by it. */
export const dialogAsk = (payload: Payload): Ask => {
  const title = oneLine(textOf(payload, "title") ?? "");
  const call = listOf(payload, "calls")
    .map(asPayload)
    .findLast((item) => item !== null);
  const toolName = call === null || call === undefined ? "" : oneLine(textOf(call, "toolName") ?? "", 200);
  const isHeld = BUILT_IN_TOOLS.has(toolName);
  const options: PromptRequest["options"] = [];
  if (!isHeld && !isPermissionTitle(title))
    return {
      status: { state: "waiting_input", reasonCode: "question" },
      request: {
        kind: "question",
        title: title || "An extension asks",
        body: title === "" ? null : title,
        toolName: null,
        options,
        expiresAt: null,
      },
    };
  const input = asPayload(call?.["input"]) ?? {};
  return {
    status: {
      state: "waiting_approval",
      reasonCode: isHeld && isEditTool(toolName) ? "permission_edit" : "permission_tool",
    },
    request: {
      kind: isHeld ? kindOf(toolName, input) : "other",
      title: title || `Allow tool: ${toolName}`,
      body: isHeld ? (subjectOf(input) ?? title) : title,
      toolName: isHeld ? toolName : null,
      options,
      expiresAt: null,
    },
  };
};
