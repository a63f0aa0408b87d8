// The kinds of failure of a store, by the errors that it throws; both sides of the port have to agree on them.
import { errorCodeOf } from "../model/systemError.ts";

/** `damaged`: the file itself is wrong or gone. `unavailable`: it is sound, but cannot be written or read now. */
export type StoreFailure = "damaged" | "unavailable";

const DAMAGE =
  /^(?:SQLITE_CORRUPT.*|SQLITE_NOTADB|SQLITE_IOERR_SHORT_READ|SQLITE_READONLY_DBMOVED|E_DATABASE_DAMAGED)$/;
/** Errors of the data or of our statements: trying again does not help, and nothing is wrong with the file. */
const OURS = /^SQLITE_(?:CONSTRAINT|MISUSE|RANGE|MISMATCH|TOOBIG|SCHEMA)/;

/** Errors of the file system, when the store puts its file back. */
const SYSTEM = /^E[A-Z]+$/;

/** Null: the error does not come from the store. */
export const storeFailureOf = (error: unknown): StoreFailure | null => {
  const code = errorCodeOf(error);
  if (DAMAGE.test(code)) return "damaged";
  return SYSTEM.test(code) || (code.startsWith("SQLITE_") && !OURS.test(code)) ? "unavailable" : null;
};

/** Why nothing can be stored, for a person. */
export const describeOutage = (error: unknown): string => {
  const code = errorCodeOf(error);
  if (code === "SQLITE_FULL" || code === "ENOSPC") return "the disk is full";
  if (code === "ENOENT") return "the folder of the database is gone";
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS" || code === "EACCES")
    return "the folder or the file is read-only";
  return code;
};
