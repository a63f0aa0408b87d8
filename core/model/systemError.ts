// Errors of the system as Node gives them.

/** `ENOENT` and the like, also SQLite's and our own; empty where the error has no code. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The file does not exist, or its folder does not. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errorCodeOf(error));
