/**
 * The version of every JSON document. It changes when a key is removed or changes its meaning. It has its own file because the
 * schemas of the views load zod.
 */
export const SCHEMA_VERSION = "1.0";

/** What every document begins with; `now` in epoch ms. */
export const stamp = (now: number): { schema_version: typeof SCHEMA_VERSION; generated_at: string } => ({
  schema_version: SCHEMA_VERSION,
  generated_at: new Date(now).toISOString(),
});
