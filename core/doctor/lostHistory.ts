// What became of the history, for the doctor: the database that was damaged last, and whether its file is still there.
import { stat } from "node:fs/promises";
import type { DurableStore } from "../store/durableStore.ts";
import type { HostFacts } from "./hostChecks.ts";

/** Null: none was damaged. */
export const findLostHistory = async (store: Pick<DurableStore, "loss">): ReturnType<HostFacts["loss"]> => {
  const loss = store.loss();
  if (loss === null) return null;
  const isKept = await stat(loss.keptPath).then(
    () => true,
    () => false,
  );
  return { ...loss, isKept };
};
