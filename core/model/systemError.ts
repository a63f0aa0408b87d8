// Errors of the system as Node gives them.

/** `ENOENT` and the like, also SQLite's and our own; empty where the error has no code. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Nothing is there, nor the folder that it would be in. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errorCodeOf(error));
