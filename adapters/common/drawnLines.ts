// The drawn lines of a file as lines of a difference. Each begins with its number, mostly with its sign, and goes on below
// them where it is wrapped. Geometry only; what a row without a number and not below one is, nobody knows.

/** Before a row of which it is not known what it does. */
const UNKNOWN_SIGN = "?";
/** Before a row in which the line above goes on. */
const WRAPPED_SIGN = ">";

export interface DrawnLines {
  content: string;
  /** Columns that numbers and signs take; 0 without a line. */
  gutter: number;
  isReadable: boolean;
}

/**
 * `line`: matches a row that begins a line, with its gutter and, where there is one, its sign; `unsigned` counts for one
 * without. What follows the gutter is the text.
 */
export const readDrawnLines = (rows: readonly string[], line: RegExp, unsigned: "+" | " "): DrawnLines => {
  let gutter = 0;
  const lines = rows.map((row) => {
    const match = line.exec(row);
    if (match !== null) {
      const own = match[1]?.length ?? 0;
      gutter = Math.max(gutter, own);
      return `${match[2] ?? unsigned}${row.slice(own)}`;
    }
    const isBelow = gutter > 0 && row.slice(0, gutter).trim() === "";
    return isBelow ? `${WRAPPED_SIGN}${row.slice(gutter)}` : `${UNKNOWN_SIGN}${row}`;
  });
  return {
    content: lines.join("\n"),
    gutter,
    isReadable: gutter > 0 && lines.every((one) => !one.startsWith(UNKNOWN_SIGN)),
  };
};
