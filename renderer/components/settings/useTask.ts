// Work that a button on a settings page starts: one at a time, with its result.
import { useCallback, useEffect, useRef, useState } from "react";
import { toFailure } from "../../connection/connectHost.ts";
import type { Failure } from "../../../ui/actions/actionStatus.ts";

export interface Task {
  isBusy: boolean;
  failure: Failure | null;
  /** Does nothing while it is busy. Resolves when the work ended, even if it failed. */
  run: (work: () => Promise<void>) => Promise<void>;
  clear: () => void;
}

export const useTask = (): Task => {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const busyRef = useRef(false);
  const isHereRef = useRef(true);
  useEffect(() => {
    isHereRef.current = true;
    return () => {
      isHereRef.current = false;
    };
  }, []);
  const run = useCallback(async (work: () => Promise<void>) => {
    if (busyRef.current) return;
    busyRef.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      if (isHereRef.current) setFailure(toFailure(error));
    }
    busyRef.current = false;
    if (isHereRef.current) setBusy(false);
  }, []);
  const clear = useCallback(() => setFailure(null), []);
  return { isBusy, failure, run, clear };
};
