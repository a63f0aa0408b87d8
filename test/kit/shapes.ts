// What a screen rule could look for: words of one row as a pattern, with what is different every time left open. Everything in a
// pattern stands in a recording; nothing here knows an agent.
import type { Recording } from "../../adapters/testkit/recordings.ts";
import { MAX_RULE_LINES } from "../../adapters/declarative/schema.ts";

/** Columns of a row that rules see. */
const MAX_COLUMNS = 400;
const MAX_WORDS = 6;
/** Letters that a pattern needs to be told from chance. */
const MIN_LETTERS = 6;
/** The same where a sign stands before them at the row's begin. */
const MIN_LETTERS_BEHIND_SIGN = 2;

/** What the driver makes the agent say and do: it stands in recordings and proves nothing. */
const DRIVERS =
  /\b(?:live[-_ ]|SAY|SLOW|THINK|RUN|WRITE|EDIT|ASK|PLAN|TASK|FAIL|n\d+\b|word\d|touch|tail -f|hello|recovered|lab\b|Red\b|Blue\b|colou?r|devbox|dev\b|project\b|fake-?model|Which |DONE )/i;
const FRAME = /[\u2500-\u257f\u2580-\u259f]/;
const ONLY_FRAME = /^[\u2500-\u257f\u2580-\u259f]+$/;

/** The rows that a rule sees: the last ones with text. */
export const rowsOf = ({ text }: Pick<Recording, "text">): string[] => {
  const rows = text.split("\n").map((row) => row.slice(0, MAX_COLUMNS).trimEnd());
  const end = rows.findLastIndex((row) => row !== "") + 1;
  return rows.slice(Math.max(0, end - MAX_RULE_LINES), end);
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Blanks of any number and any number for a number; a rule or frame of any length. */
export const toPattern = (text: string): string =>
  escaped(text)
    .replaceAll(/(?<char>[\u2500-\u259f])\k<char>{2,}/gu, "$<char>{3,}")
    .replaceAll(/\d+/g, "\\d+")
    .replaceAll(/ +/g, " +");

export interface Shape {
  pattern: string;
  /** It begins the row. */
  isAnchored: boolean;
  letters: number;
}

const lettersIn = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;

/** Words with their places in the row. */
const wordsOf = (row: string): { text: string; at: number }[] =>
  [...row.matchAll(/\S+/g)].map((match) => ({ text: match[0], at: match.index }));

const isTelling = (text: string, isAnchored: boolean): boolean => {
  const letters = lettersIn(text);
  const hasSign = isAnchored && /^[^\p{L}\p{N}\s"'`(]/u.test(text);
  return letters >= (hasSign ? MIN_LETTERS_BEHIND_SIGN : MIN_LETTERS) && !DRIVERS.test(text);
};

/** Every run of up to six words of the row that could tell a state. */
export const shapesOf = (row: string): Shape[] => {
  const words = wordsOf(row);
  return words.flatMap((first, begin) =>
    words.slice(begin, begin + MAX_WORDS).flatMap((last) => {
      const text = row.slice(first.at, last.at + last.text.length);
      // What begins or ends with a frame inside of the row is another row's in a pane of another width.
      if (begin > 0 && FRAME.test(first.text)) return [];
      if (last !== first && ONLY_FRAME.test(last.text)) return [];
      const isAnchored = begin === 0;
      if (!isTelling(text, isAnchored)) return [];
      return [
        { pattern: `${isAnchored ? "^ *" : ""}${toPattern(text)}`, isAnchored, letters: lettersIn(text) },
      ];
    }),
  );
};

/** A numbered option with its mark: the mark, the number and the label. */
const OPTION = /^[\s\u2502\u2503|]*([^\s\w\u2500-\u259f]?)\s*(\d{1,2})([.)])\s+\S/u;

export interface Options {
  /** In the rule format: groups `key` and `label`. */
  pattern: string;
  /** How many rows above the screen's end the first one stands, 1 for the last row. */
  rows: number;
}

/** The numbered list of options nearest to the end, counted from 1; null: there is none. */
export const optionsIn = (rows: readonly string[]): Options | null => {
  let expected: number | null = null;
  let marks = "";
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const [, mark = "", number, separator = "."] = OPTION.exec(rows[index] ?? "") ?? [];
    if (number === undefined || (expected !== null && Number(number) !== expected)) continue;
    if (!marks.includes(mark)) marks += mark;
    expected = Number(number) - 1;
    if (expected > 0) continue;
    const isFramed = /^\s*[\u2502\u2503]/.test(rows[index] ?? "");
    const before = `^ *${isFramed ? "[│┃]? *" : ""}${marks === "" ? "" : `[${escaped(marks)}]? *`}`;
    const after = isFramed ? " *[│┃]?$" : "$";
    const pattern = `${before}(?<key>\\d+)${escaped(separator)} +(?<label>\\S.*?)${after}`;
    return { pattern, rows: rows.length - index };
  }
  return null;
};
