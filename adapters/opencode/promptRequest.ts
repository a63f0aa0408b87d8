// What opencode's permission and question events ask, in structured form. Options and their keys as recorded (1.18.33):
// a permission opens with "Allow once" chosen, a question with its first answer.
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import type { Status } from "../../core/model/state.ts";
import { asPayload, boundedText, listOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import type { Ask } from "../common/signals.ts";

/**
 * Left and right move, Enter confirms, Escape refuses. Which keys choose depends on what is chosen now: an event says
 * nothing of it.
 */
export const PERMISSION_OPTIONS: PromptRequest["options"] = [
  { label: "Allow once", keys: null, role: "approve" },
  { label: "Allow always", keys: null, role: "approve_always" },
  { label: "Reject", keys: ["Escape"], role: "deny" },
];

const permission = (fields: Pick<PromptRequest, "kind" | "title" | "body" | "toolName">): PromptRequest => ({
  ...fields,
  options: PERMISSION_OPTIONS,
  expiresAt: null,
});

export const isEditPermission = (name: string): boolean => /^(edit|write|patch|multiedit)$/.test(name);

export const permissionAsk = (payload: Payload): Ask => {
  const name = oneLine(textOf(payload, "permission") ?? "", 200);
  const metadata = asPayload(payload["metadata"]) ?? {};
  const patterns = listOf(payload, "patterns").filter((item) => typeof item === "string");
  const command = textOf(metadata, "command");
  const file = textOf(metadata, "filepath") ?? (isEditPermission(name) ? (patterns[0] ?? null) : null);
  const toolName = name === "" ? null : name;
  const status: Status = {
    state: "waiting_approval",
    reasonCode: isEditPermission(name) ? "permission_edit" : "permission_tool",
  };
  if (isEditPermission(name))
    return {
      status,
      request: permission({
        kind: "edit",
        title: oneLine(file === null ? "Edit" : `Edit ${file}`),
        body: file === null ? null : boundedText(file),
        toolName,
      }),
    };
  if (command !== null)
    return {
      status,
      request: permission({
        kind: "command",
        title: "Shell command",
        body: boundedText(command),
        toolName,
      }),
    };
  return {
    status,
    request: permission({
      kind: "tool",
      title: name === "" ? "Permission required" : `Use ${name}`,
      body: patterns.length === 0 ? null : boundedText(patterns.join("\n")),
      toolName,
    }),
  };
};

/** Down moves, Enter chooses: as the dialog's own footer says. Several questions or answers need more keys. */
const answerKeys = (index: number): string[] => [...Array<string>(index).fill("Down"), "Enter"];

export const questionAsk = (payload: Payload): Ask => {
  const questions = listOf(payload, "questions")
    .map(asPayload)
    .filter((item) => item !== null);
  const [first] = questions;
  const texts = questions.flatMap((question) => textOf(question, "question") ?? []);
  const isSingle = questions.length === 1 && first?.["multiple"] !== true;
  const labels = (first === undefined ? [] : listOf(first, "options"))
    .slice(0, MAX_OPTIONS)
    .flatMap((option) => textOf(asPayload(option) ?? {}, "label") ?? []);
  return {
    status: { state: "waiting_input", reasonCode: "question" },
    request: {
      kind: "question",
      title: oneLine(texts[0] ?? "") || "opencode asks a question",
      body: texts.length === 0 ? null : boundedText(texts.join("\n")),
      toolName: "question",
      options: labels.map((label, index) => ({
        label: oneLine(label),
        keys: isSingle ? answerKeys(index) : null,
      })),
      expiresAt: null,
    },
  };
};
