// Boxes that agents draw around dialogs and tools: the one that ends a text, and the one inside another. Geometry only.
import { isBlank } from "./screenText.ts";

/** Without blank lines at both ends. */
export const withoutBlankEnds = (lines: readonly string[]): readonly string[] => {
  const first = lines.findIndex((line) => !isBlank(line));
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => !isBlank(line)) + 1);
};

const FRAME_TOP = /^\s?╭─+╮$/;
const FRAME_BOTTOM = /^\s?╰─+╯$/;

export interface Frame {
  /** What stands between the vertical lines, their padding kept. */
  content: readonly string[];
  /** Index on the screen of its upper edge, else of its first line in sight. */
  start: number;
  /** False where its top has scrolled out of sight. */
  hasTop: boolean;
}

/** Inside of a framed line, or null. */
const insideOf = (line: string): string | null => /^\s?│(.*)│$/.exec(line)?.[1]?.trimEnd() ?? null;

/** The frame that ends in the last of `lines`; frames inside it are part of its content. Null where that line ends none. */
export const frameAtBottom = (lines: readonly string[]): Frame | null => {
  if (!FRAME_BOTTOM.test(lines.at(-1) ?? "")) return null;
  const content: string[] = [];
  for (let index = lines.length - 2; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const inside = insideOf(line);
    if (inside === null) {
      const hasTop = FRAME_TOP.test(line);
      return hasTop ? { content: content.toReversed(), start: index, hasTop } : null;
    }
    content.push(inside);
  }
  return content.length === 0 ? null : { content: content.toReversed(), start: 0, hasTop: false };
};

/** The text of the first frame inside a frame's content, and what stands before and after it. */
export const splitInnerFrame = (
  content: readonly string[],
): { before: readonly string[]; inner: readonly string[]; after: readonly string[] } | null => {
  const start = content.findIndex((line) => FRAME_TOP.test(line));
  const end = content.findIndex((line, index) => index > start && FRAME_BOTTOM.test(line));
  if (start < 0 || end < 0) return null;
  const inner = content.slice(start + 1, end).map((line) => (insideOf(line) ?? "").replace(/^ /, ""));
  return { before: content.slice(0, start), inner, after: content.slice(end + 1) };
};
