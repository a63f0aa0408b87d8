/**
 * The version of every JSON document. It changes when a key is removed or changes its meaning. It has its own file because the
 * schemas of the views load zod.
 */
export const SCHEMA_VERSION = "1.0";
