// The selector of a dialog: numbered options, of which the highlighted one bears `›`. Options continue on deeper indented
// lines. Which keys choose them depends on the dialog, so the caller says. Source: frames recorded with 0.169.0.
import { MAX_OPTIONS, type PromptRequest } from "../../../core/model/request.ts";
import { oneLine } from "../../common/payload.ts";
import { indentOf, isBlank } from "./layout.ts";

type Option = PromptRequest["options"][number];

export interface Selector {
  labels: string[];
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
const DESCRIPTION = /\s{2,}\S.*$/;

/** Reads upwards from `end`; null without an unbroken numbering from 1 or with not exactly one option highlighted. */
export const readSelector = (lines: readonly string[], end: number): Selector | null => {
  const labels: string[] = [];
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
    const text = [
      (match[4] ?? "").replace(DESCRIPTION, ""),
      ...(DESCRIPTION.test(match[4] ?? "") ? [] : wrapped),
    ];
    labels.unshift(oneLine(text.join(" ").replace(SHORTCUT, "")));
    wrapped = [];
    expected = number - 1;
    if (number === 1)
      return highlighted === null || labels.length > MAX_OPTIONS
        ? null
        : { labels, selected: highlighted.number - 1, start: index, column: highlighted.column };
  }
  return null;
};

/** Approvals: the digit alone chooses (recorded for 1 and 3). */
export const byDigit = ({ labels }: Selector): Option[] =>
  labels.map((label, index) => ({ label, keys: index < 9 ? [String(index + 1)] : null }));

/** Other dialogs: from the highlighted option to the wanted one, then Enter, as their footers say. */
export const byMoving = ({ labels, selected }: Selector): Option[] =>
  labels.map((label, index) => ({
    label,
    keys: [...Array<string>(Math.abs(index - selected)).fill(index < selected ? "Up" : "Down"), "Enter"],
  }));
