// Reads rows back through the schemas of core/model. A row that does not fit is left out and logged by its key, without
// its content: one bad row must neither stop the daemon nor show up as a wrong state.
import * as z from "zod";
import type { Logger } from "../ports/logger.ts";

export interface RowReader {
  /** The parsed row, or null when `build` throws (broken JSON) or its result does not match. */
  read<T>(schema: z.ZodType<T>, table: string, key: string | number, build: () => unknown): T | null;
}

const describe = (error: z.ZodError): string[] =>
  error.issues.slice(0, 5).map((issue) => `${issue.path.join(".")}: ${issue.code}`);

export const createRowReader = (logger: Logger): RowReader => ({
  read(schema, table, key, build) {
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

/** The rows that could be read, in order. */
export const present = <T>(rows: readonly (T | null)[]): T[] => rows.filter((row): row is T => row !== null);
