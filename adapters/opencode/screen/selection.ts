// Which option of an opencode dialog is chosen: it is told by colour alone, so the styled lines are read. The chosen one is
// the one that looks unlike all the others, whatever the theme; of two options nobody can say which of them it is. Source:
// frames recorded with 1.18.33 (a background in permissions, another text colour in questions).

interface StyledRow {
  text: string;
  /** Colours of each UTF-16 unit of the text. */
  styles: readonly string[];
}

/** What sequences change, and what goes on from line to line. */
interface Pen {
  text: string;
  ground: string;
}

const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\s\S]/g;
/** Colours of the palette, then those of 256 and of RGB. */
const COLOUR = /(?:^|;)((?:3[0-9]|4[0-9]|9[0-7]|10[0-7])(?:[;:]5[;:]\d+|[;:]2(?:[;:]\d*){3,4})?)(?=;|$)/g;

const dip = (pen: Pen, codes: string): void => {
  if (codes === "" || /^0(?:;|$)/.test(codes)) [pen.text, pen.ground] = ["", ""];
  for (const [, colour = ""] of codes.matchAll(COLOUR))
    if (/^[39]/.test(colour)) pen.text = colour === "39" ? "" : colour;
    else pen.ground = colour === "49" ? "" : colour;
};

const readRow = (line: string, pen: Pen): StyledRow => {
  let text = "";
  const styles: string[] = [];
  for (const [piece, codes] of line.matchAll(SEQUENCE)) {
    if (codes !== undefined) dip(pen, codes);
    else if (!piece.startsWith("\u001b")) {
      text += piece;
      styles.push(`${pen.text}/${pen.ground}`);
    }
  }
  return { text, styles };
};

/** Index of the one that is unlike all others, which are alike; null where there is no such. */
const oddOne = (styles: readonly string[]): number | null => {
  if (styles.length < 3 || new Set(styles).size !== 2) return null;
  const single = styles.filter((style) => styles.indexOf(style) === styles.lastIndexOf(style));
  return single.length === 1 ? styles.indexOf(single[0] ?? "") : null;
};

/**
 * Index of the chosen option. `texts`: the options as they stand on the screen, in order; what they are unlike in is how
 * their last letter looks. Null where it cannot be told.
 */
export const selectedOf = (
  styledLines: readonly string[] | undefined,
  texts: readonly string[],
): number | null => {
  if (styledLines === undefined) return null;
  const pen: Pen = { text: "", ground: "" };
  const rows = styledLines.map((line) => readRow(line, pen));
  const styles: string[] = [];
  let row = rows.length - 1;
  let end = Number.POSITIVE_INFINITY;
  // From the bottom, where the dialog stands: what is quoted above looks alike.
  for (const text of texts.toReversed()) {
    let at = -1;
    for (; row >= 0 && at < 0; row -= at < 0 ? 1 : 0) {
      at = (rows[row]?.text ?? "").slice(0, end).lastIndexOf(text);
      end = at < 0 ? Number.POSITIVE_INFINITY : at;
    }
    if (at < 0) return null;
    styles.unshift(rows[row]?.styles[at + text.length - 1] ?? "");
  }
  return oddOne(styles);
};
