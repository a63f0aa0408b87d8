// A list of options of which one is marked, as dialogs of several agents draw it. Which keys choose an option is each
// adapter's own business.
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import { oneLine } from "./payload.ts";
import { indentOf, isBlank, joined } from "./screenText.ts";

type Option = PromptRequest["options"][number];

export interface Selector {
  labels: readonly string[];
  /** What stands below each option, where labels are not wrapped. */
  descriptions?: readonly string[];
  /** Index of the marked option. */
  marked: number;
  /** Index of the first option's line, and the one after the last option's. */
  start: number;
  end: number;
}

export interface SelectorForm {
  /** Sign in front of the marked option. */
  mark: string;
  /** Columns of the options' numbers or labels, at most: quoted lists are indented further. */
  maxIndent: number;
  /** Wrapped labels are joined; else what is indented below an option is its description. */
  isWrapped: boolean;
}

const NUMBERED = /^(\d{1,2})\.\s+(\S.*)$/;

/** Numbered options, read upwards from `end`; null unless they count from 1 and exactly one is marked. */
export const readNumberedOptions = (
  lines: readonly string[],
  end: number,
  { mark, maxIndent, isWrapped }: SelectorForm,
): Selector | null => {
  const labels: string[] = [];
  const descriptions: string[] = [];
  let marked = -1;
  let expected: number | null = null;
  let last = -1;
  let rest: string[] = [];
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const isMarked = line.trimStart().startsWith(mark);
    const text = isMarked ? line.replace(mark, " ") : line;
    const match = indentOf(text) <= maxIndent ? NUMBERED.exec(text.trimStart()) : null;
    if (match === null) {
      // What stands above a gap belongs to no option below it.
      if (isBlank(line) && rest.length > 0) return null;
      if (!isBlank(line)) rest.unshift(line.trim());
      continue;
    }
    const number = Number(match[1]);
    if (expected !== null && number !== expected) return null;
    if (last < 0) last = index;
    labels.unshift(oneLine([match[2] ?? "", ...(isWrapped ? rest : [])].join(" ")));
    descriptions.unshift(isWrapped ? "" : oneLine(rest.join(" ")));
    if (isMarked) {
      if (marked >= 0) return null;
      marked = number - 1;
    }
    rest = [];
    expected = number - 1;
    if (number === 1)
      return marked < 0 ? null : { labels, descriptions, marked, start: index, end: last + 1 };
  }
  return null;
};

/** Options without numbers: adjoining lines above `end`, exactly one of them marked. */
export const readPlainOptions = (
  lines: readonly string[],
  end: number,
  { mark, maxIndent }: SelectorForm,
): Selector | null => {
  const bottom = lines.slice(0, end).findLastIndex((line) => !isBlank(line)) + 1;
  const options: { label: string; isMarked: boolean }[] = [];
  for (const line of lines.slice(0, bottom).toReversed()) {
    const isMarked = line.trimStart().startsWith(mark);
    const text = isMarked ? line.replace(mark, " ") : line;
    // A title in the labels' own row ends the list; labels stand behind the room for the mark.
    if (isBlank(line) || indentOf(text) < indentOf(line) || indentOf(text) > maxIndent) break;
    if (!isMarked && indentOf(text) < 2) break;
    options.unshift({ label: oneLine(text), isMarked });
  }
  if (options.length < 2 || options.filter(({ isMarked }) => isMarked).length !== 1) return null;
  return {
    labels: options.map(({ label }) => label),
    marked: options.findIndex(({ isMarked }) => isMarked),
    start: bottom - options.length,
    end: bottom,
  };
};

/** The line that says how to choose, at the end of a dialog; it may be wrapped. `end`: index of its first line. */
export const splitFooter = (content: readonly string[]): { footer: string; end: number } => {
  const last = content.findLastIndex((line) => !isBlank(line));
  let start = last;
  while (start > 0 && last - start < 3 && !isBlank(content[start - 1] ?? "")) start -= 1;
  const footer = joined(content.slice(Math.max(start, 0), last + 1));
  const isFooter = /^(enter|esc|↑\/↓) /i.test(footer);
  return isFooter ? { footer, end: start } : { footer: "", end: content.length };
};

export const optionsOf = (
  selector: Selector,
  keysOf: (index: number, label: string) => string[] | null,
): Option[] =>
  selector.labels.slice(0, MAX_OPTIONS).map((label, index) => {
    const description = selector.descriptions?.[index] ?? "";
    return { label, keys: keysOf(index, label), ...(description === "" ? {} : { description }) };
  });
