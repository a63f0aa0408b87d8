/** Of every JSON document. It changes when a key goes or changes its meaning. Alone here, because the view's schemas load zod. */
export const SCHEMA_VERSION = "1.0";
