// Which groups are collapsed; remembered by this window.
import { useCallback, useMemo } from "react";
import { z } from "zod";
import { toggled } from "../state/toggled.ts";
import { useStored } from "./useStored.ts";

const STORAGE_KEY = "agtmux.collapsed";
const storedSchema = z.array(z.string()).max(5_000);
const NONE: string[] = [];

export const useCollapsed = (): [ReadonlySet<string>, (key: string) => void] => {
  const [stored, store] = useStored(STORAGE_KEY, storedSchema, NONE);
  const collapsed = useMemo(() => new Set(stored), [stored]);
  const toggle = useCallback((key: string) => store([...toggled(collapsed, key)]), [collapsed, store]);
  return [collapsed, toggle];
};
