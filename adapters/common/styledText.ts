// What is drawn dim or in a colour on a screen whose colours are given as SGR sequences, whose effect goes on from line to line: so
// a hint of the agent is told from what a person typed.
import type { Screen } from "../../core/ports/agentAdapter.ts";

export interface StyledCell {
  readonly char: string;
  readonly isDim: boolean;
  /** As it was set, such as `38;5;248`; "": the terminal's own. */
  readonly colour: string;
}

// oxlint-disable-next-line no-control-regex -- SGR and other escape sequences are what this is about
const PART = /\u001b\[([0-9;:]*)m|\u001b\[[0-9;?]*[A-Za-z]|\u001b[()][A-Z0-9]|([^\u001b])/gu;

/** Of a colour from `at` on, as in `38;5;n` and `48;2;r;g;b`: how many parameters belong to it. */
const widthOfColour = (codes: readonly string[], at: number): number => (codes[at + 1] === "2" ? 5 : 3);

type Style = Omit<StyledCell, "char">;
const PLAIN: Style = { isDim: false, colour: "" };

const isNamedColour = (code: number): boolean => (code >= 30 && code <= 37) || (code >= 90 && code <= 97);

const styleAfter = (style: Style, parameters: string): Style => {
  const codes = parameters === "" ? ["0"] : parameters.split(/[;:]/);
  let now = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at]);
    if (code === 0) now = PLAIN;
    else if (code === 2) now = { ...now, isDim: true };
    else if (code === 22) now = { ...now, isDim: false };
    else if (code === 39) now = { ...now, colour: "" };
    else if (isNamedColour(code)) now = { ...now, colour: String(code) };
    else if (code === 38 || code === 48 || code === 58) {
      const width = widthOfColour(codes, at);
      if (code === 38) now = { ...now, colour: codes.slice(at, at + width).join(";") };
      at += width - 1;
    }
  }
  return now;
};

/** The cells of each line. */
export const styledCells = (styledLines: readonly string[]): StyledCell[][] => {
  let style = PLAIN;
  return styledLines.map((line) => {
    const cells: StyledCell[] = [];
    for (const [, parameters, char] of line.matchAll(PART)) {
      if (parameters !== undefined) style = styleAfter(style, parameters);
      else if (char !== undefined) cells.push({ char, ...style });
    }
    return cells;
  });
};

/** The cells of each row; null where the screen was read without its colours. */
export const styledRows = ({ lines, styledLines }: Screen): StyledCell[][] | null =>
  styledLines === undefined || styledLines.length !== lines.length ? null : styledCells(styledLines);

/** What is not drawn dim in these rows, without the sign or the indentation in front of each. */
export const typedOf = (rows: readonly (readonly StyledCell[])[], indent: number): string =>
  rows
    .map((cells) =>
      cells
        .slice(indent)
        .filter(({ isDim }) => !isDim)
        .map(({ char }) => char)
        .join("")
        .trimEnd(),
    )
    .join("\n")
    .trim();
