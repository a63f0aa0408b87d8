// Reads rows back through the schemas of core/model. A row that does not fit is left out and logged by its key, without
// its content: one bad row must neither stop the daemon nor show up as a wrong state.
import * as z from "zod";
import type { Logger } from "../ports/logger.ts";

const describe = (error: z.ZodError): string[] =>
  error.issues.slice(0, 5).map((issue) => `${issue.path.join(".")}: ${issue.code}`);

export const createRowReader = (logger: Logger) => ({
  /** The parsed row, or null when `build` throws (broken JSON) or its result does not match. */
  read: <T>(schema: z.ZodType<T>, table: string, key: string | number, build: () => unknown): T | null => {
    let raw: unknown;
    try {
      raw = build();
    } catch {
      logger.warn({ table, key, issues: ["broken JSON"] }, "stored row left out");
      return null;
    }
    const result = schema.safeParse(raw);
    if (result.success) return result.data;
    logger.warn({ table, key, issues: describe(result.error) }, "stored row left out");
    return null;
  },
});

export type RowReader = ReturnType<typeof createRowReader>;

/**
 * Columns of a table by the names that our records have: `targetId` is `target_id` there. SQLite itself translates between the two,
 * so that no row is copied from one to the other by hand.
 */
export const columnsOf = (names: string) => {
  const fields = names.split(" ");
  const columnOf = (field: string): string =>
    field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const columns = fields.map(columnOf);
  return {
    /** Follows `INSERT INTO <table>`; a record that is bound may have more fields. */
    values: `(${columns.join(", ")}) VALUES (${fields.map((field) => `@${field}`).join(", ")})`,
    /** Follows `SELECT`. */
    read: fields.map((field, index) => `${columns[index]} AS ${field}`).join(", "),
    /** Follows `DO UPDATE SET`: all columns but these. */
    updateAllBut: (keys: string): string =>
      columns
        .filter((column) => !keys.split(" ").map(columnOf).includes(column))
        .map((column) => `${column} = excluded.${column}`)
        .join(", "),
  };
};

/** The rows that could be read, in order. */
export const present = <T>(rows: readonly (T | null)[]): T[] => rows.filter((row): row is T => row !== null);
