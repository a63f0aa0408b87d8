// The text of a permission, row by row, by its place: below the rule under the heading, in a box of its own directly above the
// question, or, of an edit, path and numbered lines. Nothing is left out for what it says. Source: dialogs recorded with
// 1.0.102 at 120, 80 and 60 columns (commands, changed and new files, addresses, paths, a server's tool). What stands behind a
// carriage return in a line is not drawn, so that the dialog alone does not prove what would run or be written.
import { readDrawnLines } from "../../common/drawnLines.ts";
import { frameAtBottom, withoutBlankEnds } from "../../common/frames.ts";
import { isBlank, joined } from "../../common/screenText.ts";
import { tellsSame } from "../../common/toldText.ts";
import { isRule } from "./layout.ts";

/** Columns of the frames, and of the blank behind a word, which is wrapped with it. */
const BOX_COLUMNS = 9;
const LINE_COLUMNS = 5;

export const columnsOf = (width: number): number => Math.max(1, width - BOX_COLUMNS);

const unframed = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/^ /, ""));

/** Where the agent's heading ends and what is asked begins; null where the rule between them is out of sight. */
const splitHeading = (lines: readonly string[]): { heading: string; rest: readonly string[] } | null => {
  const rule = lines.findIndex((line) => isRule(line.trim()));
  return rule < 0 ? null : { heading: joined(lines.slice(0, rule)), rest: lines.slice(rule + 1) };
};

export interface BoxedText {
  rows: readonly string[];
  /** All rows of the box are in sight, and its heading. */
  isWhole: boolean;
  /** Its upper edge is out of sight, and rows below it may be. */
  isEnd: boolean;
  heading: string;
  /** The agent's own words between heading and box; empty where it says nothing. */
  intro: string;
}

/** `lines`: of the dialog above its question. `hasTop`: its upper edge is in sight. Null without a box there. */
export const boxedTextOf = (lines: readonly string[], hasTop: boolean): BoxedText | null => {
  const end = lines.findLastIndex((line) => !isBlank(line)) + 1;
  const frame = frameAtBottom(lines.slice(0, end));
  if (frame === null) return null;
  // A heading has as many rows as the model gives it, also such as look like a rule and a box.
  const above = hasTop && frame.hasTop ? splitHeading(lines.slice(0, frame.start)) : null;
  return {
    rows: unframed(frame.content),
    isWhole: above !== null,
    isEnd: !frame.hasTop,
    heading: above?.heading ?? "",
    intro: above === null ? "" : joined(above.rest.filter((line) => !isBlank(line) && !isRule(line.trim()))),
  };
};

/** Trailing blanks are not drawn: an empty line ends after its number or its sign. */
const LINE = /^( *\d+(?: ([ +-])(?: \u00a0\u00a0|$)|$))/;
const NAME = /^(\S.*) \+\d+ -\d+$/;
const QUESTION = /^Do you want to \w+ (\S.*)\?$/;

export interface DrawnEdit {
  path: string | null;
  content: string | null;
  columns: number;
}

/** The path as the question names it, where it has one row: a broken one may have lost a blank. */
const pathIn = (question: readonly string[]): string | null =>
  question.length === 1 ? (QUESTION.exec((question[0] ?? "").trim())?.[1] ?? null) : null;

/** `question`: its rows. `width`: of the pane. */
export const editOf = (
  lines: readonly string[],
  question: readonly string[],
  { hasTop, width }: { hasTop: boolean; width: number },
): DrawnEdit => {
  const boxed = boxedTextOf(lines, hasTop);
  const rows = boxed?.rows ?? unframed(withoutBlankEnds(splitHeading(lines)?.rest ?? lines));
  const [name = "", folder = ""] = rows;
  const file = NAME.exec(name)?.[1];
  const hasName = boxed === null && hasTop && file !== undefined && rows[2] === "";
  // Above the first line stand its name and folder, or what is left of them.
  const first = rows.findIndex((row) => LINE.test(row));
  const drawn = withoutBlankEnds(boxed === null && first > 0 ? rows.slice(first) : rows);
  const { content, gutter } = readDrawnLines(drawn, LINE, " ");
  const path = pathIn(question) ?? (hasName ? `${folder}/${file}` : null);
  return {
    path,
    content: drawn.length === 0 ? null : content,
    columns: Math.max(1, width - LINE_COLUMNS - gutter),
  };
};

const WAITING = /^Permission request \(\d+ remaining\)$/;
const SCROLL_BAR = /\s*┃$/;
const CUT = /…$/;

/** Whether the conversation tells the same command: in one row, the last above the dialog. */
export const isToldAlike = (rows: readonly string[], above: readonly string[]): boolean => {
  const told = above
    .map((line) => line.replace(SCROLL_BAR, ""))
    .findLast((line) => !isBlank(line) && !WAITING.test(line));
  return told !== undefined && /^ {3}\S/.test(told) && !CUT.test(told) && tellsSame([told], rows);
};
