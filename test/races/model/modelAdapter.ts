// The adapter of the model's agent, and its prompts. Which keys mean what, and what is in sight, is read from the screen, as
// real adapters do.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { AgentAdapter, Reading } from "../../../core/ports/agentAdapter.ts";
import { DIALOG_FOOTER, IDLE_FOOTER, WORKING_ROW, type DialogStyle } from "./tmuxModel.ts";

const TITLES = {
  digits: "Allow this command?",
  arrows: "Run this command?",
  text: "What should it be?",
} as const;
const EDIT_TITLE = "Make this edit?";
const LABELS = ["Yes", "Yes, and do not ask again", "No, and tell it what to do instead"];
const ROLES = ["approve", "approve_always", "deny"] as const;
/** The drawn rows have no wrap. */
const COLUMNS = 90;

const keysOf = (style: DialogStyle, index: number, selected: number): string[] => {
  if (style === "digits") return index === 2 ? ["Escape"] : [String(index + 1)];
  const moves = Array.from({ length: Math.abs(index - selected) }, () => (index > selected ? "Down" : "Up"));
  return [...moves, "Enter"];
};

const optionsOf = (style: DialogStyle, selected: number): PromptRequest["options"] =>
  style === "text"
    ? []
    : LABELS.map((label, index) => ({
        label,
        keys: keysOf(style, index, selected),
        role: ROLES[index] ?? null,
      }));

/** All that is asked. `detail` tells prompts apart. */
export const requestFor = (style: DialogStyle, detail: string, isEdit = false): PromptRequest => ({
  kind: isEdit ? "edit" : style === "text" ? "question" : "command",
  title: isEdit ? EDIT_TITLE : TITLES[style],
  body: detail,
  isWhole: true,
  toolName: null,
  options: optionsOf(style, 0),
  expiresAt: null,
  ...(style === "text" ? { textEntry: [] } : {}),
});

const reading = (
  status: Reading["status"],
  matched: string,
  request: PromptRequest | null,
  dialogTop?: number,
): Reading => ({
  status,
  confidence: "high",
  matched,
  request,
  isSteady: false,
  ...(dialogTop === undefined ? {} : { dialogTop }),
});

const OPTION = /^[❯ ] (\d\. )?(Yes|No)\b/;

/** The dialog that ends the screen: from its title, or from the top of the screen where that is out of sight. */
const readDialog = (lines: readonly string[]): Reading => {
  const above = lines.slice(0, -1);
  const firstOption = above.findLastIndex(
    (line, index) => OPTION.test(line) && !OPTION.test(above[index - 1] ?? ""),
  );
  const isText = above.at(-1)?.startsWith("> ") === true;
  const end = isText ? above.length - 1 : firstOption;
  const titles: readonly string[] = [...Object.values(TITLES), EDIT_TITLE];
  const title = lines.slice(0, end).findLastIndex((line) => titles.includes(line));
  const body = lines.slice(title + 1, end).map((line) => line.slice(2));
  const isDigits = /^[❯ ] 1\. /.test(lines[end] ?? "");
  const style = isText ? "text" : isDigits ? "digits" : "arrows";
  const selected = lines.slice(end).findIndex((line) => line.startsWith("❯"));
  const known = requestFor(style, body.join("\n"), lines[title] === EDIT_TITLE);
  const request: PromptRequest = {
    ...known,
    kind: title >= 0 || isText ? known.kind : "other",
    title: lines[title] ?? "",
    options: optionsOf(style, selected),
    isWhole: title >= 0,
    columns: COLUMNS,
  };
  const status: Reading["status"] = isText
    ? { state: "waiting_input", reasonCode: "question" }
    : { state: "waiting_approval", reasonCode: "permission_tool" };
  return reading(status, DIALOG_FOOTER, request, Math.max(title, 0));
};

const readScreen = (lines: readonly string[]): Reading | null => {
  if (lines.at(-1) === DIALOG_FOOTER) return readDialog(lines);
  if (lines.includes(WORKING_ROW))
    return reading({ state: "running", reasonCode: "thinking" }, WORKING_ROW, null);
  return lines.includes(IDLE_FOOTER)
    ? reading({ state: "idle", reasonCode: "fresh" }, IDLE_FOOTER, null)
    : null;
};

/** What actions use of an adapter. */
export const modelAdapter = {
  agentType: "model",
  displayName: "Model",
  eventsMayNameOtherPanes: false,
  capabilities: { event_driven: true, verified: true },
  integration: {},
  interruptKeys: [["Escape"], ["Escape"]],
  readScreen: ({ lines }: { lines: readonly string[] }) => readScreen(lines),
  readDraft: ({ lines }: { lines: readonly string[] }) =>
    lines.at(-1) === IDLE_FOOTER ? (lines.at(-3)?.slice(2).trim() ?? null) : null,
} as unknown as AgentAdapter;

/** The same without the check of what stands in the input box. */
export const draftlessAdapter: AgentAdapter = { ...modelAdapter, readDraft: () => "" };

/** What the agent's dialog shows on a screen of these rows, or null. */
export const seenOn = (lines: readonly string[]): PromptRequest | null => {
  const seen = readScreen(lines);
  return seen?.request ?? null;
};
