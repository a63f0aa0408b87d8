// Lines of the picker as values: pieces of text with a style, cut, padded, wrapped and put beside each other. Whatever an agent
// wrote has been made visible before; a control character that is left all the same does not reach the terminal.
import stringWidth from "string-width";
import { characters, headOf, simpleWidth } from "../render/table.ts";

/** Parameters of a terminal's style sequence (`1;33`); empty for plain text. */
export type Style = string;

export interface Span {
  readonly text: string;
  readonly style: Style;
  /** The column where it begins, whatever the terminal made of the text before it; from 0. */
  readonly column?: number;
}

export type Line = readonly Span[];

/** The terminal's own sixteen colours, which its theme makes readable on light and on dark. */
export const STYLE = {
  plain: "",
  bold: "1",
  dim: "2",
  red: "31",
  green: "32",
  yellow: "33",
  blue: "34",
  magenta: "35",
  cyan: "36",
  approval: "1;33",
  question: "1;35",
  error: "1;31",
  key: "1;36",
  mark: "7",
} as const satisfies Readonly<Record<string, Style>>;

export const span = (text: string, style: Style = STYLE.plain): Span => ({ text, style });

export const widthOf = (text: string): number => simpleWidth(text) ?? stringWidth(text);

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

const MEASURE = { width: widthOf, segments: characters };

/** At most `width` columns; what is cut off ends with an ellipsis. */
export const clip = (line: Line, width: number): Line => {
  if (lineWidth(line) <= width) return line;
  const kept: Span[] = [];
  let left = width - 1;
  for (const { text, style } of line) {
    const head = headOf(text, left, MEASURE);
    left -= widthOf(head);
    kept.push(span(head, style));
    if (head !== text) break;
  }
  return width <= 0 ? [] : [...kept, span("…", STYLE.dim)];
};

export const pad = (line: Line, width: number): Line => {
  const room = width - lineWidth(line);
  return room > 0 ? [...line, span(" ".repeat(room))] : line;
};

/** `left` is cut so that `right` stands at the right edge. */
export const spread = (left: Line, right: Line, width: number): Line => {
  const size = lineWidth(right);
  if (size === 0 || size + 4 > width) return clip(left, width);
  return [...pad(clip(left, width - size - 1), width - size), ...right];
};

/**
 * How wide a character may be drawn at most. Terminals disagree beyond ASCII, and no part of a text that is to be read whole may
 * lie behind the edge.
 */
const safeWidth = (piece: string): number => (/^[ -~]$/.test(piece) ? 1 : Math.max(2, widthOf(piece)));

/** Rows of at most `width` columns that together are the text, to the letter. Never empty. */
export const wrapWhole = (text: string, width: number): string[] =>
  text.split("\n").flatMap((line) => {
    const rows: string[] = [];
    // oxlint-disable-next-line no-control-regex -- the printable part of ASCII
    if (/^[ -~]*$/.test(line)) {
      for (let at = 0; at === 0 || at < line.length; at += width) rows.push(line.slice(at, at + width));
      return rows;
    }
    let row = "";
    let used = 0;
    for (const piece of characters(line)) {
      const size = safeWidth(piece);
      if (used + size > width && row !== "") {
        rows.push(row);
        row = "";
        used = 0;
      }
      row += piece;
      used += size;
    }
    return [...rows, row];
  });

/** Rows of at most `width` columns, in their styles. They end at a blank where one is in the second half of the row. */
export const wrapLine = (line: Line, width: number): Line[] => {
  if (lineWidth(line) <= width) return [line];
  const pieces = line.flatMap(({ text, style }) => [...characters(text)].map((piece) => span(piece, style)));
  const rows: Line[] = [];
  let row: Span[] = [];
  let used = 0;
  for (const piece of pieces) {
    const size = widthOf(piece.text);
    if (used + size > width && row.length > 0) {
      const blank = row.findLastIndex(({ text }) => text === " ") + 1;
      const kept = blank > row.length / 2 ? blank : row.length;
      rows.push(joinSpans(row.slice(0, kept)));
      row = row.slice(kept);
      used = lineWidth(row);
    }
    row.push(piece);
    used += size;
  }
  return [...rows, joinSpans(row)];
};

/** Neighbours of one style as one. */
const joinSpans = (spans: readonly Span[]): Line => {
  const joined: Span[] = [];
  for (const one of spans) {
    const last = joined.at(-1);
    if (last?.style === one.style) joined[joined.length - 1] = span(last.text + one.text, one.style);
    else joined.push(one);
  }
  return joined;
};

/** Pieces in a row, several rows where they do not fit; a piece is never divided unless it is wider than a row. */
export const flow = (pieces: readonly Line[], width: number, gap = "   "): Line[] => {
  const rows: Line[] = [];
  let row: Line = [];
  for (const piece of pieces) {
    const joined = row.length === 0 ? piece : [...row, span(gap), ...piece];
    if (row.length > 0 && lineWidth(joined) > width) {
      rows.push(row);
      row = piece;
    } else row = joined;
  }
  return row.length === 0 ? rows : [...rows, row];
};

/** A key and what it does. */
export const keyHint = (key: string, word: string): Line => [
  span(key, STYLE.key),
  span(` ${word}`, STYLE.dim),
];

/** As many of the hints as fit. */
export const hintLine = (hints: readonly Line[], width: number): Line => [
  span(" "),
  ...(flow(hints, width - 2)[0] ?? []),
];

/** Exactly `count` lines. */
export const filled = (lines: readonly Line[], count: number): Line[] =>
  Array.from({ length: count }, (_, index) => lines[index] ?? []);

// oxlint-disable-next-line no-control-regex -- it is what this is about
const CONTROL = /[\u0000-\u001F\u007F-\u009F]/g;

/** As a terminal takes it. Without colours there is no style at all. */
export const toTerminal = (line: Line, hasColour: boolean): string => {
  let text = "";
  for (const one of line) {
    const safe = one.text.replace(CONTROL, "�");
    if (one.column !== undefined) text += `\u001B[${one.column + 1}G`;
    text += hasColour && one.style !== "" && safe !== "" ? `\u001B[${one.style}m${safe}\u001B[0m` : safe;
  }
  return text;
};

/** Without styles, for comparing. */
export const plainOf = (line: Line): string => line.map(({ text }) => text).join("");
