// Lays rows out in columns that fit a width. Columns say how far they may shrink. A column that must not be cut (a reference to
// paste) moves to its own line when there is no room.
import type { Measure } from "./measure.ts";
import type { Paint } from "./paint.ts";

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

/** Cuts to `width` columns with an ellipsis; wide and combined characters stay whole. */
export const cut = (text: string, width: number, measure: Measure): string => {
  if (measure.width(text) <= width) return text;
  if (width <= 0) return "";
  let kept = "";
  let used = 0;
  for (const segment of measure.segments(text)) {
    const size = measure.width(segment);
    if (used + size > width - 1) break;
    kept += segment;
    used += size;
  }
  return `${kept.trimEnd()}…`;
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

export interface TableOptions {
  readonly width: number | null;
  readonly measure: Measure;
  readonly paint: Paint;
  /** Blanks before each line. */
  readonly indent?: number;
  /** Lines of text below a row, by its index. */
  readonly below?: (index: number) => readonly string[];
}

/** Titles and rows. */
export const renderTable = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, measure, paint, indent = 0, below }: TableOptions,
): string[] => {
  const layout = layOut(columns, rows, { width, indent, measure });
  return [
    paint("dim", renderHeader(columns, layout, indent)),
    ...rows.flatMap((row, index) => [...renderRow(columns, row, layout, indent), ...(below?.(index) ?? [])]),
  ];
};
