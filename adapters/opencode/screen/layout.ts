// The parts of an opencode screen: blocks with a bar at their left edge (prompts, tools, errors, dialogs), the input box
// with its lower edge, and the footer below; a side bar in wide panes. Geometry only. Source: frames recorded with 1.18.33.
import { indentOf, isBlank } from "../../common/screenText.ts";

export interface InputBox {
  /** Index of its first row, and of its lower edge. */
  start: number;
  end: number;
  /** Lines above the box, blanks kept, the box's own left out. */
  above: readonly string[];
  /** Lines inside the box without their bar. */
  inside: readonly string[];
  /** The first line with text below the box's edge. */
  footer: string;
}

const EDGE = /^\s*╹▀{12,}/;
const BAR = /^\s*┃/;
/** The bar of the conversation's blocks. A notice that lies over the right half of the screen has bars too. */
const OWN_BAR = /^\s{0,3}┃/;
const NOTICE = /\s*┃[^┃]*┃$/;
/** Its text begins two columns further to the right. */
const SIDE_BAR_COLUMNS = 42;
const SIDE_BAR_END = /^ {2}• OpenCode \d/;
const MAX_FOOTER_LINES = 4;

export interface MainColumn {
  lines: string[];
  width: number;
}

/** Without the side bar, which the name of the program ends: in the last row nothing else stands so far to the right. */
export const withoutSideBar = (lines: string[], width: number): MainColumn => {
  const end = width - SIDE_BAR_COLUMNS;
  if (end < 1 || !SIDE_BAR_END.test((lines.at(-1) ?? "").slice(end))) return { lines, width };
  return { lines: lines.map((line) => line.slice(0, end).trimEnd()), width: end };
};

/** A row of the conversation without what a notice lays over it. */
const withoutNotice = (line: string): string => {
  const notice = NOTICE.exec(line);
  return notice === null || OWN_BAR.test(notice[0]) ? line : line.slice(0, notice.index);
};

export const isBarred = (line: string): boolean => BAR.test(line);
export const withoutBar = (line: string): string => line.replace(BAR, "");

/** Null where no input box with its footer ends the screen: dialogs replace it. */
export const findInputBox = (lines: readonly string[]): InputBox | null => {
  const edge = lines.findLastIndex((line) => EDGE.test(line));
  if (edge < 1) return null;
  const below = lines.slice(edge + 1).filter((line) => !isBlank(line));
  if (below.length === 0 || below.length > MAX_FOOTER_LINES) return null;
  const column = indentOf(lines[edge] ?? "");
  let top = edge;
  while (top > 0 && isBarred(lines[top - 1] ?? "") && indentOf(lines[top - 1] ?? "") === column) top -= 1;
  if (top === edge) return null;
  return {
    start: top,
    end: edge,
    above: lines.slice(0, top).map(withoutNotice),
    inside: lines.slice(top, edge).map(withoutBar),
    footer: below[0] ?? "",
  };
};

/** The barred block that ends the screen, without its bars; null where something else does. */
export const lastBlock = (lines: readonly string[]): readonly string[] | null => {
  let top = lines.length;
  while (top > 0 && isBarred(lines[top - 1] ?? "")) top -= 1;
  return top === lines.length ? null : lines.slice(top).map(withoutBar);
};

/** Blocks of adjoining lines, barred and plain ones apart, top to bottom. */
export const blocksOf = (lines: readonly string[]): { isBarred: boolean; lines: string[] }[] => {
  const blocks: { isBarred: boolean; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (isBlank(line)) {
      isOpen = false;
      continue;
    }
    const barred = OWN_BAR.test(line);
    const last = blocks.at(-1);
    if (isOpen && last !== undefined && last.isBarred === barred) last.lines.push(line);
    else blocks.push({ isBarred: barred, lines: [line] });
    isOpen = true;
  }
  return blocks;
};
