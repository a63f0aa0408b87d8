// A row's fields by name: the columns that a person or a script may choose. Each has a cell for a table and the raw value for a
// script. Tables of chosen columns are not grouped, so that they keep the requested order.
import type { Counts } from "../../core/model/view.ts";
import type { Machines } from "../../ui/text/machines.ts";
import type { Since } from "../parse/since.ts";
import { renderFoot } from "./foot.ts";
import type { Measure } from "./measure.ts";
import type { Paint } from "./paint.ts";
import { renderTable, type Cell, type Column } from "./table.ts";

/** The version or time after which a pane's change is marked in a table. */
export interface Marks {
  readonly changedSince?: Since;
}

export interface RenderOptions extends Marks, Machines {
  readonly paint: Paint;
  readonly width: number | null;
  readonly measure: Measure;
  /** Epoch ms that ages are counted to. */
  readonly now: number;
}

export interface Field<T> extends Column {
  cell(item: T, options: RenderOptions): Cell;
  /** Null or empty: there is none. */
  raw(item: T, now: number): string | number | boolean | null;
}

// Characters that would end a field or a line, steer a terminal, or hide text; and the backslash, which begins an escape.
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE = /[\\\u0000-\u001F\u007F-\u009F\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const SHORT: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" };

/** One field of `--plain`, escaped without loss or ambiguity. */
const plainField = (value: string | number | boolean | null): string =>
  value === null || value === ""
    ? "-"
    : String(value).replace(
        UNSAFE,
        (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );

export const renderPlain = <T>(items: readonly T[], fields: readonly Field<T>[], now: number): string[] =>
  items.map((item) => fields.map((field) => plainField(field.raw(item, now))).join("\t"));

interface ListOf<T> {
  readonly summary: Counts;
  readonly problems: readonly string[];
  readonly items: readonly T[];
}

/** Titles and one row per item. */
export const renderRows = <T>(
  items: readonly T[],
  fields: readonly Field<T>[],
  options: RenderOptions,
): string[] => {
  const rows = items.map((item) => fields.map((field) => field.cell(item, options)));
  return renderTable(fields, rows, options);
};

/** One row per item in the list's own order. `noun`: what an item is. */
export const renderFlat = <T>(
  list: ListOf<T>,
  fields: readonly Field<T>[],
  noun: string,
  options: RenderOptions,
): string[] => {
  const foot = renderFoot(list, noun, options);
  return list.items.length === 0
    ? [`No ${noun}s here.`, ...foot]
    : [...renderRows(list.items, fields, options), "", ...foot];
};
