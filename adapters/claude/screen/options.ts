// The selector of a dialog: its options with the keys that choose them. A digit alone chooses (recorded 2.1.329). Options
// without digits are chosen by moving the mark and Enter; each move is seen before the next key, because Enter on another option
// of the trust dialog leaves the agent.
import { MAX_OPTIONS, type PromptRequest } from "../../../core/model/request.ts";
import { oneLine } from "../../common/payload.ts";
import { indentOf, isBlank, movesTo } from "../../common/screenText.ts";

type Option = PromptRequest["options"][number];

export interface Selector {
  options: Option[];
  /** Index of the first option's line. */
  start: number;
  /** Index after the last option's line. */
  end: number;
}

const NUMBERED = /^\s{0,3}(❯\s?)?\s*(\d{1,2})\. +(\S.*)$/;
/** The chosen line of a dialog stands in column 0 or 1; quoted dialogs are indented further. */
const SELECTED = /^ ?❯ ?(\d{1,2}\. )?\S/;
const CHECKBOX = /^\[.\] /;
const HINT = / · (auto mode handles|\().*$/;

const labelOf = (text: string): string => oneLine(text.replace(HINT, "").replace(CHECKBOX, ""));

const isOptionLine = (line: string): boolean => NUMBERED.test(line);

/** A wrapped option continues under its text, which no option of a recorded dialog reaches with less than five columns. */
const continues = (line: string): boolean => indentOf(line) >= 5 && !isOptionLine(line);

/** Reads upwards from `end`; null when no option there is selected in a dialog's column. Options may have rules and descriptions between. */
export const readNumbered = (
  lines: readonly string[],
  end: number,
  joinWrapped: boolean,
): Selector | null => {
  const options: Option[] = [];
  let last = -1;
  let expected: number | null = null;
  let start = end;
  let isSelectedSeen = false;
  let wrapped: string[] = [];
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const match = NUMBERED.exec(line);
    if (match === null) {
      if (!isBlank(line) && !continues(line) && !/^─+$/.test(line.trim())) break;
      if (continues(line)) wrapped.unshift(line);
      continue;
    }
    const number = Number(match[2]);
    if (expected !== null && number !== expected) break;
    if (last < 0) last = index;
    isSelectedSeen ||= SELECTED.test(line);
    const text = joinWrapped ? [match[3], ...wrapped.map((part) => part.trim())].join(" ") : (match[3] ?? "");
    // With a checkbox the digit toggles instead of choosing.
    const isChoice = number <= 9 && !CHECKBOX.test(text);
    const description = joinWrapped ? "" : oneLine(wrapped.join(" "));
    options.unshift({
      label: labelOf(text),
      keys: isChoice ? [String(number)] : null,
      ...(description === "" ? {} : { description }),
    });
    wrapped = [];
    start = index;
    expected = number - 1;
    if (number === 1) break;
  }
  return isSelectedSeen && expected === 0 && options.length <= MAX_OPTIONS
    ? { options, start, end: last + 1 }
    : null;
};

/** Options without digits: adjoining lines, one of which is selected. */
export const readPlain = (lines: readonly string[], end: number): Selector | null => {
  let bottom = end;
  while (bottom > 0 && isBlank(lines[bottom - 1] ?? "")) bottom -= 1;
  let start = bottom;
  while (start > 0 && !isBlank(lines[start - 1] ?? "")) start -= 1;
  const block = lines.slice(start, bottom);
  if (block.length < 2 || block.length > MAX_OPTIONS) return null;
  if (block.filter((line) => SELECTED.test(line)).length !== 1) return null;
  const selected = block.findIndex((line) => SELECTED.test(line));
  const options = block.map((line, index) => ({
    label: labelOf(line.replace("❯", " ").trim()),
    keys: movesTo(index, selected),
  }));
  return { options, start, end: bottom };
};
