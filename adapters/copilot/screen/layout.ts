// The parts of Copilot CLI's screen: the input box between two rules with its footer, and the conversation above it. Its
// lines stand one column in and may have a scroll bar at the right edge. Source: frames recorded with 1.0.102.
import { isBlank, joined } from "../../common/screenText.ts";

export interface InputBox {
  footer: string;
  /** Lines since the last prompt, or all of them. */
  turn: readonly string[];
  hasPrompt: boolean;
}

const RULE = /^─{8,}$/;
const PROMPT_SIGN = /^[❯!>]( |$)/;
/** A prompt in the conversation; quotes are indented further. */
const OLD_PROMPT = /^ ❯ /;
const SCROLL_BAR = /\s*┃$/;
const MAX_FOOTER_LINES = 3;

export const isRule = (line: string): boolean => RULE.test(line);

/** Null when no input box with a short footer is at the bottom: dialogs replace it. */
export const findInputBox = (lines: readonly string[]): InputBox | null => {
  const lower = lines.findLastIndex(isRule);
  if (lower < 2) return null;
  const upper = lines.slice(0, lower).findLastIndex(isRule);
  if (upper < 0 || upper + 1 === lower || !PROMPT_SIGN.test(lines[upper + 1] ?? "")) return null;
  const footer = lines.slice(lower + 1).filter((line) => !isBlank(line));
  if (footer.length === 0 || footer.length > MAX_FOOTER_LINES) return null;
  // Directly above the box stands the working folder.
  const above = lines.slice(0, Math.max(upper - 1, 0)).map((line) => line.replace(SCROLL_BAR, ""));
  const prompt = above.findLastIndex((line) => OLD_PROMPT.test(line));
  return {
    footer: joined(footer),
    turn: above.slice(prompt + 1).filter((line) => !isBlank(line)),
    hasPrompt: prompt >= 0,
  };
};
