// What `agtmux wait --json` prints: which condition held, and the rows for which it did.
import * as z from "zod";
import { paneViewSchema, SCHEMA_VERSION } from "./view.ts";

/** `items`: one row, or with --every all of them; for `gone` the row as it was last seen. */
export const waitResultSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  ref: z.string().nullable(),
  filters: z.record(z.string(), z.unknown()),
  until: z.array(z.string()),
  after: z.number().int().nullable(),
  /** The condition of `until` that held; with --every, the one that held for the first row. */
  condition: z.string(),
  waited_ms: z.number().int(),
  items: z.array(paneViewSchema),
});
export type WaitResult = z.infer<typeof waitResultSchema>;
