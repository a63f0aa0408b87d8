// Which groups are collapsed; remembered by this window.
import { useCallback, useState } from "react";
import { z } from "zod";
import { toggled } from "../state/toggled.ts";

const STORAGE_KEY = "agtmux.collapsed";
const storedSchema = z.array(z.string()).max(5_000);

const read = (): ReadonlySet<string> => {
  try {
    return new Set(storedSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]")));
  } catch {
    // Storage may be switched off or hold something else: everything is open then.
    return new Set();
  }
};

const write = (keys: ReadonlySet<string>) => {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([...keys]));
  } catch {
    // Only the memory of it is lost.
  }
};

export const useCollapsed = (): [ReadonlySet<string>, (key: string) => void] => {
  const [collapsed, setCollapsed] = useState(read);
  const toggle = useCallback(
    (key: string) =>
      setCollapsed((before) => {
        const after = toggled(before, key);
        write(after);
        return after;
      }),
    [],
  );
  return [collapsed, toggle];
};
