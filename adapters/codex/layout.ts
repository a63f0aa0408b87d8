// The parts of a Codex dialog: its text, row by row by its place, and the numbered options of its selector.
import { withoutBlankEnds, tellsSame, isBlank, indentOf, movesTo } from "../common/screenText.ts";
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";

// Text: that of an approval, row by row, by its place: below the heading the agent's own fields, each a paragraph, then the
// command after its sign. No row is dropped because of what it says. Source: dialogs recorded with 0.169.0 at 120, 80 and 60
// columns. Tabs and control characters are not drawn at all, so that the dialog alone does not prove what would run.

/** The agent's own fields about a command. Other fields belong to what is asked. */
const FIELD = /^ {2}(Environment: local$|Reason: )/;
const SIGN = /^ {2}\$ /;
const REASON = /^ {2}Reason: /;
/** Stands in for rows that do not fit, directly above the options. */
const ELIDED = /^ *\[… \d+ lines\]/;
const DESTINATION = /^ {2}Destination: /;
const DESCRIPTION = /^ {2}Description: /;

const INDENT = 2;
/** Columns that stay free, left and right together. */
const FRAME_COLUMNS = 4;
/** The sign before a command's first row, in columns. */
export const COMMAND_INSET = 2;

interface DialogText {
  rows: readonly string[];
  isWhole: boolean;
  /** Rows at the end do not fit. */
  isCut: boolean;
}

export const columnsOf = (width: number): number => Math.max(1, width - FRAME_COLUMNS);

const unindented = (rows: readonly string[]): string[] => rows.map((row) => row.slice(INDENT));

/** Without the agent's fields at the beginning, each with its continuation rows. */
const belowFields = (lines: readonly string[], field: RegExp): readonly string[] => {
  let rest = withoutBlankEnds(lines);
  while (field.test(rest[0] ?? "")) {
    const end = rest.findIndex((line) => isBlank(line));
    rest = end < 0 ? [] : withoutBlankEnds(rest.slice(end));
  }
  return rest;
};

/** Without the elision mark at the end. Elsewhere such a row may be a mark or the command's own, so the text is not whole. */
const withoutMark = (rows: readonly string[]): DialogText => {
  const isCut = ELIDED.test(rows.at(-1) ?? "");
  return {
    rows: withoutBlankEnds(isCut ? rows.slice(0, -1) : rows),
    isWhole: !rows.some((row) => ELIDED.test(row)),
    isCut,
  };
};

/** What the model says of a command, in a field of its own; null where it says nothing. `lines`: between heading and options. */
export const remarkOf = (lines: readonly string[]): string | null => {
  let rest = withoutBlankEnds(lines);
  while (FIELD.test(rest[0] ?? "")) {
    const end = rest.findIndex((line) => isBlank(line));
    const own = end < 0 ? rest : rest.slice(0, end);
    if (REASON.test(own[0] ?? "")) return own.map((row) => row.replace(REASON, "").trim()).join("\n");
    rest = end < 0 ? [] : withoutBlankEnds(rest.slice(end));
  }
  return null;
};

/** `lines`: those of the dialog between heading and options. */
export const commandOf = (lines: readonly string[]): DialogText => {
  const { rows, isWhole, isCut } = withoutMark(belowFields(lines, FIELD));
  const [first = "", ...rest] = rows;
  return SIGN.test(first)
    ? { rows: [first.replace(SIGN, ""), ...unindented(rest)], isWhole, isCut }
    : { rows: unindented(rows), isWhole: false, isCut: false };
};

/** The path of an edit; the dialog draws nothing else of it. */
export const pathOf = (lines: readonly string[]): DialogText => {
  const { rows, isWhole, isCut } = withoutMark(belowFields(lines, FIELD));
  const own = rows.filter((row) => !DESCRIPTION.test(row));
  return { rows: unindented(own.map((row) => row.replace(DESTINATION, "  "))), isWhole, isCut };
};

export const otherTextOf = (lines: readonly string[]): readonly string[] =>
  unindented(withoutMark(withoutBlankEnds(lines)).rows);

const RUNNING = /^• Running (.*)$/;
const SHOW_DETAILS = /^ {4}\+ Show details$/;
const CUT = /…$/;

/** Where else the command is drawn: in the row above the dialog, and in the option that names it in back quotes. */
interface Told {
  /** The last row of the conversation that begins in column 0, and what stands between it and the dialog. */
  head: string;
  between: readonly string[];
  /** Rows of the options. */
  options: readonly (readonly string[])[];
}

const quotedIn = (rows: readonly string[]): string[] =>
  (/`([\s\S]+)`/u.exec(rows.join("\n"))?.[1] ?? "").split("\n");

/** Whether one of the other places in which the command is drawn whole shows that nothing of it was left out. */
export const isToldAlike = (rows: readonly string[], { head, between, options }: Told): boolean => {
  const row = RUNNING.exec(head)?.[1] ?? "";
  const isDirect = between.every((line) => isBlank(line) || SHOW_DETAILS.test(line));
  if (isDirect && row !== "" && !CUT.test(row) && tellsSame([row], rows)) return true;
  return options.some((option) => tellsSame(quotedIn(option), rows));
};

// Selector: numbered options, of which the highlighted one has the sign `›`. Options continue on deeper indented
// lines. Which keys choose them depends on the dialog, so the caller says. Source: frames recorded with 0.169.0.

type Option = PromptRequest["options"][number];

export interface Selector {
  /** Each option's rows behind its number, as they are drawn. */
  rows: string[][];
  /** The first column, and the second one's descriptions; empty where there is none. */
  labels: string[];
  descriptions: string[];
  /** Index of the highlighted option. */
  selected: number;
  /** Index of the first option's line. */
  start: number;
  /** Column of the `›` sign. */
  column: number;
}

const OPTION = /^(\s{0,4})(›)?\s*(\d{1,2})\. (\S.*)$/;
/** The key at a label's end, `(y)`, and the description in a second column. */
const SHORTCUT = / \([a-z]{1,5}\)$/;
const OPTION_DESCRIPTION = /\s{2,}(\S.*)$/;

/** Reads upwards from `end`; null without an unbroken numbering from 1 or with not exactly one option highlighted. */
export const readSelector = (lines: readonly string[], end: number): Selector | null => {
  const labels: string[] = [];
  const descriptions: string[] = [];
  const rows: string[][] = [];
  let expected: number | null = null;
  let wrapped: string[] = [];
  let highlighted: { number: number; column: number } | null = null;
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const match = OPTION.exec(line);
    if (match === null) {
      if (isBlank(line)) {
        if (labels.length > 0) return null;
        continue;
      }
      if (indentOf(line) < 4) return null;
      wrapped.unshift(line.trim());
      continue;
    }
    const number = Number(match[3]);
    if (expected !== null && number !== expected) return null;
    if (match[2] !== undefined) {
      if (highlighted !== null) return null;
      highlighted = { number, column: (match[1] ?? "").length };
    }
    const first = match[4] ?? "";
    const description = OPTION_DESCRIPTION.exec(first)?.[1];
    const label = [first.replace(OPTION_DESCRIPTION, ""), ...(description === undefined ? wrapped : [])];
    labels.unshift(label.join(" ").replace(SHORTCUT, ""));
    descriptions.unshift(description === undefined ? "" : [description, ...wrapped].join(" "));
    rows.unshift([first, ...wrapped]);
    wrapped = [];
    expected = number - 1;
    if (number === 1)
      return highlighted === null || labels.length > MAX_OPTIONS
        ? null
        : {
            labels,
            descriptions,
            rows,
            selected: highlighted.number - 1,
            start: index,
            column: highlighted.column,
          };
  }
  return null;
};

/** Approvals: the digit alone chooses (recorded for 1 and 3). They have no second column. */
export const byDigit = ({ rows }: Selector): Option[] =>
  rows.map((option, index) => ({
    label: option.join(" ").replace(SHORTCUT, ""),
    keys: index < 9 ? [String(index + 1)] : null,
  }));

/** Other dialogs: from the highlighted option to the wanted one, then Enter, as their footers say. */
export const byMoving = ({ labels, descriptions, selected }: Selector): Option[] =>
  labels.map((label, index) => {
    const description = descriptions[index] ?? "";
    return { label, keys: movesTo(index, selected), ...(description === "" ? {} : { description }) };
  });
