// The selector of a dialog: numbered options, of which the highlighted one bears `›`. Options continue on deeper indented
// lines. Which keys choose them depends on the dialog, so the caller says. Source: frames recorded with 0.169.0.
import { MAX_OPTIONS, type PromptRequest } from "../../../core/model/request.ts";
import { indentOf, isBlank, movesTo } from "../../common/screenText.ts";

type Option = PromptRequest["options"][number];

export interface Selector {
  /** Each option's rows behind its number, as they are drawn. */
  rows: string[][];
  /** What stands in the first column, and what a second one says of it; empty where there is none. */
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
const DESCRIPTION = /\s{2,}(\S.*)$/;

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
    const description = DESCRIPTION.exec(first)?.[1];
    const label = [first.replace(DESCRIPTION, ""), ...(description === undefined ? wrapped : [])];
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
