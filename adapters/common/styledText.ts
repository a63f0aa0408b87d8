// What is drawn dim on a screen whose colours are given as SGR sequences, whose effect goes on from line to line: so a hint of the
// agent is told from what a person typed.
interface StyledCell {
  readonly char: string;
  readonly isDim: boolean;
}

// oxlint-disable-next-line no-control-regex -- SGR and other escape sequences are what this is about
const PART = /\u001b\[([0-9;:]*)m|\u001b\[[0-9;?]*[A-Za-z]|\u001b[()][A-Z0-9]|([^\u001b])/gu;

/** Of a colour from `at` on, as in `38;5;n` and `48;2;r;g;b`: how many parameters belong to it. */
const widthOfColour = (codes: readonly string[], at: number): number => (codes[at + 1] === "2" ? 5 : 3);

const isDimAfter = (isDim: boolean, parameters: string): boolean => {
  const codes = parameters === "" ? ["0"] : parameters.split(/[;:]/);
  let now = isDim;
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at]);
    if (code === 2) now = true;
    else if (code === 0 || code === 22) now = false;
    else if (code === 38 || code === 48 || code === 58) at += widthOfColour(codes, at) - 1;
  }
  return now;
};

/** The cells of each line. */
export const styledCells = (styledLines: readonly string[]): StyledCell[][] => {
  let isDim = false;
  return styledLines.map((line) => {
    const cells: StyledCell[] = [];
    for (const [, parameters, char] of line.matchAll(PART)) {
      if (parameters !== undefined) isDim = isDimAfter(isDim, parameters);
      else if (char !== undefined) cells.push({ char, isDim });
    }
    return cells;
  });
};

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
