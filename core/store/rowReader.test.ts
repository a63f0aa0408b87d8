import { expect, it } from "vitest";
import * as z from "zod";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { createRowReader } from "./rowReader.ts";

const schema = z.record(z.string(), z.number());

it("a row that does not fit is left out, and the log names its first five fields and nothing of what is in them", () => {
  const warned: unknown[] = [];
  const reader = createRowReader({ ...SILENT_LOGGER, warn: (fields: unknown) => void warned.push(fields) });
  const row = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((key) => [key, "secret"]));
  expect(reader.read(schema, "panes", "one", () => row)).toBeNull();
  expect(warned).toEqual([
    { table: "panes", key: "one", issues: ["a", "b", "c", "d", "e"].map((key) => `${key}: invalid_type`) },
  ]);
});
