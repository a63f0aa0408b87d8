// Values that a window remembers after it was closed. Where the browser stores nothing, they last as long as the page.
import type * as z from "zod";

/** Null where the browser keeps nothing. */
export type Keeper = Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;

/** Reading the property alone fails where storage is switched off. */
export const findStorage = (): Keeper => {
  try {
    return localStorage;
  } catch {
    return null;
  }
};

export const readStored = <T>(keeper: Keeper, key: string, schema: z.ZodType<T>, fallback: T): T => {
  try {
    const stored = keeper?.getItem(key) ?? null;
    return stored === null ? fallback : schema.parse(JSON.parse(stored));
  } catch {
    // Something else may be stored there.
    return fallback;
  }
};

/** Null removes it. */
export const writeStored = (keeper: Keeper, key: string, value: unknown): void => {
  try {
    if (value === null) keeper?.removeItem(key);
    else keeper?.setItem(key, JSON.stringify(value));
  } catch {
    // The value is then just not remembered.
  }
};
