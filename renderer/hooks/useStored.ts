// A choice of this window that outlives it. Where the browser keeps nothing, it lasts as long as the page.
import { useCallback, useState } from "react";
import type { z } from "zod";

const read = <T>(key: string, schema: z.ZodType<T>, fallback: T): T => {
  try {
    const stored = localStorage.getItem(key);
    return stored === null ? fallback : schema.parse(JSON.parse(stored));
  } catch {
    // Storage may be switched off or hold something else.
    return fallback;
  }
};

export const useStored = <T>(key: string, schema: z.ZodType<T>, fallback: T): [T, (value: T) => void] => {
  const [value, setValue] = useState(() => read(key, schema, fallback));
  const set = useCallback(
    (next: T) => {
      setValue(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Only the memory of it is lost.
      }
    },
    [key],
  );
  return [value, set];
};
