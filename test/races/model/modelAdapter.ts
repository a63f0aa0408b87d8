// The adapter of the model's agent, and its prompts. Which keys mean what is read from the screen, as real adapters do.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { AgentAdapter, Reading } from "../../../core/ports/agentAdapter.ts";
import { DIALOG_FOOTER, DIALOG_STYLES, IDLE_FOOTER, WORKING_ROW, type DialogStyle } from "./tmuxModel.ts";

const TITLES = {
  digits: "Allow this command?",
  arrows: "Run this command?",
  text: "What should it be?",
} as const;
const LABELS = ["Yes", "Yes, and do not ask again", "No, and tell it what to do instead"];
const ROLES = ["approve", "approve_always", "deny"] as const;

const keysOf = (style: DialogStyle, index: number, selected: number): string[] => {
  if (style === "digits") return index === 2 ? ["Escape"] : [String(index + 1)];
  const moves = Array.from({ length: Math.abs(index - selected) }, () => (index > selected ? "Down" : "Up"));
  return [...moves, "Enter"];
};

/** `detail` tells prompts apart on the screen. */
export const requestFor = (style: DialogStyle, detail: string, selected: number): PromptRequest => ({
  kind: style === "text" ? "question" : "command",
  title: TITLES[style],
  body: detail,
  toolName: null,
  options:
    style === "text"
      ? []
      : LABELS.map((label, index) => ({
          label,
          keys: keysOf(style, index, selected),
          role: ROLES[index] ?? null,
        })),
  expiresAt: null,
  ...(style === "text" ? { textEntry: [] } : {}),
});

const reading = (status: Reading["status"], matched: string, request: PromptRequest | null): Reading => ({
  status,
  confidence: "high",
  matched,
  request,
  isSteady: false,
});

const readScreen = (lines: readonly string[]): Reading | null => {
  if (lines.includes(DIALOG_FOOTER)) {
    const style = DIALOG_STYLES.find((one) => TITLES[one] === lines[0]);
    if (style === undefined) return null;
    const selected = lines.slice(2).findIndex((line) => line.startsWith("❯"));
    const request = requestFor(style, lines[1]?.trim() ?? "", selected);
    return style === "text"
      ? reading({ state: "waiting_input", reasonCode: "question" }, DIALOG_FOOTER, request)
      : reading({ state: "waiting_approval", reasonCode: "permission_tool" }, DIALOG_FOOTER, request);
  }
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
  interruptKeys: [["Escape"], ["Escape"]],
  readScreen: ({ lines }: { lines: readonly string[] }) => readScreen(lines),
} as unknown as AgentAdapter;
