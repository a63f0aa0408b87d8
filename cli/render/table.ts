// Text in a terminal: how wide it is, its colours, and rows laid out in columns that fit a width. Columns say how far they may
// shrink; one that must not be cut (a reference to paste) moves to its own line where it does not fit.

// Width: the exact answer needs tables that cost more start-up than the rest of a command, so they are loaded only when some text
// is not plainly one column per character.

export interface Measure {
  width(text: string): number;
  /** The text in pieces that must not be cut. */
  segments(text: string): Iterable<string>;
}

/**
 * Characters that always have width one: ASCII, Latin, Greek, Cyrillic, Armenian, punctuation, currencies, arrows, mathematics,
 * keys, boxes, and the signs beside the emoji that agents draw with.
 */
export const PLAIN =
  /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u02FF\u0370-\u0482\u048A-\u0590\u2010-\u2027\u2030-\u205E\u20A0-\u20C0\u2100-\u2319\u231C-\u2328\u232B-\u23E8\u23ED-\u23EF\u23F1\u23F2\u23F4-\u25FC\u25FF-\u2613\u2616-\u262F\u2654-\u267E\u2694-\u26A0\u2701-\u2704\u2706-\u2709\u270C-\u2727\u2729-\u274B\u2756\u2758-\u2794\u2798-\u27AF\u27C0-\u2B1A\u2B1D-\u2B4F]*$/;

/** A character that always has width two: an emoji by itself, most of Chinese, Japanese and Korean. */
export const WIDE =
  /^(?:(?!\p{Emoji_Modifier}|\p{Regional_Indicator})\p{Emoji_Presentation}|[\u3001-\u3020\u3041-\u3096\u309B-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60])$/u;

/** The width of a text in which no character changes the width of another; null for others. */
export const simpleWidth = (text: string): number | null => {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (!PLAIN.test(character) && !WIDE.test(character)) return null;
    width += PLAIN.test(character) ? 1 : 2;
  }
  return width;
};

/** A text as the characters that a person sees. What cuts them is made when it is first needed, because that takes 9 ms. */
export const characters = ((): ((text: string) => Iterable<string>) => {
  let segmenter: Intl.Segmenter | null = null;
  const cut = function* (text: string): Generator<string> {
    segmenter ??= new Intl.Segmenter();
    for (const { segment } of segmenter.segment(text)) yield segment;
  };
  return (text) => (PLAIN.test(text) ? text : cut(text));
})();

export const PLAIN_MEASURE: Measure = {
  width: (text) => text.length,
  segments: (text) => text,
};

/** For wide, combined and zero-width characters, as terminals draw them. */
export const loadExactMeasure = async (): Promise<Measure> => {
  const { default: stringWidth } = await import("string-width");
  return { width: stringWidth, segments: characters };
};

/** The cheapest measure that is right for all given texts. */
export const measureFor = async (document: unknown): Promise<Measure> => {
  const text = JSON.stringify(document);
  return PLAIN.test(text) ? PLAIN_MEASURE : loadExactMeasure();
};

// Colours: NO_COLOR, FORCE_COLOR, dumb terminals and pipes are respected in one place.

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;
export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

/** https://no-color.org: any non-empty NO_COLOR wins; FORCE_COLOR other than "0" colours pipes too. */
export const hasColour = (env: Readonly<Record<string, string | undefined>>, isTty: boolean): boolean => {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0";
  return isTty && env["TERM"] !== "dumb";
};

export const createPaint = (isEnabled: boolean): Paint =>
  isEnabled
    ? (colour, text) => {
        const [on, off] = CODES[colour];
        return `\u001B[${on}m${text}\u001B[${off}m`;
      }
    : (_colour, text) => text;

export interface Column {
  readonly title: string;
  /** Smallest width it can shrink to; null: never cut. */
  readonly min: number | null;
  /** Width to which it shrinks when nothing else makes the table fit; `min` where not given. */
  readonly least?: number;
  readonly align?: "right";
}

/** A cell: its plain text, and how to colour it once it was cut and padded. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = "  ";

/** The beginning of a text that is at most `width` wide; wide and combined characters stay whole. */
export const headOf = (text: string, width: number, measure: Measure): string => {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, width));
  let kept = "";
  let used = 0;
  for (const segment of measure.segments(text)) {
    used += measure.width(segment);
    if (used > width) break;
    kept += segment;
  }
  return kept;
};

/** Cuts to `width` columns with an ellipsis. */
export const cut = (text: string, width: number, measure: Measure): string => {
  if (measure.width(text) <= width) return text;
  return width <= 0 ? "" : `${headOf(text, width - 1, measure).trimEnd()}…`;
};

const pad = (text: string, width: number, align: "right" | undefined, measure: Measure): string => {
  const space = " ".repeat(Math.max(0, width - measure.width(text)));
  return align === "right" ? space + text : text + space;
};

const sumOf = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

/** Shrinks the widest columns that can still shrink until the sum fits, or all are at their minimum. */
const shrink = (
  columns: readonly Column[],
  natural: readonly number[],
  available: number,
  minOf: (column: Column) => number | null,
): number[] => {
  const widths = [...natural];
  for (let excess = sumOf(widths) - available; excess > 0; excess -= 1) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const width = widths[index] ?? 0;
      const min = minOf(column);
      if (min !== null && width > min && (widest === -1 || width > (widths[widest] ?? 0))) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};

const comfortable = (column: Column): number | null => column.min;
const tight = (column: Column): number | null => column.least ?? column.min;

export interface Layout {
  readonly widths: readonly number[];
  /** The last column goes on a line of its own. */
  readonly isStacked: boolean;
  readonly measure: Measure;
}

/** One layout for all rows of a document, so that its groups line up. `width` null: nothing is cut. */
export const layOut = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: { width: number | null; indent: number; measure: Measure },
): Layout => {
  const { measure } = options;
  const natural = columns.map((column, index) =>
    Math.max(column.title.length, ...rows.map((row) => measure.width(row[index]?.text ?? ""))),
  );
  if (options.width === null) return { widths: natural, isStacked: false, measure };
  const room = (count: number) => (options.width ?? 0) - options.indent - GAP.length * (count - 1);
  const side = shrink(columns, natural, room(columns.length), comfortable);
  if (sumOf(side) <= room(columns.length)) return { widths: side, isStacked: false, measure };
  const head = columns.slice(0, -1);
  const inHead = (minOf: (column: Column) => number | null) =>
    shrink(head, natural.slice(0, -1), room(head.length), minOf);
  const roomy = inHead(comfortable);
  const stacked = sumOf(roomy) <= room(head.length) ? roomy : inHead(tight);
  return { widths: [...stacked, natural.at(-1) ?? 0], isStacked: true, measure };
};

const renderCell = (cell: Cell | undefined, column: Column, width: number, measure: Measure): string => {
  const whole = cell?.text ?? "";
  const shown = tight(column) === null ? whole : cut(whole, width, measure);
  const text = pad(shown, width, column.align, measure);
  return cell?.paint === undefined ? text : cell.paint(text);
};

/** The lines of one row, without trailing blanks. */
export const renderRow = (
  columns: readonly Column[],
  row: readonly Cell[],
  layout: Layout,
  indent: number,
): string[] => {
  const margin = " ".repeat(indent);
  const cells = columns.map((column, index) =>
    renderCell(row[index], column, layout.widths[index] ?? 0, layout.measure),
  );
  if (!layout.isStacked) return [trimPainted(margin + cells.join(GAP))];
  return [
    trimPainted(margin + cells.slice(0, -1).join(GAP)),
    trimPainted(`${margin}${margin}  ${cells.at(-1) ?? ""}`),
  ];
};

// oxlint-disable-next-line no-control-regex -- the colour codes are our own
const CODES_AT_END = /(?:\u001B\[\d+m)*$/;

/**
 * Trailing blanks are removed even before the end of a colour. One regular expression would be slow: it would start a match at
 * each blank of a wide cell.
 */
const trimPainted = (line: string): string => {
  const codes = CODES_AT_END.exec(line)?.[0] ?? "";
  let end = line.length - codes.length;
  while (line[end - 1] === " ") end -= 1;
  return line.slice(0, end) + codes;
};

/** The line of titles; a column on its own lines has no title. */
export const renderHeader = (columns: readonly Column[], layout: Layout, indent: number): string => {
  const shown = layout.isStacked ? columns.slice(0, -1) : columns;
  const titles = shown.map((column, index) =>
    renderCell({ text: column.title }, { ...column, min: 0 }, layout.widths[index] ?? 0, layout.measure),
  );
  return (" ".repeat(indent) + titles.join(GAP)).trimEnd();
};

export const renderTable = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  {
    width,
    measure,
    paint,
    indent = 0,
    below,
  }: {
    readonly width: number | null;
    readonly measure: Measure;
    readonly paint: Paint;
    /** Blanks before each line. */
    readonly indent?: number;
    /** Lines of text below a row, by its index. */
    readonly below?: (index: number) => readonly string[];
  },
): string[] => {
  const layout = layOut(columns, rows, { width, indent, measure });
  return [
    paint("dim", renderHeader(columns, layout, indent)),
    ...rows.flatMap((row, index) => [...renderRow(columns, row, layout, indent), ...(below?.(index) ?? [])]),
  ];
};
